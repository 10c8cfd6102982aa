import { oneLine, printable } from "../../kernel/messages/text.js";
import type { Style } from "../../kernel/messages/report.js";
import { bugs } from "../checks/bugs.js";
import type { AuditReport, CheckResult } from "./report.js";

export type Reporter = (report: AuditReport, style: Style) => string;

/** All about a check that failed: what was sent, what came back, why it matters, how to fix it. */
export function renderDetails(check: CheckResult, { width, faint }: Pick<Style, "width" | "faint">): string[] {
  const { title, sent, seen, why, fix, schedule, scenario } = check;
  const rows: readonly (readonly [string, string | null])[] = [
    ["Expected", title],
    ["Sent", sent],
    ["Came back", cameBack(check)],
    // It mostly repeats the two lines above.
    ["Seen", sent !== null && seen?.startsWith(sent) === true ? null : seen],
    ["Deliveries", schedule === null ? null : schedule.join("; then ")],
    ["Why", why],
    ["Often", bugs[check.id] ?? null],
    ["Mend it", fix],
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
  const quoted = text === "" ? "" : ` "${text.length > BODY_SHOWN ? `${text.slice(0, BODY_SHOWN)}…` : text}"`;
  return `${status}${where}${quoted} after ${latencyMs} ms`;
}

/**
 * Lines of at most `width` characters, broken at spaces; a longer word has a line to itself. The first line begins with `start`, the others with `indent`
 * spaces.
 */
export function wrapText(text: string, width: number, indent = 0, start = " ".repeat(indent)): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (longer.length <= width - indent || line === "") line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line].map((each, index) => (index === 0 ? start : " ".repeat(indent)) + each);
}
