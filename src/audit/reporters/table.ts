import { oneLine } from "../../kernel/printable.js";
import { checkGroups } from "../wire/check.js";
import type { AuditReport, AuditVerdict, CheckResult } from "./report.js";
import { groupTitles } from "../check-list.js";
import { type Style, wrapText } from "./details.js";

export const marks: Readonly<Record<AuditVerdict, string>> = { pass: "✓", fail: "✗", warn: "!", skipped: "-" };
/** Between columns, and as wide as a mark with its space. */
export const GAP = "  ";
/** In a narrower terminal there is no room for how long answers took. */
const WIDTH_FOR_TIMES = 90;

/** All checks, by group: what was sent, and what came back. */
export function renderTable({ checks }: AuditReport, style: Style): string[] {
  const groups = checkGroups
    .map((group) => ({ title: groupTitles[group], members: checks.filter((check) => check.group === group) }))
    .filter(({ members }) => members.length > 0)
    .map(({ title, members }) => ({ title, members, reason: commonReason(members) }));
  const shown = groups.flatMap(({ members, reason }) => (reason === undefined ? members : []));
  const columns = columnsFor(shown, style.width);
  const lines = groups.flatMap(({ title, members, reason }) => [
    "",
    style.strong(title),
    ...(reason === undefined
      ? members.flatMap((check) => renderRow(check, columns, style))
      : renderReason(reason, style)),
  ]);
  const header = style.faint(renderLine(columns, ["", "check", "sent", "answer", ""]));
  return [...(shown.length === 0 ? [] : [header]), ...lines.slice(1)];
}

/** How wide each column is. */
interface Columns {
  readonly id: number;
  readonly sent: number;
  /** 0: left out. */
  readonly time: number;
}

const STATUS_WIDTH = "answer".length;

function columnsFor(checks: readonly CheckResult[], width: number): Columns {
  const id = Math.max("check".length, ...checks.map((check) => check.id.length));
  const time = width < WIDTH_FOR_TIMES ? 0 : 9;
  return { id, time, sent: width - id - STATUS_WIDTH - time - 3 * GAP.length };
}

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
    // Why is told nowhere else, so it is not cut.
    const start = `${marks.skipped.padEnd(GAP.length)}${id.padEnd(columns.id)}${GAP}`;
    const lines = wrapText(oneLine(`skipped: ${seen ?? ""}`), style.width - start.length);
    return lines.map((line, index) => paint((index === 0 ? start : " ".repeat(start.length)) + line));
  }
  const sent = causedBy === null ? (check.sent ?? seen ?? "") : `a consequence of ${causedBy}`;
  const status = received === null ? (error === null ? "" : "none") : String(received.status);
  const time = received === null ? "" : `${received.latencyMs} ms`;
  return [paint(renderLine(columns, [marks[verdict], id, oneLine(sent), status, time]))];
}

/** What passed has a coloured mark, what did not a coloured line. */
export function paintOf(verdict: AuditVerdict, style: Style): (text: string) => string {
  switch (verdict) {
    case "pass":
      return (text) => style.good(text.slice(0, 1)) + text.slice(1);
    case "fail":
      return style.bad;
    case "warn":
      return style.warning;
    case "skipped":
      return style.faint;
  }
}

/** Why none of several checks was made, where that is the same for all. */
function commonReason(checks: readonly CheckResult[]): string | undefined {
  const [reason, ...others] = new Set(
    checks.map(({ verdict, seen, causedBy }) => (verdict === "skipped" && causedBy === null ? seen : null)),
  );
  return checks.length > 1 && others.length === 0 ? (reason ?? undefined) : undefined;
}

function renderReason(reason: string, style: Style): string[] {
  const lines = wrapText(`all skipped: ${reason}`, style.width - GAP.length);
  return lines.map((line, index) => style.faint(`${index === 0 ? marks.skipped : " "} ${line}`));
}
