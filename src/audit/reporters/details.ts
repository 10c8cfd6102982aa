import type { AuditReport, CheckResult } from "./report.js";
import { oneLine, printable } from "../../kernel/printable.js";
import { bugs } from "../checks/bugs.js";

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

/** Lines of at most `width` characters, broken at spaces; a longer word has a line of its own. */
export function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (longer.length <= width || line === "") line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

export interface Style {
  /** Columns of the terminal. */
  readonly width: number;
  readonly good: Paint;
  readonly bad: Paint;
  readonly warning: Paint;
  readonly strong: Paint;
  readonly faint: Paint;
}

type Paint = (text: string) => string;

export type Reporter = (report: AuditReport, style: Style) => string;
