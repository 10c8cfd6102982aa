import { oneLine, printable } from "../../kernel/printable.js";
import { bugs } from "../checks/bugs.js";
import type { CheckResult } from "../report.js";
import type { Style } from "./reporter.js";
import { wrapText } from "./wrap-text.js";

/** What a check that failed has to say: what was sent, what came back, why it matters, how to mend it. */
export function renderDetails(check: CheckResult, { width, faint }: Pick<Style, "width" | "faint">): string[] {
  const { title, sent, seen, why, fix, schedule, scenario } = check;
  const rows: readonly (readonly [string, string | null])[] = [
    ["Expected", title],
    ["Sent", sent],
    ["Came back", cameBack(check)],
    // Mostly it says of both what they say themselves.
    ["Seen", sent !== null && seen?.startsWith(sent) === true ? null : seen],
    ["Deliveries", schedule === null ? null : schedule.join("; then ")],
    ["Why", why],
    ["Often", bugs[check.id] ?? null],
    ["Mend it", fix],
  ];
  const lines = rows.flatMap(([label, text]) => {
    if (text === null) return [];
    const [first = "", ...rest] = wrapText(oneLine(text), width - LABEL_WIDTH);
    return [faint(label.padEnd(LABEL_WIDTH)) + first, ...rest.map((line) => " ".repeat(LABEL_WIDTH) + line)];
  });
  const story = scenario === null ? [] : [faint("As a scenario:"), ...printable(scenario).trimEnd().split("\n")];
  return [...lines, ...story.map((line, index) => (index === 0 ? line : `  ${line}`))];
}

const LABEL_WIDTH = 12;

/** `200 "ok" in 3 ms`, or why nothing came. */
export function cameBack({ received, error }: Pick<CheckResult, "received" | "error">): string | null {
  if (received === null) return error === null ? null : `nothing: ${error}`;
  const { status, location, body, latencyMs } = received;
  const where = location === null ? "" : ` to ${location}`;
  const text = oneLine(body);
  const quoted = text === "" ? "" : ` "${text.length > BODY_SHOWN ? `${text.slice(0, BODY_SHOWN)}…` : text}"`;
  return `${status}${where}${quoted} after ${latencyMs} ms`;
}

const BODY_SHOWN = 120;
