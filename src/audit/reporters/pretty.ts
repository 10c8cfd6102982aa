import { oneLine } from "../../kernel/messages/text.js";
import type { Style } from "../../kernel/messages/report.js";
import { type Reporter, renderDetails, wrapText } from "./details.js";
import { type AuditReport, type AuditVerdict, type CheckResult, byGroup, isBroken } from "./report.js";
import { languageNames, snippetLanguages, snippets } from "../checks/snippets.js";
import type { SnippetName } from "../wire/check.js";

/** A table of all checks, the details of those that failed, the code that fixes them, and the sum. */
export const renderPretty: Reporter = (report, style) => {
  const broken = report.checks.filter(isBroken);
  const names = new Set(broken.flatMap(({ snippet }) => snippet ?? []));
  const blocks = [
    ...renderAdvice(report, style),
    renderTable(report, style),
    ...broken.map((check) => renderBroken(check, style)),
    ...[...names].map((name) => renderSnippet(name, style)),
    [renderSum(report, style)],
  ];
  return blocks.map((lines) => `${lines.join("\n")}\n`).join("\n");
};

/** First, since most other checks depend on it. */
function renderAdvice({ receiver, accepted, advice }: AuditReport, style: Style): string[][] {
  if (accepted) return [];
  const items = advice.flatMap((item, index) => wrapText(`${item}.`, style.width, 5, `  ${index + 1}. `));
  const intro = `${receiver} does not accept an ordinary event with the right signature. Look at, in this order:`;
  return [[...wrapText(intro, style.width).map(style.bad), ...items]];
}

function renderBroken(check: CheckResult, style: Style): string[] {
  const heading = `${marks[check.verdict]} ${check.id} (${check.severity})`;
  const details = renderDetails(check, { ...style, width: style.width - GAP.length });
  return [paintOf(check.verdict, style)(heading), ...details.map((line) => GAP + line)];
}

function renderSnippet(name: SnippetName, style: Style): string[] {
  const { title, code } = snippets[name];
  return snippetLanguages.flatMap((language, index) => [
    ...(index === 0 ? [] : [""]),
    style.strong(`${title}, in ${languageNames[language]}:`),
    "",
    ...code[language].split("\n").map((line) => (line === "" ? "" : GAP + line)),
  ]);
}

/** `2 failed (1 critical), 1 warning, 29 passed, 2 skipped: 68 requests in 0.42 s` */
export function renderSum({ checks, counts, requests, durationMs }: AuditReport, style: Style): string {
  const critical = checks.filter(({ verdict, severity }) => verdict === "fail" && severity === "critical").length;
  const parts = [
    counts.fail === 0 ? "" : style.bad(`${counts.fail} failed${critical === 0 ? "" : ` (${critical} critical)`}`),
    counts.warn === 0 ? "" : style.warning(`${counts.warn} warning${counts.warn === 1 ? "" : "s"}`),
    counts.pass === 0 ? "" : style.good(`${counts.pass} passed`),
    counts.skipped === 0 ? "" : `${counts.skipped} skipped`,
  ].filter((part) => part !== "");
  const cost = style.faint(`${requests} request${requests === 1 ? "" : "s"} in ${(durationMs / 1000).toFixed(2)} s`);
  return `${parts.join(", ")}: ${cost}`;
}

const marks: Readonly<Record<AuditVerdict, string>> = { pass: "✓", fail: "✗", warn: "!", skipped: "-" };
/** Between columns, and as wide as a mark with its space. */
const GAP = "  ";
/** A narrower terminal has no room for how long answers took. */
const WIDTH_FOR_TIMES = 90;
const STATUS_WIDTH = "answer".length;

/** All checks, by group: what was sent, and what came back. */
export function renderTable({ checks }: AuditReport, style: Style): string[] {
  const groups = byGroup(checks).map((group) => ({ ...group, reason: commonReason(group.checks) }));
  const shown = groups.flatMap((group) => (group.reason === undefined ? group.checks : []));
  const columns = columnsFor(shown, style.width);
  const lines = groups.flatMap(({ title, checks: members, reason }) => [
    "",
    style.strong(title),
    ...(reason === undefined
      ? members.flatMap((check) => renderRow(check, columns, style))
      : wrapText(`all skipped: ${reason}`, style.width, 2, `${marks.skipped} `).map(style.faint)),
  ]);
  const header = style.faint(renderLine(columns, ["", "check", "sent", "answer", ""]));
  return [...(shown.length === 0 ? [] : [header]), ...lines.slice(1)];
}

/** The width of each column. `time` is 0 when that column is left out. */
function columnsFor(checks: readonly CheckResult[], width: number) {
  const id = Math.max("check".length, ...checks.map((check) => check.id.length));
  const time = width < WIDTH_FOR_TIMES ? 0 : 9;
  return { id, time, sent: width - id - STATUS_WIDTH - time - 3 * GAP.length };
}

type Columns = ReturnType<typeof columnsFor>;
type Cells = readonly [mark: string, id: string, sent: string, status: string, time: string];

function renderLine({ id, sent, time }: Columns, cells: Cells): string {
  const text = cells[2].length > sent ? `${cells[2].slice(0, sent - 1)}…` : cells[2];
  const start = `${cells[0].padEnd(GAP.length)}${cells[1].padEnd(id)}${GAP}${text.padEnd(sent)}${GAP}`;
  return (start + cells[3].padEnd(STATUS_WIDTH) + (time === 0 ? "" : cells[4].padStart(time))).trimEnd();
}

function renderRow(check: CheckResult, columns: Columns, style: Style): string[] {
  const { id, verdict, seen, causedBy, received, error } = check;
  const paint = paintOf(verdict, style);
  if (verdict === "skipped" && causedBy === null) {
    // The reason appears only here, so it is not cut.
    const start = `${marks.skipped.padEnd(GAP.length)}${id.padEnd(columns.id)}${GAP}`;
    return wrapText(oneLine(`skipped: ${seen ?? ""}`), style.width, start.length, start).map(paint);
  }
  const sent = causedBy === null ? (check.sent ?? seen ?? "") : `a consequence of ${causedBy}`;
  const status = received === null ? (error === null ? "" : "none") : String(received.status);
  const time = received === null ? "" : `${received.latencyMs} ms`;
  return [paint(renderLine(columns, [marks[verdict], id, oneLine(sent), status, time]))];
}

/** A check that passed has a coloured mark, any other a coloured line. */
function paintOf(verdict: AuditVerdict, style: Style): (text: string) => string {
  return {
    pass: (text: string) => style.good(text.slice(0, 1)) + text.slice(1),
    fail: style.bad,
    warn: style.warning,
    skipped: style.faint,
  }[verdict];
}

/** The reason why none of several checks was run, if it is the same for all. */
function commonReason(checks: readonly CheckResult[]): string | undefined {
  const [reason, ...others] = new Set(
    checks.map(({ verdict, seen, causedBy }) => (verdict === "skipped" && causedBy === null ? seen : null)),
  );
  return checks.length > 1 && others.length === 0 ? (reason ?? undefined) : undefined;
}
