import type { Group, ListedCheck } from "../view/auditor.js";
import { readList } from "../parts/list.js";
import { subscriptions } from "./deliveries.js";
import { Choice, CommandLine, FormToken } from "../parts/action.js";
import { Code, CodeLink, Sentence, Time } from "../parts/show.js";
import { DataTable, Empty, Panel, Section } from "../parts/table.js";
import { CountPills } from "./audit-report.js";
import { type DashboardPage, type View, formUrl, linkTo } from "../view/view.js";
import { topicSpellings } from "../../../../domain/values/topic.js";
import type { KeptAudit } from "../view/memory.js";
import { redactAndTruncate } from "../view/text.js";

const path = "/audit";

export const auditPage: DashboardPage = {
  path,
  title: "Audit",
  lead: "Is this webhook receiver safe? It is sent genuine, forged and odd events, and each mistake is named with how to mend it.",
  render: async (view) => {
    const { auditor, audits, isAuditing } = view;
    if (auditor === undefined) return <Empty>This sandbox audits no receivers.</Empty>;
    return (
      <>
        <Form view={view} groups={await auditor.groups()} isRunning={isAuditing} />
        <Reports view={view} kept={audits} />
        <FromTerminal />
      </>
    );
  },
};

/** URLs of subscriptions offered beside the field. */
const RECEIVERS_MAX = 8;

/** Newest first. URLs with a secret are left out: they cannot be shown. */
function receiversOf(view: View): readonly string[] {
  const urls = readList(view.company, subscriptions, {}).rows.map(({ url }) => url);
  const shown = urls.filter((url) => !url.includes("@") && redactAndTruncate(view, url, url.length) === url);
  return [...new Set(shown)].slice(0, RECEIVERS_MAX);
}

interface FormProps {
  readonly view: View;
  readonly groups: readonly Group<ListedCheck>[];
  readonly isRunning: boolean;
}

function Form({ view, groups, isRunning }: FormProps) {
  const { company, query } = view;
  const { signatureHeader } = company.profile.webhooks;
  const receivers = receiversOf(view);
  const url = query["url"] ?? receivers[0] ?? "";
  const others = receivers.filter((other) => other !== url);
  const topics = topicSpellings.map((topic) => [topic, topic] as const);
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
        <label class="labelled" for="url">
          <span>The receiver's URL</span>
          <input
            id="url"
            name="url"
            type="url"
            class="input"
            list="receivers"
            value={url}
            placeholder="http://127.0.0.1:3000/webhooks"
            autocomplete="off"
            spellcheck={false}
            required
          />
          <datalist id="receivers">
            {receivers.map((url) => (
              <option value={url} />
            ))}
          </datalist>
        </label>
        <div class="fields">
          <Checks groups={groups} chosen={query["only"]} />
          <Choice
            id="topic"
            name="topic"
            label="Topic of the events"
            choices={[["", "that of its subscription"], ...topics]}
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
          {isRunning && <span class="soft">An audit of this sandbox is under way.</span>}
        </div>
      </form>
    </Panel>
  );
}

interface ChecksProps {
  readonly groups: readonly Group<ListedCheck>[];
  readonly chosen: string | undefined;
}

function Checks({ groups, chosen }: ChecksProps) {
  const option = (id: string, label: string) => (
    <option value={id} selected={id === chosen}>
      {label}
    </option>
  );
  return (
    <label class="labelled" for="only">
      <span>Checks</span>
      <select id="only" name="only" class="input">
        <option value="">all</option>
        {groups.map(({ id, title }) => option(id, `only: ${title}`))}
        {groups.map(({ title, checks }) => (
          <optgroup label={title}>{checks.map((check) => option(check.id, `only: ${check.id}`))}</optgroup>
        ))}
      </select>
    </label>
  );
}

function Reports({ view, kept }: { readonly view: View; readonly kept: readonly KeptAudit[] }) {
  return (
    <Section title="The last reports">
      <DataTable
        caption="The last reports"
        rows={kept}
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
  'sandbox audit http://127.0.0.1:3000/webhooks --secret "$SANDBOX_SECRET_KEY" --check http://127.0.0.1:3000/state';

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
