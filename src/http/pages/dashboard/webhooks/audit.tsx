import type { ListedGroup } from "../../../../audit/auditor.js";
import { readList } from "../parts/list.js";
import { subscriptions } from "./deliveries.js";
import { Choice, CommandLine, Field, FormToken } from "../parts/action.js";
import { Code, CodeLink, Sentence, Time } from "../parts/show.js";
import { DataTable, Panel, Section } from "../parts/table.js";
import { CountPills } from "./audit-report.js";
import { type DashboardPage, type View, formUrl, linkTo } from "../view/view.js";
import { topicSpellings } from "../../../../domain/values/topic.js";
import { redactAndTruncate } from "../view/text.js";

const path = "/audit";

export const auditPage: DashboardPage = {
  path,
  title: "Audit",
  lead: "Is this webhook receiver safe? It is sent genuine, forged and odd events, and each mistake is named with how to fix it.",
  render: async (view) => (
    <>
      <Form view={view} groups={await view.auditor.groups()} />
      <Reports view={view} />
      <FromTerminal />
    </>
  ),
};

/** URLs of subscriptions offered beside the field. */
const RECEIVERS_MAX = 8;

/** Newest first. URLs with a secret are left out: they cannot be shown. */
function receiversOf(view: View): readonly string[] {
  const urls = readList(view.company, subscriptions, {}).rows.map(({ url }) => url);
  const shown = urls.filter((url) => !url.includes("@") && redactAndTruncate(view, url, url.length) === url);
  return [...new Set(shown)].slice(0, RECEIVERS_MAX);
}

function Form({ view, groups }: { readonly view: View; readonly groups: readonly ListedGroup[] }) {
  const { company, query } = view;
  const { signatureHeader } = company.profile.webhooks;
  const receivers = receiversOf(view);
  const url = query["url"] ?? receivers[0] ?? "";
  const others = receivers.filter((other) => other !== url);
  return (
    <Panel title="Audit a receiver">
      {others.length > 0 && (
        <div class="filter" role="group" aria-label="Other receivers with a subscription">
          <span class="soft">Also subscribed:</span>
          {others.map((other) => (
            <a href={linkTo(view, path, { ...query, url: other })}>{redactAndTruncate(view, other)}</a>
          ))}
        </div>
      )}
      <form class="action audit-form" method="post" action={formUrl(view, path)} data-waits>
        <FormToken view={view} />
        <Field
          name="url"
          type="url"
          label="The receiver's URL"
          list="receivers"
          value={url}
          placeholder="http://127.0.0.1:3000/webhooks"
          required
        >
          <datalist id="receivers">
            {receivers.map((url) => (
              <option value={url} />
            ))}
          </datalist>
        </Field>
        <div class="fields">
          <Choice
            name="only"
            label="Checks"
            choices={[["", "all"], ...groups.map(({ id, title }) => [id, `only: ${title}`] as const)]}
            chosen={query["only"]}
          >
            {groups.map(({ title, checks }) => (
              <optgroup label={title}>
                {checks.map(({ id }) => (
                  <option value={id} selected={id === query["only"]}>
                    only: {id}
                  </option>
                ))}
              </optgroup>
            ))}
          </Choice>
          <Choice
            name="topic"
            label="Topic of the events"
            choices={[["", "that of its subscription"], ...topicSpellings.map((topic) => [topic, topic] as const)]}
            chosen={query["topic"] ?? ""}
          />
        </div>
        <p class="soft">
          The events are signed with this company's secret key, in the header <Code>{signatureHeader}</Code>. About
          seventy requests go to this address and to no other; the setting{" "}
          <CodeLink href={linkTo(view, "/profile/webhooks.allow")} text="webhooks.allow" /> holds. Events that are
          genuine count as such: use a receiver of a test environment.
        </p>
        <div class="action-line">
          <button class="act main">Run the audit</button>
          <span class="busy" role="status">
            <span>The audit runs. Its report comes in a few seconds.</span>
          </span>
          {view.isAuditing && <span class="soft">An audit of this sandbox is under way.</span>}
        </div>
      </form>
    </Panel>
  );
}

function Reports({ view }: { readonly view: View }) {
  return (
    <Section title="The last reports">
      <DataTable
        caption="The last reports"
        rows={view.audits}
        idOf={({ id }) => `audit-${id}`}
        empty="No receiver was audited yet. The last five reports of this company are kept until the sandbox stops."
        columns={[
          { title: "Time", cell: ({ at }) => <Time at={at} /> },
          {
            title: "Receiver",
            kind: "wide",
            cell: ({ id, report }) => (
              <a href={linkTo(view, `${path}/${id}`)}>{redactAndTruncate(view, report.receiver)}</a>
            ),
          },
          { title: "Found", cell: ({ report }) => <CountPills counts={report.counts} /> },
        ]}
      />
    </Section>
  );
}

const WITH_STATE =
  'npx business-payments-sandbox audit http://127.0.0.1:3000/webhooks --secret "$SANDBOX_SECRET_KEY" --check http://127.0.0.1:3000/state';

function FromTerminal() {
  return (
    <Panel title="What needs a terminal">
      <p>
        <Sentence text="Whether the application counts each event once is seen in its own state, by another address or a program that prints it (`--check`, `--order`). A page runs no programs and reads no other addresses; this does:" />
      </p>
      <CommandLine line={WITH_STATE} of="audit with state checks" />
    </Panel>
  );
}
