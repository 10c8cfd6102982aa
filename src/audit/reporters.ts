import { type JunitResult, renderJunit as renderJunitXml, type Style } from "../kernel/messages/report.js";
import { oneLine, printable, shorten, wrapText, pluralize } from "../kernel/messages/text.js";
import { bugs } from "./checks/bugs.js";
import { languageNames, snippetFor, snippetLanguages } from "./checks/snippets.js";
import { type AuditReport, type AuditVerdict, byGroup, type CheckResult, isBroken } from "./report.js";
import type { SnippetName } from "./wire/check.js";

export type Reporter = (report: AuditReport, style: Style) => string;

/** A table of all checks, the details of those that failed, the code that fixes them, and the sum. */
export const renderPretty: Reporter = (report, style) => {
  const broken = report.checks.filter(isBroken);
  const names = new Set(broken.flatMap(({ snippet }) => snippet ?? []));
  const blocks = [
    ...renderReasons(report, style),
    ...renderAdvice(report, style),
    renderTable(report, style),
    ...broken.map((check) => renderBroken(check, style)),
    ...[...names].map((name) => renderSnippet(name, report.header, style)),
    renderNotes(report, style),
    [renderSum(report, style)],
  ];
  return blocks.map((lines) => `${lines.join("\n")}\n`).join("\n");
};

/** These lines come first, because an audit that proves nothing has not passed. */
function renderReasons({ verdict, reasons }: AuditReport, style: Style): string[][] {
  if (verdict !== "inconclusive") return [];
  const intro = "Inconclusive: nothing failed, but what was asked for could not be judged.";
  return [[style.warning(intro), ...reasons.flatMap((reason) => wrapText(oneLine(reason), style.width, 4, "  - "))]];
}

function renderNotes({ notes }: AuditReport, style: Style): string[] {
  return notes.flatMap((note) => wrapText(oneLine(note), style.width, 6, "Note: ")).map(style.faint);
}

/** These lines come before the table, because most other checks depend on the ordinary event. */
function renderAdvice({ receiver, accepted, advice }: AuditReport, style: Style): string[][] {
  if (accepted || advice.length === 0) return [];
  const items = advice.flatMap((item, index) => wrapText(`${item}.`, style.width, 5, `  ${index + 1}. `));
  const intro = `${receiver} does not accept an ordinary event with the right signature. Check, in this order:`;
  return [[...wrapText(intro, style.width).map(style.bad), ...items]];
}

function renderBroken(check: CheckResult, style: Style): string[] {
  const heading = `${marks[check.verdict]} ${check.id} (${check.severity})`;
  const details = renderDetails(check, { ...style, width: style.width - GAP.length });
  return [paintOf(check.verdict, style)(heading), ...details.map((line) => GAP + line)];
}

function renderSnippet(name: SnippetName, header: string, style: Style): string[] {
  const { title, code } = snippetFor(name, header);
  return snippetLanguages.flatMap((language, index) => [
    ...(index === 0 ? [] : [""]),
    style.strong(`${title}, in ${languageNames[language]}:`),
    "",
    ...code[language].split("\n").map((line) => (line === "" ? "" : GAP + line)),
  ]);
}

/** `2 failed (1 critical), 1 warning, 29 passed, 2 skipped: 68 requests in 0.42 s` */
export function renderSum({ verdict, checks, counts, requests, durationMs }: AuditReport, style: Style): string {
  const critical = checks.filter(({ verdict, severity }) => verdict === "fail" && severity === "critical").length;
  const parts = [
    counts.fail === 0 ? "" : style.bad(`${counts.fail} failed${critical === 0 ? "" : ` (${critical} critical)`}`),
    counts.warn === 0 ? "" : style.warning(pluralize(counts.warn, "warning")),
    counts.pass === 0 ? "" : style.good(`${counts.pass} passed`),
    counts.skipped === 0 ? "" : `${counts.skipped} skipped`,
  ].filter((part) => part !== "");
  if (verdict === "inconclusive") parts.unshift(style.warning("inconclusive"));
  const cost = style.faint(`${pluralize(requests, "request")} in ${(durationMs / 1000).toFixed(2)} s`);
  return `${parts.join(", ")}: ${cost}`;
}

const marks: Readonly<Record<AuditVerdict, string>> = { pass: "✓", fail: "✗", warn: "!", skipped: "-" };
/** The gap between columns, which is as wide as a mark with its space. */
const GAP = "  ";
/** A narrower terminal gets no column for how long answers took. */
const WIDTH_FOR_TIMES = 90;
const STATUS_WIDTH = "answer".length;

/** All checks, by group: what was sent, and what came back. */
function renderTable({ checks }: AuditReport, style: Style): string[] {
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

/** Only the mark of a passed check is coloured; for others, the whole line is. */
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

/** All about a check that failed: what was sent, what came back, why it matters, how to fix it. */
function renderDetails(check: CheckResult, { width, faint }: Pick<Style, "width" | "faint">): string[] {
  const { title, sent, seen, why, fix, schedule, scenario } = check;
  const rows: readonly (readonly [string, string | null])[] = [
    ["Expected", title],
    ["Sent", sent],
    ["Came back", cameBack(check)],
    // Text that begins with the request mostly repeats the two lines above.
    ["Seen", sent !== null && seen?.startsWith(sent) === true ? null : seen],
    ["Deliveries", schedule === null ? null : schedule.join("; then ")],
    ["Why", why],
    ["Often", bugs[check.id] ?? null],
    ["Fix", fix],
  ];
  const lines = rows.flatMap(([label, text]) =>
    text === null ? [] : wrapText(oneLine(text), width, LABEL_WIDTH, faint(label.padEnd(LABEL_WIDTH))),
  );
  if (scenario === null) return lines;
  return [...lines, faint("As a scenario:"), ...printable(scenario.trimEnd()).replaceAll(/^/gm, "  ").split("\n")];
}

const LABEL_WIDTH = 12;
const BODY_SHOWN = 120;

/** `200 "ok" after 3 ms`, or why nothing came. */
export function cameBack({ received, error }: Pick<CheckResult, "received" | "error">): string | null {
  if (received === null) return error === null ? null : `nothing: ${error}`;
  const { status, location, body, latencyMs } = received;
  const where = location === null ? "" : ` to ${location}`;
  const text = oneLine(body);
  const quoted = text === "" ? "" : ` "${shorten(text, BODY_SHOWN)}"`;
  return `${status}${where}${quoted} after ${latencyMs} ms`;
}

/** JUnit XML: a suite for each group of checks, a case for each check. The details of a warning are output, not a failure. */
export const renderJunit: Reporter = ({ checks, receiver, durationMs }, style) => {
  const suites = byGroup(checks).map(({ id: group, checks: members }) => ({
    name: `audit ${group} ${receiver}`,
    cases: members.map((check) => ({
      name: `${check.id}: ${check.title}`,
      className: `audit.${group}`,
      durationMs: check.received?.latencyMs ?? 0,
      result: junitResult(check, style),
    })),
  }));
  return renderJunitXml("sandbox audit", durationMs, suites);
};

function junitResult(check: CheckResult, style: Style): JunitResult | undefined {
  const message = oneLine(check.seen ?? "");
  if (check.verdict === "pass") return undefined;
  if (check.verdict === "skipped") return { tag: "skipped", message };
  const text = printable(renderDetails(check, style).join("\n"));
  return check.verdict === "warn"
    ? { tag: "system-out", text }
    : { tag: "failure", message, type: check.severity, text };
}

/** The report as one JSON object; a check that failed carries the code that fixes it, by language. */
export const renderJson: Reporter = (report) => {
  const checks = report.checks.map(({ snippet, ...check }) => ({
    ...check,
    snippets: isBroken(check) && snippet !== null ? snippetFor(snippet, report.header).code : null,
  }));
  return `${JSON.stringify({ ...report, checks }, undefined, 2)}\n`;
};
