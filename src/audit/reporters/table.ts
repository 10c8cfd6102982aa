import { oneLine } from "../../kernel/printable.js";
import { checkGroups } from "../check.js";
import type { AuditReport, AuditVerdict, CheckResult } from "../report.js";
import { groupTitles } from "./check-list.js";
import type { Style } from "./reporter.js";
import { wrapText } from "./wrap-text.js";

export const marks: Readonly<Record<AuditVerdict, string>> = { pass: "✓", fail: "✗", warn: "!", skipped: "-" };
/** Between columns, and as wide as a mark with its space. */
export const GAP = "  ";
/** In a narrower terminal there is no room for how long answers took. */
const WIDTH_FOR_TIMES = 90;

/** All checks, by group: what was sent, and what came back. */
export function renderTable({ checks }: AuditReport, style: Style): string[] {
  const groups = checkGroups
    .map((group) => checks.filter((check) => check.group === group))
    .filter((members) => members.length > 0)
    .map((members) => ({ title: groupTitles[members[0]?.group ?? "genuine"], members, reason: commonReason(members) }));
  const shown = groups.flatMap(({ members, reason }) => (reason === undefined ? members : []));
  const rowOf = createRow(shown, style.width);
  const lines = groups.flatMap(({ title, members, reason }) => [
    "",
    style.strong(title),
    ...(reason === undefined
      ? members.flatMap((check) => renderRow(check, rowOf, style))
      : renderReason(reason, style)),
  ]);
  return [...(shown.length === 0 ? [] : [style.faint(rowOf("", "check", "sent", ["answer", ""]))]), ...lines.slice(1)];
}

type Row = (mark: string, id: string, sent: string, answer: readonly [status: string, time: string]) => string;

function createRow(checks: readonly CheckResult[], width: number): Row {
  const idWidth = Math.max("check".length, ...checks.map(({ id }) => id.length));
  const timeWidth = width < WIDTH_FOR_TIMES ? 0 : 9;
  const sentWidth = width - idWidth - "answer".length - timeWidth - 3 * GAP.length;
  return (mark, id, sent, [status, time]) => {
    const answer = status.padEnd("answer".length) + (timeWidth === 0 ? "" : time.padStart(timeWidth));
    const text = sent.length > sentWidth ? `${sent.slice(0, sentWidth - 1)}…` : sent;
    return `${mark.padEnd(GAP.length)}${id.padEnd(idWidth)}${GAP}${text.padEnd(sentWidth)}${GAP}${answer}`.trimEnd();
  };
}

function renderRow(check: CheckResult, row: Row, style: Style): string[] {
  const { id, verdict, seen, causedBy, received, error } = check;
  const paint = paintOf(verdict, style);
  const mark = marks[verdict];
  if (verdict === "skipped" && causedBy === null) {
    // Why is told nowhere else, so it is not cut.
    const start = row(mark, id, "|", ["", ""]).indexOf("|");
    const lines = wrapText(oneLine(`skipped: ${seen ?? ""}`), style.width - start);
    return lines.map((line, index) => paint((index === 0 ? row(mark, id, "", ["", ""]) : "").padEnd(start) + line));
  }
  const none = error === null ? "" : "none";
  const [status, time] = received === null ? [none, ""] : [String(received.status), `${received.latencyMs} ms`];
  const sent = causedBy === null ? (check.sent ?? seen ?? "") : `a consequence of ${causedBy}`;
  return [paint(row(mark, id, oneLine(sent), [status, time]))];
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
