import { oneLine, wrapText } from "../../kernel/messages/text.js";
import type { Style } from "../../kernel/messages/report.js";
import { faultNames } from "./faults.js";
import { bugVerdicts, verdicts } from "../run/oracle.js";
import type { ExploreReport, ExploreRun } from "./report.js";

type Verdict = ExploreRun["verdict"];

/** The bugs as paragraphs, worst first; then what came of each fault at each point. */
export function renderPretty(report: ExploreReport, style: Style): string {
  const bugs = findBugs(report);
  const flaky = report.runs.filter(({ verdict }) => verdict === "flaky");
  const blocks = [
    ...[...bugs, ...flaky].map((run) => renderBug(run, style)),
    renderMatrix(report.runs, style),
    report.notes.flatMap((note) => wrapText(note, style.width, 6, "Note: ")).map(style.faint),
    [renderSum(report, style)],
  ].filter((lines) => lines.length > 0);
  return blocks.map((lines) => `${lines.join("\n")}\n`).join("\n");
}

/** Worst first. */
export function findBugs({ runs }: Pick<ExploreReport, "runs">): ExploreRun[] {
  return bugVerdicts.flatMap((verdict) => runs.filter((run) => run.verdict === verdict));
}

/** `answer-lost at createTransaction#1 (salary-awa)` */
export function titleOf({ fault, point, after }: ExploreRun): string {
  const before = after === null ? "" : `${after.fault} at ${after.point}, then `;
  return `${before}${fault} at ${point.name}${point.about === "" ? "" : ` (${oneLine(point.about)})`}`;
}

function renderBug(run: ExploreRun, style: Style): string[] {
  const { verdict, summary, requests, fix, repeat, output } = run;
  const indented = (text: string, label = ""): string[] =>
    wrapText(oneLine(text), style.width, 2 + label.length, `  ${label}`);
  return [
    `${paintOf(verdict, style)(verdict)}  ${style.strong(titleOf(run))}`,
    ...indented(summary),
    ...requests.map((request) => style.faint(`    ${oneLine(request)}`)),
    ...(fix === null ? [] : indented(fix, "Fix: ")),
    // One line each, to be copied.
    ...(repeat === null ? [] : [`  Repeat: ${repeat}`]),
    ...(output === null ? [] : [`  Printed: ${output}`]),
  ];
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

/** A line for each point, a column for each fault. A second fault has the worst mark of all that it followed. */
export function renderMatrix(runs: readonly ExploreRun[], style: Style): string[] {
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
  const equivalent = counts.equivalent === 0 ? "" : `; ${counts.equivalent} more do the same as one of them`;
  const early = stopped === null ? "" : `; stopped early by ${reasons[stopped]}`;
  const sum = `${runs.length} fault${runs.length === 1 ? "" : "s"}${equivalent}${early}`;
  return parts.length === 0 ? sum : `${parts.join(", ")}: ${sum}`;
}

const reasons = { time: "--time", "max-runs": "--max-runs", signal: "a signal" } as const;

/** A line of progress. */
export function renderRun(run: ExploreRun, style: Style): string {
  return `${paintOf(run.verdict, style)(run.verdict.padEnd(7))}  ${titleOf(run)}`;
}

export function renderJson(report: ExploreReport): string {
  return `${JSON.stringify(report, undefined, 2)}\n`;
}
