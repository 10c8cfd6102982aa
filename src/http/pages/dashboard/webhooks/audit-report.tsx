import type { Child } from "hono/jsx";
import type { AuditedCheck, AuditedGroup, AuditedReceiver } from "../../../../audit/auditor.js";
import { type AuditVerdict, isBroken } from "../../../../audit/report.js";
import { Code, CodeLink, Pill, Sentence, Status, Text, Time, type Tone } from "../parts/show.js";
import { CommandLine } from "../parts/action.js";
import { DataTable, type Fact, Facts, Section } from "../parts/table.js";
import { type DashboardPage, type View, getOrNotFound, linkTo } from "../view/view.js";
import type { KeptAudit } from "../view/memory.js";
import { FACT_MAX, redactAndTruncate } from "../view/text.js";

export const auditReportPage: DashboardPage = {
  path: "/audit/:id",
  title: (view) => `Audit of ${redactAndTruncate(view, auditOf(view).report.receiver)}`,
  render: (view) => {
    const audit = auditOf(view);
    const checks = audit.report.groups.flatMap((group) => group.checks);
    const mistakes = checks.filter(isBroken);
    return (
      <>
        {renderSum(view, audit)}
        {mistakes.map((check) => renderMistake(view, check))}
        {audit.report.groups.map((group) => renderChecks(view, group))}
      </>
    );
  },
};

function auditOf({ audits, id }: View): KeptAudit {
  const kept = audits.find((audit) => audit.id === id);
  return getOrNotFound(kept, "audit", id, " The last five reports are kept until the sandbox stops.");
}

function renderSum(view: View, { at, command, report }: KeptAudit) {
  const { accepted, advice, passed, reasons, notes, counts, requests, durationMs, receiver } = report;
  const url = redactAndTruncate(view, receiver, FACT_MAX);
  return (
    <section class="panel">
      <h2>{headline(report)}</h2>
      {reasons.length > 0 && (
        <div class="alert bad">
          <p>Nothing failed, but what was asked for could not be judged:</p>
          <ul class="lines">
            {reasons.map((reason) => (
              <li>{redactAndTruncate(view, reason, FACT_MAX)}</li>
            ))}
          </ul>
        </div>
      )}
      {!accepted && advice.length > 0 && (
        <div class="alert bad">
          <p>Most other checks say little: a receiver that refuses everything also refuses what is forged. Look at</p>
          <ul class="lines">
            {advice.map((line) => (
              <li>
                <Sentence text={line} />
              </li>
            ))}
          </ul>
        </div>
      )}
      <Facts
        of={[
          ["Receiver", <Code>{url}</Code>],
          ["Found", <CountPills counts={counts} />],
          ["Time", <Time at={at} />],
          ["Sent", `${requests} ${requests === 1 ? "request" : "requests"} in ${(durationMs / 1000).toFixed(1)} s`],
        ]}
      />
      {notes.map((note) => (
        <p class="soft">Note: {redactAndTruncate(view, note, FACT_MAX)}</p>
      ))}
      <p class="soft">{passed ? "To keep it so" : "Once it is fixed"}, the same from a terminal or in CI:</p>
      <CommandLine line={redactAndTruncate(view, command, FACT_MAX)} of="the same audit" />
      <p>
        <a href={linkTo(view, "/audit", { url: url === receiver ? url : undefined })}>
          Audit it again, or another receiver
        </a>
      </p>
    </section>
  );
}

function headline({ verdict, accepted, passed, counts }: AuditedReceiver): string {
  if (verdict === "inconclusive") return "Inconclusive: nothing failed, and too little was proven";
  if (!accepted) return "An ordinary event with the right signature is not accepted";
  if (passed) return counts.warn === 0 ? "No mistake was found" : "Nothing failed, and something is to be looked at";
  return counts.fail === 1 ? "One check failed" : `${counts.fail} checks failed`;
}

function renderMistake(view: View, check: AuditedCheck) {
  const { id, title, verdict, severity, sent, cameBack, seen, why, bug, fix, snippet } = check;
  const fact = (name: string, text: string | null): Fact =>
    text !== null && [name, redactAndTruncate(view, text, FACT_MAX)];
  return (
    <article class="panel finding" id={`mistake-${id}`}>
      <h2>
        <VerdictPill of={verdict} /> <span class="code">{id}</span> <Status of={severity} />
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
    <div class="codes">
      <h3>{title}</h3>
      {code.map(({ id, language, text }) => (
        <details id={`code-${of}-${id}`}>
          <summary>{language}</summary>
          <Text label={`${title}, ${language}, for ${of}`}>{text}</Text>
        </details>
      ))}
    </div>
  );
}

function renderChecks(view: View, { title, checks }: AuditedGroup) {
  return (
    <Section title={title}>
      <DataTable
        caption={title}
        rows={checks}
        idOf={({ id }) => `check-${id}`}
        empty="None of them was chosen."
        columns={[
          { title: "Verdict", cell: ({ verdict }) => <VerdictPill of={verdict} /> },
          {
            title: "Check",
            cell: (check) =>
              isBroken(check) ? <CodeLink href={`#mistake-${check.id}`} text={check.id} /> : <Code>{check.id}</Code>,
          },
          {
            title: "Sent",
            kind: "wide",
            cell: ({ verdict, sent, seen }) => redactAndTruncate(view, (verdict === "skipped" ? seen : sent) ?? ""),
          },
          {
            title: "Answer",
            kind: "number",
            cell: ({ received, error }) => received?.status ?? (error === null ? "" : "none"),
          },
          {
            title: "After",
            kind: "number",
            cell: ({ received }) => (received === null ? "" : `${received.latencyMs} ms`),
          },
        ]}
      />
    </Section>
  );
}

const looks: Readonly<Record<AuditVerdict, { readonly mark: string; readonly tone: Tone; readonly counted: string }>> =
  {
    fail: { mark: "✗", tone: "bad", counted: "failed" },
    warn: { mark: "!", tone: "warn", counted: "warned" },
    pass: { mark: "✓", tone: "good", counted: "passed" },
    skipped: { mark: "–", tone: "plain", counted: "skipped" },
  };

const worstFirst = ["fail", "warn", "pass", "skipped"] as const satisfies readonly AuditVerdict[];

function VerdictPill({ of }: { readonly of: AuditVerdict }) {
  return <Marked verdict={of}>{of}</Marked>;
}

/** `✗ 2 failed`; verdicts with no check are left out. */
export function CountPills({ counts }: Pick<AuditedReceiver, "counts">) {
  return (
    <span class="actions">
      {worstFirst
        .filter((verdict) => counts[verdict] > 0)
        .map((verdict) => (
          <Marked verdict={verdict}>
            {counts[verdict]} {looks[verdict].counted}
          </Marked>
        ))}
    </span>
  );
}

function Marked({ verdict, children }: { readonly verdict: AuditVerdict; readonly children?: Child }) {
  const { mark, tone } = looks[verdict];
  return (
    <Pill tone={tone}>
      <span aria-hidden="true">{mark}</span> {children}
    </Pill>
  );
}
