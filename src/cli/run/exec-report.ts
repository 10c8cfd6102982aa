import { join } from "node:path";
import { type Coverage, type CoverageSection, coverageSections } from "../../sandbox/coverage/coverage-report.js";
import { listUnmet, renderCoverageMarkdown, sectionTitles } from "../../sandbox/coverage/render-coverage.js";
import { WIDTH_MAX, alignColumns, prepareOutput, writeOutput } from "../shared/output.js";
import { printable, pluralize } from "../../kernel/messages/text.js";
import { renderAllowed, renderFinding } from "../../sandbox/findings/finding.js";
import type { RunReport } from "../../sandbox/run-report.js";

const LISTED_MAX = 5;

export function renderExecReport(report: RunReport, options: { readonly coverage: boolean }): string {
  const {
    requests,
    statuses,
    unknownPaths,
    webhooks,
    resets,
    findings,
    allowed,
    allowNeverMatched,
    rulesNeverFired,
    coverage,
  } = report;
  const kinds = Object.entries(statuses).sort(([a], [b]) => a.localeCompare(b));
  const counted = kinds.length === 0 ? "" : ` (${kinds.map(([kind, counted]) => `${counted} × ${kind}`).join(", ")})`;
  const asked = `${pluralize(requests, "request")}${counted}`;
  const lines = [`${asked}, ${pluralize(webhooks.delivered, "webhook")} acknowledged`];
  if (requests === 0) lines.push("the sandbox was never called");
  for (const [unknown, times] of Object.entries(unknownPaths).slice(0, LISTED_MAX))
    lines.push(times === 1 ? unknown : `${unknown} (${times} times)`);
  const moreUnknown = Object.keys(unknownPaths).length - LISTED_MAX;
  if (moreUnknown > 0) lines.push(`… and ${moreUnknown} more paths that are not there`);
  if (resets > 0) lines.push(`${pluralize(resets, "reset")}; the report includes what was seen before`);
  for (const { topic, url, error } of webhooks.unacknowledged.slice(0, LISTED_MAX)) {
    lines.push(`not acknowledged: ${topic} to ${url}: ${error}`);
  }
  const more = webhooks.unacknowledged.length - LISTED_MAX;
  if (more > 0) lines.push(`… and ${more} more`);
  for (const rule of rulesNeverFired) lines.push(`the rule ${rule} never fired`);
  lines.push(`${coverage.percent} % of the contract covered (${coverage.met} of ${coverage.total})`);
  if (options.coverage) lines.push(...renderCoverageTable(coverage).trimEnd().split("\n"));
  if (findings.length > 0) lines.push(pluralize(findings.length, "finding"));
  for (const finding of findings) lines.push(...renderFinding(finding).split("\n"));
  if (allowed.length > 0) lines.push(`${pluralize(allowed.length, "finding")} allowed`);
  for (const finding of allowed) lines.push(...renderAllowed(finding).split("\n"));
  for (const entry of allowNeverMatched) lines.push(`warning: allowed, but never found: ${entry}`);
  const shown = lines.flatMap((line) => printable(line).split("\n"));
  return shown.map((line) => `sandbox: ${line}`).join("\n");
}

const files = { report: "sandbox.json", coverage: "coverage.md" };

/** Makes the folder of the report. Throws UsageError("cannot-run") when nothing can be written there. */
export async function prepareExecReport(folder: string): Promise<void> {
  for (const file of Object.values(files)) await prepareOutput("the report", join(folder, file));
}

/** Writes `FOLDER/sandbox.json` and `FOLDER/coverage.md`. Throws UsageError("cannot-run"). */
export async function writeExecReport(folder: string, report: RunReport): Promise<void> {
  await prepareExecReport(folder);
  await writeOutput("the report", join(folder, files.report), `${JSON.stringify(report, undefined, 2)}\n`);
  await writeOutput("the report", join(folder, files.coverage), renderCoverageMarkdown(report.coverage));
}

/** The most lines for the uncovered items of a section. */
const LINES_MAX = 3;

const unmetTitles = {
  operations: "Never answered",
  transitions: "Never happened",
  causes: "Never the reason",
  topics: "Never acknowledged",
  rules: "Never fired",
} as const satisfies Partial<Record<CoverageSection, string>>;

export function renderCoverageTable(coverage: Coverage): string {
  const { percent, met, total, sections } = coverage;
  const counts = coverageSections
    .filter((section) => sections[section].total > 0)
    .map((section) => [`  ${sectionTitles[section]}`, `${sections[section].met}/${sections[section].total}`]);
  const unmet = (Object.keys(unmetTitles) as (keyof typeof unmetTitles)[]).flatMap((section) =>
    renderUnmet(unmetTitles[section], listUnmet(coverage, section)),
  );
  return [...alignColumns([["Coverage of the contract", `${met}/${total}`, `${percent} %`], ...counts]), ...unmet].join(
    "\n",
  );
}

function renderUnmet(title: string, items: readonly string[]): readonly string[] {
  if (items.length === 0) return [];
  const lines: string[] = [];
  let shown = 0;
  for (const item of items) {
    const last = lines.at(-1);
    const longer = last === undefined ? undefined : `${last}, ${item}`;
    if (longer !== undefined && longer.length <= WIDTH_MAX) lines[lines.length - 1] = longer;
    else if (lines.length === LINES_MAX) break;
    else lines.push(`  ${cut(item)}`);
    shown++;
  }
  const more = items.length - shown;
  return [`${title}:`, ...lines, ...(more > 0 ? [`  … and ${more} more`] : [])];
}

function cut(text: string): string {
  const oneLine = text.replaceAll(/\s+/g, " ");
  const room = WIDTH_MAX - 2;
  return oneLine.length <= room ? oneLine : `${oneLine.slice(0, room - 1)}…`;
}
