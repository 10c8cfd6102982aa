import { groupBy } from "../../kernel/collections.js";
import { oneLine, printable, wrapText, pluralize } from "../../kernel/messages/text.js";
import {
  type JunitResult,
  plainStyle,
  renderJunit as renderJunitXml,
  type Style,
} from "../../kernel/messages/report.js";
import { faultNames } from "./faults.js";
import { fixes } from "./fixes.js";
import { bugVerdicts, verdicts } from "../run/oracle.js";
import type { ExploreReport, ExploreRun } from "./report.js";

type Verdict = ExploreRun["verdict"];

/** The bugs as paragraphs, worst first; then the verdict of each fault at each point. */
export function renderPretty(report: ExploreReport, style: Style): string {
  const blocks = [
    ...groupBugs(report).map((group) => renderBugs(group, style)),
    renderMatrix(report.runs, style),
    report.notes.flatMap((note) => wrapText(note, style.width, 6, "Note: ")).map(style.faint),
    [renderSum(report, style)],
  ].filter((lines) => lines.length > 0);
  return blocks.map((lines) => `${lines.join("\n")}\n`).join("\n");
}

/** A bug, and others with the same fix. */
interface BugGroup {
  readonly first: ExploreRun;
  readonly others: readonly ExploreRun[];
}

/** The worst bugs come first. A program that crashes or hangs at one fault does so at most of them, so all such runs are one group. */
function groupBugs({ runs }: Pick<ExploreReport, "runs">): BugGroup[] {
  const bugs = [...bugVerdicts, "flaky" as const].flatMap((verdict) => runs.filter((run) => run.verdict === verdict));
  const groups = groupBy(bugs, ({ verdict, fault, point, effect }) => {
    const kind = [point.operation ?? point.topic, fixes[fault], effect.added.length > 0];
    return JSON.stringify(verdict === "unsafe" || verdict === "lost" ? [verdict, ...kind] : [verdict]);
  });
  return [...groups.values()].flatMap(([first, ...others]) => (first === undefined ? [] : { first, others }));
}

/** `answer-lost at createTransaction#1 (salary-awa)` */
function titleOf(run: ExploreRun): string {
  const before = run.after === null ? "" : `${run.after.fault} at ${run.after.point}, then `;
  const { name, about } = run.point;
  return `${before}${run.fault} at ${name}${about === "" ? "" : ` (${oneLine(about)})`}`;
}

function renderBugs({ first: run, others }: BugGroup, style: Style): string[] {
  const { verdict, summary, requests, fix, repeat, output } = run;
  const indented = (text: string, label = ""): string[] =>
    wrapText(oneLine(text), style.width, 2 + label.length, `  ${label}`);
  return [
    `${paintOf(verdict, style)(verdict)}  ${style.strong(titleOf(run))}`,
    ...indented(summary),
    ...requests.map((request) => style.faint(`    ${oneLine(request)}`)),
    ...(fix === null ? [] : indented(fix, "Fix: ")),
    // Not wrapped, so that they can be copied.
    ...(repeat === null ? [] : [`  Repeat: ${repeat}`]),
    ...(output === null ? [] : [`  Printed: ${output}`]),
    ...(others.length === 0 ? [] : indented(listOthers(others), "Also ")),
  ];
}

const OTHERS_MAX = 6;

/** `500-after at createTransaction#2 (salary-awa): 04; 503 at …; 7 more` */
function listOthers(others: readonly ExploreRun[]): string {
  const shown = others.slice(0, OTHERS_MAX).map((other) => `${titleOf(other)}: ${other.id}`);
  return [...shown, ...(others.length > OTHERS_MAX ? [`${others.length - OTHERS_MAX} more`] : [])].join("; ");
}

const marks: Readonly<Record<Verdict, string>> = {
  unsafe: "U",
  lost: "L",
  hung: "H",
  crashed: "C",
  flaky: "?",
  noticed: "n",
  safe: "·",
};

/** A line for each point, a column for each fault. A fault that was run several times, after others, has its worst mark. */
function renderMatrix(runs: readonly ExploreRun[], style: Style): string[] {
  if (runs.length === 0) return [];
  const faults = faultNames.filter((name) => runs.some(({ fault }) => fault === name));
  const points = [...new Set(runs.map(({ point }) => point.name))];
  const width = Math.max(...points.map((name) => name.length));
  const letters = faults.map((_, at) => String.fromCodePoint("a".codePointAt(0)! + at));
  const cell = (point: string, fault: string): string => {
    const found = runs.filter((run) => run.point.name === point && run.fault === fault).map(({ verdict }) => verdict);
    const worst = orderedVerdicts.find((verdict) => found.includes(verdict));
    return worst === undefined ? " " : paintOf(worst, style)(marks[worst]);
  };
  const used = orderedVerdicts.filter((verdict) => runs.some((run) => run.verdict === verdict));
  return [
    style.faint(`${" ".repeat(width)}  ${letters.join(" ")}`),
    ...points.map((point) => `${point.padEnd(width)}  ${faults.map((fault) => cell(point, fault)).join(" ")}`),
    "",
    ...wrapText(faults.map((fault, at) => `${letters[at]}\u00A0${fault}`).join("  "), style.width).map(style.faint),
    style.faint(used.map((verdict) => `${marks[verdict]} ${verdict}`).join("  ")),
  ];
}

const orderedVerdicts: readonly Verdict[] = [...bugVerdicts, "flaky", "noticed", "safe"];

function paintOf(verdict: Verdict, style: Style): (text: string) => string {
  if (verdict === "unsafe" || verdict === "lost") return style.bad;
  if (verdict === "safe") return style.good;
  return verdict === "noticed" ? style.faint : style.warning;
}

/** `2 unsafe, 14 safe: 16 faults; 3 more are equivalent` */
export function renderSum({ runs, counts, stopped }: ExploreReport, style: Style): string {
  const parts = [...verdicts, "flaky" as const].flatMap((verdict) =>
    counts[verdict] === 0 ? [] : [paintOf(verdict, style)(`${counts[verdict]} ${verdict}`)],
  );
  const equivalent = counts.equivalent === 0 ? "" : `; ${counts.equivalent} more would do the same as one of them`;
  const early = stopped === null ? "" : `; stopped early by ${reasons[stopped]}`;
  const sum = `${pluralize(runs.length, "fault")}${equivalent}${early}`;
  return parts.length === 0 ? sum : `${parts.join(", ")}: ${sum}`;
}

const reasons = { time: "--time", "max-runs": "--max-runs", signal: "a signal" } as const;

/** A line of progress. */
export function renderRun(run: ExploreRun, style: Style): string {
  return `${paintOf(run.verdict, style)(run.verdict.padEnd(7))}  ${titleOf(run)}`;
}

/** A page for a pull request. */
export function renderMarkdown(report: ExploreReport): string {
  const { command, baseline, runs, notes } = report;
  const { requests, deliveries, ms } = baseline;
  const groups = groupBugs(report);
  return (
    [
      `# explore: ${groups.length === 0 ? "no bug found" : renderSum(report, plainStyle)}`,
      `\`${command.join(" ")}\`: ${requests} requests and ${deliveries} webhooks in ${ms} ms without a fault.`,
      ...groups.map(renderMarkdownBugs),
      ...(runs.length === 0 ? [] : ["## All faults", renderMarkdownTable(runs)]),
      ...notes.map((note) => `> ${note}`),
    ].join("\n\n") + "\n"
  );
}

function renderMarkdownBugs({ first, others }: BugGroup): string {
  const { verdict, summary, fix, repeat } = first;
  return [
    `## ${verdict}: ${escapeMarkdown(titleOf(first))}`,
    escapeMarkdown(oneLine(summary)),
    ...(fix === null ? [] : [`**Fix:** ${escapeMarkdown(oneLine(fix))}`]),
    ...(repeat === null ? [] : [`\`\`\`sh\n${repeat}\n\`\`\``]),
    ...(others.length === 0 ? [] : [`Also ${escapeMarkdown(listOthers(others))}.`]),
  ].join("\n\n");
}

function renderMarkdownTable(runs: readonly ExploreRun[]): string {
  const rows = runs.map((run) => `| ${run.id} | ${escapeMarkdown(titleOf(run))} | ${run.verdict} |`);
  return ["| Run | Fault | Verdict |", "|---|---|---|", ...rows].join("\n");
}

function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>|#]/g, String.raw`\$&`);
}

/** JUnit XML: a case for each fault. Bugs that fail the run are failures, others are output. */
export function renderJunit(report: ExploreReport, failOn: readonly string[]): string {
  const cases = report.runs.map((run) => ({
    name: titleOf(run),
    className: `explore.${run.point.name}`,
    durationMs: run.ms,
    result: junitResult(run, failOn),
  }));
  const durationMs = report.runs.reduce((sum, { ms }) => sum + ms, report.baseline.ms);
  return renderJunitXml("sandbox explore", durationMs, [{ name: `explore ${report.command.join(" ")}`, cases }]);
}

function junitResult(
  { verdict, summary, fix, repeat }: ExploreRun,
  failOn: readonly string[],
): JunitResult | undefined {
  if (verdict === "safe") return undefined;
  const text = printable([summary, fix, repeat].filter((part) => part !== null).join("\n"));
  if (!failOn.includes(verdict)) return { tag: "system-out", text: `${verdict}: ${text}` };
  return { tag: "failure", message: oneLine(summary), type: verdict, text };
}
