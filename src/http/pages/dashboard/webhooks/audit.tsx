import type { AuditedCheck, AuditedReceiver, ListedGroup } from "../../../../audit/auditor.js";
import { isBroken } from "../../../../audit/report.js";
import { CommandLine, Field, PostForm, refusedForm } from "../parts/action.js";
import { Code, CodeLink, Sentence, Status, Text, Time, type Fact, Facts, Lines, Panel } from "../parts/show.js";
import type { KeptAudit } from "../view/memory.js";
import { readList } from "../view/read-list.js";
import { FACT_MAX, redactAndTruncate, type DashboardPage, type View, linkTo } from "../view/view.js";
import { pluralize } from "../../../../kernel/messages/text.js";

const path = "/audit";

export const auditPage: DashboardPage = {
  path,
  title: "Audit",
  lead: "Is your webhook receiver safe? The audit sends it genuine, forged and malformed events, and says how to fix each mistake.",
  render: async (view) => (
    <>
      {renderForm(view, await view.auditor.groups())}
      {view.audit && renderReport(view, view.audit)}
    </>
  ),
};

/** The receivers of the last audit and of subscriptions. URLs with a secret are left out, because they cannot be shown. */
function receiversOf(view: View): readonly string[] {
  const { rows } = readList(view.company.world.subscriptions);
  const urls = [view.audit?.report.receiver ?? [], ...rows.map(({ url }) => url)].flat();
  return [...new Set(urls.filter((url) => !url.includes("@") && redactAndTruncate(view, url, url.length) === url))];
}

function renderForm(view: View, groups: readonly ListedGroup[]) {
  const { signatureHeader } = view.company.profile.webhooks;
  const receivers = receiversOf(view);
  const refused = refusedForm(view.outcome, "audit", {}, true);
  const all = groups.map(({ id, title }) => [id, `only: ${title}`] as const);
  return (
    <Panel title="Audit a receiver">
      <PostForm view={view} path={path}>
        <Field
          name="url"
          type="url"
          label="The receiver's URL"
          suggested={receivers.map((receiver) => [receiver, ""])}
          value={receivers[0] ?? ""}
          placeholder="http://127.0.0.1:3000/webhooks"
          required
          refused={refused}
        />
        <Field name="only" label="Checks" choices={[["", "all"], ...all]} refused={refused} />
        <p class="soft">
          The audit signs with this company's secret key, in the header <Code>{signatureHeader}</Code>. It sends about
          seventy requests to this address only, where the setting{" "}
          <CodeLink href={linkTo(view, "/profile/webhooks.allow")} text="webhooks.allow" /> permits it. Your receiver
          processes the genuine events: use a test environment.
        </p>
        <div class="action-line">
          <button class="button">Run the audit</button>
          <span class="soft">It takes a few seconds.</span>
        </div>
      </PostForm>
    </Panel>
  );
}

function renderReport(view: View, { at, command, report }: KeptAudit) {
  const { accepted, advice, counts, reasons, notes, requests, durationMs, receiver } = report;
  const lines = accepted ? reasons : advice;
  const mistakes = report.groups.flatMap(({ checks }) => checks.filter(isBroken));
  return [
    <section class="panel">
      <h2>{headline(report)}</h2>
      {lines.length > 0 && (
        <div class="alert bad">
          <p>
            {accepted
              ? "The audit could not judge what you asked for:"
              : "Fix this first; most checks depend on it. Look at"}
          </p>
          <Lines
            of={lines.map((line) => (
              <Sentence text={redactAndTruncate(view, line, FACT_MAX)} />
            ))}
          />
        </div>
      )}
      <Facts
        of={[
          ["Receiver", <Code>{redactAndTruncate(view, receiver, FACT_MAX)}</Code>],
          ["Found", `${counts.fail} failed, ${counts.warn} warned, ${counts.pass} passed`],
          ["Time", <Time at={at} />],
          ["Sent", `${pluralize(requests, "request")} in ${(durationMs / 1000).toFixed(1)} s`],
        ]}
      />
      {notes.map((note) => (
        <p class="soft">Note: {redactAndTruncate(view, note, FACT_MAX)}</p>
      ))}
      <p class="soft">Run the same audit from a terminal or in CI:</p>
      <CommandLine line={redactAndTruncate(view, command, FACT_MAX)} of="the same audit" />
    </section>,
    ...mistakes.map((check) => renderMistake(view, check)),
  ];
}

function headline({ verdict, accepted, passed, counts }: AuditedReceiver): string {
  if (verdict === "inconclusive") return "Inconclusive: nothing failed, but too little was checked";
  if (!accepted) return "An ordinary event with the right signature is not accepted";
  if (passed) return counts.warn === 0 ? "No mistake was found" : "Nothing failed, but there are warnings";
  return counts.fail === 1 ? "One check failed" : `${counts.fail} checks failed`;
}

function renderMistake(view: View, check: AuditedCheck) {
  const { id, title, verdict, severity, sent, cameBack, seen, why, bug, fix, snippet } = check;
  const fact = (name: string, text: string | null): Fact =>
    text !== null && [name, redactAndTruncate(view, text, FACT_MAX)];
  return (
    <article class="panel finding" id={`mistake-${id}`}>
      <h2>
        <Status of={verdict} /> <span class="code">{id}</span> <Status of={severity} />
      </h2>
      <Facts of={[fact("Expected", title), fact("Sent", sent), fact("Came back", cameBack), fact("Seen", seen)]} />
      <p>
        <b>Why it matters:</b> <Sentence text={why} />
      </p>
      {bug !== null && (
        <p>
          <b>Often:</b> <Code>{bug}</Code>
        </p>
      )}
      <p>
        <b>How to fix it:</b> <Sentence text={fix} />
      </p>
      {snippet !== null && renderSnippet(id, snippet)}
    </article>
  );
}

function renderSnippet(of: string, { title, code }: NonNullable<AuditedCheck["snippet"]>) {
  return (
    <>
      <h3>{title}</h3>
      {code.map(({ id, language, text }) => (
        <details id={`code-${of}-${id}`}>
          <summary>{language}</summary>
          <Text label={`${title}, ${language}, for ${of}`}>{text}</Text>
        </details>
      ))}
    </>
  );
}
