import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Coverage, type CoverageSection, coverageSections } from "../../sandbox/coverage/coverage-report.js";
import {
  listUnmet,
  redactCoverage,
  renderCoverageMarkdown,
  sectionTitles,
} from "../../sandbox/coverage/render-coverage.js";
import { WIDTH_MAX, alignColumns, messageOf } from "../shared/output.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { toIso } from "../../kernel/time/instant.js";
import { type Finding, countFindings, renderFinding } from "../../sandbox/observation/finding.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { describeRendered } from "../../sandbox/state/rules.js";

/** Records until the returned function reports. A reset clears nothing. `lost` counts answers that the client never read. */
export function watchRun(sandbox: Sandbox) {
  const statuses: Record<string, number> = {};
  const findings: Finding[] = [];
  let requests = 0;
  const count = (kind: string, by: number): void => void (statuses[kind] = (statuses[kind] ?? 0) + by);
  sandbox.events.on("exchange", ({ exchange: { door, status, onLost } }) => {
    if (door !== "api") return;
    requests++;
    const kind = `${Math.floor(status / 100)}xx`;
    count(kind, 1);
    onLost(() => {
      count(kind, -1);
      count("lost", 1);
    });
  });
  sandbox.events.on("finding", ({ finding }) => findings.push(finding));
  return () => {
    const redactor = sandbox.redactor;
    const { text } = redactor;
    const coverage = redactCoverage(sandbox.coverage.ofAll(sandbox.companies), redactor);
    const deliveries = sandbox.companies.flatMap(({ world }) => world.deliveries.values());
    const unacknowledged = deliveries
      .filter(({ status }) => status === "pending" || status === "exhausted")
      .map(({ topic, url, attempts }) => ({
        topic,
        url: text(url),
        error: text(attempts.at(-1)?.error ?? "not sent yet"),
      }));
    return {
      requests,
      statuses: Object.fromEntries(Object.entries(statuses).filter(([, counted]) => counted > 0)),
      webhooks: { delivered: deliveries.filter(({ status }) => status === "succeeded").length, unacknowledged },
      clock: toIso(sandbox.defaultCompany.now()),
      findings,
      rulesNeverFired: coverage.rules.filter(({ met }) => !met).map(describeRendered),
      coverage,
    };
  };
}

export type ExecReport = ReturnType<ReturnType<typeof watchRun>>;

const UNACKNOWLEDGED_SHOWN = 5;

export function renderExecReport(report: ExecReport, options: { readonly coverage: boolean }): string {
  const { requests, statuses, webhooks, findings, rulesNeverFired, coverage } = report;
  const kinds = Object.entries(statuses).sort(([a], [b]) => a.localeCompare(b));
  const counted = kinds.length === 0 ? "" : ` (${kinds.map(([kind, counted]) => `${counted} × ${kind}`).join(", ")})`;
  const asked = `${requests} ${requests === 1 ? "request" : "requests"}${counted}`;
  const delivered = `${webhooks.delivered} ${webhooks.delivered === 1 ? "webhook" : "webhooks"} acknowledged`;
  const lines = [`${asked}, ${delivered}`];
  for (const { topic, url, error } of webhooks.unacknowledged.slice(0, UNACKNOWLEDGED_SHOWN)) {
    lines.push(`not acknowledged: ${topic} to ${url}: ${error}`);
  }
  const more = webhooks.unacknowledged.length - UNACKNOWLEDGED_SHOWN;
  if (more > 0) lines.push(`… and ${more} more`);
  for (const rule of rulesNeverFired) lines.push(`the rule ${rule} never fired`);
  lines.push(`${coverage.percent} % of the contract met (${coverage.met} of ${coverage.total})`);
  if (options.coverage) lines.push(...renderCoverageTable(coverage).trimEnd().split("\n"));
  if (findings.length > 0) lines.push(countFindings(findings.length));
  for (const finding of findings) lines.push(...renderFinding(finding).split("\n"));
  return lines.map((line) => `sandbox: ${line}`).join("\n");
}

/** Writes `FOLDER/sandbox.json` and `FOLDER/coverage.md`. Throws UsageError("cannot-run"). */
export async function writeExecReport(folder: string, report: ExecReport): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "sandbox.json"), `${JSON.stringify(report, undefined, 2)}\n`);
    await writeFile(join(folder, "coverage.md"), renderCoverageMarkdown(report.coverage));
  } catch (error) {
    throw new UsageError("cannot-run", `Failed to write the report to ${folder}: ${messageOf(error)}.`, {
      cause: error,
    });
  }
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
