import { oneLine } from "../../kernel/messages/text.js";
import type { Style } from "../../kernel/messages/report.js";
import { wrapText } from "./details.js";
import { type AuditReport, type AuditVerdict, type CheckResult, byGroup } from "./report.js";

export const marks: Readonly<Record<AuditVerdict, string>> = { pass: "✓", fail: "✗", warn: "!", skipped: "-" };
/** Between columns, and as wide as a mark with its space. */
export const GAP = "  ";
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

/** How wide each column is; `time` is 0 when that column is left out. */
interface Columns {
  readonly id: number;
  readonly sent: number;
  readonly time: number;
}

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
export function paintOf(verdict: AuditVerdict, style: Style): (text: string) => string {
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
