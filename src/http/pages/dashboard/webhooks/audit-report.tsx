import type { AuditedCheck, AuditedReceiver, Group, Snippet } from "../view/auditor.js";
import type { KeptAudit } from "../view/audits.js";
import { FACT_MAX, said } from "../view/said.js";
import type { DashboardPage } from "../view/page.js";
import { CommandLine } from "../parts/action.js";
import { foundOr } from "../parts/not-found.js";
import { Code, Pill, Sentence, Text, Time, type Tone } from "../parts/show.js";
import { DataTable, Facts } from "../parts/table.js";
import { CountPills, VerdictPill } from "./verdict.js";
import { linkTo, type View } from "../view/view.js";

export const auditReportPage: DashboardPage = {
  path: "/audit/:id",
  title: (view) => `Audit of ${said(view, auditOf(view).report.receiver)}`,
  render: (view) => {
    const audit = auditOf(view);
    const checks = audit.report.groups.flatMap((group) => group.checks);
    const told = checks.filter(({ verdict }) => verdict === "fail" || verdict === "warn");
    return (
      <>
        <Sum view={view} audit={audit} />
        {told.map((check) => (
          <Mistake view={view} check={check} />
        ))}
        {audit.report.groups.map((group) => (
          <Checks view={view} group={group} />
        ))}
      </>
    );
  },
};

function auditOf({ audits, id }: View): KeptAudit {
  const kept = audits?.kept.find((audit) => audit.id === id);
  return foundOr(kept, "audit", id, " The last five reports are kept until the sandbox stops.");
}

function Sum({ view, audit: { at, command, report } }: { readonly view: View; readonly audit: KeptAudit }) {
  const { accepted, advice, passed, counts, requests, durationMs, receiver } = report;
  const url = said(view, receiver, FACT_MAX);
  return (
    <section class="panel">
      <h2>{headline(report)}</h2>
      {!accepted && (
        <div class="alert bad">
          <p>Most other checks tell little: who refuses everything also refuses what is forged. Look at</p>
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
      <p class="soft">{passed ? "To keep it so" : "Once it is mended"}, the same from a terminal or in CI:</p>
      <CommandLine line={said(view, command, FACT_MAX)} of="the same audit" />
      <p>
        <a href={linkTo(view, "/audit", { url: url === receiver ? url : undefined })}>
          Audit it again, or another receiver
        </a>
      </p>
    </section>
  );
}

function headline({ accepted, passed, counts }: AuditedReceiver): string {
  if (!accepted) return "An ordinary event with the right signature is not accepted";
  if (passed) return counts.warn === 0 ? "No mistake was found" : "Nothing failed, and something is to be looked at";
  return counts.fail === 1 ? "One check failed" : `${counts.fail} checks failed`;
}

const tones: Readonly<Record<AuditedCheck["severity"], Tone>> = { critical: "bad", high: "warn", warning: "plain" };

/** What was sent, what came back, why it matters, how to mend it. */
function Mistake({ view, check }: { readonly view: View; readonly check: AuditedCheck }) {
  const { id, title, verdict, severity, sent, cameBack, seen, why, bug, fix, snippet } = check;
  const rows = [
    ["Expected", title],
    ["Sent", sent],
    ["Came back", cameBack],
    ["Seen", seen],
  ] as const;
  return (
    <article class="panel finding" id={`mistake-${id}`}>
      <h2>
        <VerdictPill of={verdict} /> <span class="code">{id}</span> <Pill tone={tones[severity]}>{severity}</Pill>
      </h2>
      <Facts
        of={rows.flatMap(([name, text]) => (text === null ? [] : [[name, said(view, text, FACT_MAX)] as const]))}
      />
      <p>
        <b>Why it matters:</b> <Sentence text={why} />
      </p>
      {bug !== null && (
        <p>
          <b>Often:</b> <Code>{bug}</Code>
        </p>
      )}
      <p>
        <b>How to mend it:</b> <Sentence text={fix} />
      </p>
      {snippet !== null && <RightCode of={id} snippet={snippet} />}
    </article>
  );
}

function RightCode({ of, snippet: { title, code } }: { readonly of: string; readonly snippet: Snippet }) {
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

/** What is told above leads there. */
function CheckName({ id, verdict }: Pick<AuditedCheck, "id" | "verdict">) {
  const name = <Code>{id}</Code>;
  return verdict === "fail" || verdict === "warn" ? <a href={`#mistake-${id}`}>{name}</a> : name;
}

function Checks({ view, group: { title, checks } }: { readonly view: View; readonly group: Group<AuditedCheck> }) {
  return (
    <section class="stack">
      <h2>{title}</h2>
      <DataTable
        caption={title}
        rows={checks}
        idOf={({ id }) => `check-${id}`}
        empty="None of them was chosen."
        columns={[
          { title: "Verdict", cell: ({ verdict }) => <VerdictPill of={verdict} /> },
          { title: "Check", cell: ({ id, verdict }) => <CheckName id={id} verdict={verdict} /> },
          {
            title: "Sent",
            kind: "wide",
            cell: ({ verdict, sent, seen }) => said(view, (verdict === "skipped" ? seen : sent) ?? ""),
          },
          { title: "Answer", kind: "number", cell: ({ status, isSilent }) => status ?? (isSilent ? "none" : "") },
          { title: "After", kind: "number", cell: ({ latencyMs }) => (latencyMs === null ? "" : `${latencyMs} ms`) },
        ]}
      />
    </section>
  );
}
