import { coverageSections } from "../../../../sandbox/coverage/coverage-report.js";
import { listUnmet, redactCoverage, sectionTitles } from "../../../../sandbox/coverage/render-coverage.js";
import { FINDINGS_MAX } from "../../../../sandbox/findings/finding.js";
import type { FindingRow } from "../../../../sandbox/findings/findings.js";
import { Code, Empty, Lines, Panel, Sentence, Status, TablePanel, Time, soft } from "../parts/show.js";
import { type DashboardPage, type ServiceDifference, type View, linkTo } from "../view/view.js";
import { renderPager } from "../parts/list.js";
import { ROWS_SHOWN } from "../view/read-list.js";

export const findingsPage: DashboardPage = {
  path: "/findings",
  title: "Findings",
  lead: "Mistakes of your client that cost money in production, critical first. Each is reported once.",
  render: (view) => {
    const { findings } = view.sandbox.observationOf(view.company.id);
    const { rows } = findings.rows.page({ limit: FINDINGS_MAX, newestFirst: true });
    const isCritical = ({ finding }: FindingRow): boolean => finding.severity === "critical";
    const sorted = rows.toSorted((a, b) => Number(isCritical(b)) - Number(isCritical(a)));
    const from = Number(/^\d{1,6}$/.exec(view.query["before"] ?? "")?.[0] ?? 0);
    const to = from + ROWS_SHOWN;
    return (
      <>
        {view.differences && renderDifferences(view.differences())}
        {rows.length === 0 && (
          <Empty>Nothing was found. Double payouts, secrets in URLs and other mistakes are listed here.</Empty>
        )}
        {sorted.slice(from, to).map((row) => renderFinding(view, row))}
        {renderPager(view, "/findings", to < sorted.length ? to : undefined)}
      </>
    );
  },
};

/** For a sandbox that `proxy` compares with the real service. */
function renderDifferences(differences: readonly ServiceDifference[]) {
  return (
    <TablePanel
      caption="Where the real service differs"
      rows={differences}
      empty="None so far. Requests are compared about a second after they have passed the proxy."
      columns={[
        { title: "Where", cell: ({ where }) => <Code>{where}</Code> },
        { title: "What", cell: ({ what }) => what, kind: "wide" },
        { title: "In", cell: ({ count, of }) => `${count} of ${of}`, kind: "number" },
        { title: "First in", cell: ({ first }) => <Code>{first}</Code> },
      ]}
    />
  );
}

export function anchorOf({ seq }: FindingRow): string {
  return `finding-${seq}`;
}

/** Findings are stored without the secrets of their time. Secrets that were added later are redacted here. */
function renderFinding(view: View, row: FindingRow) {
  const { redactor } = view;
  const { kind, severity, why, fix, requests } = row.finding;
  return (
    <article class={`panel finding ${severity}`} id={anchorOf(row)}>
      <h2>
        <Status of={severity} /> <span class="code">{kind}</span> <Time at={row.at} />
      </h2>
      <p>
        <Sentence text={redactor.text(why)} />
      </p>
      <Lines
        of={requests.map(({ id, method, path, summary }) => [
          <a href={linkTo(view, `/requests/${id}`)}>{id}</a>,
          " ",
          <Code>
            {method} {redactor.text(path)}
          </Code>,
          ` ${redactor.text(summary)}`,
        ])}
      />
      <p>
        <b>What to do:</b> <Sentence text={redactor.text(fix)} />
      </p>
    </article>
  );
}

export const coveragePage: DashboardPage = {
  path: "/coverage",
  title: "Coverage",
  lead: "What of the contract your client has not covered yet. A reset keeps it.",
  render: ({ sandbox, company, redactor }) => {
    const coverage = redactCoverage(sandbox.coverage.of(company), redactor);
    const { percent, met, total, sections } = coverage;
    return (
      <>
        <Panel title="Total" note={soft(`${met} of ${total}`)}>
          <p class="big">{percent} %</p>
          <progress value={met} max={Math.max(1, total)} aria-label="Covered of the contract">
            {percent} %
          </progress>
        </Panel>
        <div class="panels">
          {coverageSections.map((section) => {
            const unmet = listUnmet(coverage, section);
            const { met: covered, total: all } = sections[section];
            return (
              <Panel title={sectionTitles[section]} note={soft(`${covered} of ${all}`)}>
                {unmet.length === 0 && <Empty>Nothing is missing.</Empty>}
                <Lines
                  of={unmet.map((line) => (
                    <Code>{line}</Code>
                  ))}
                />
              </Panel>
            );
          })}
        </div>
      </>
    );
  },
};
