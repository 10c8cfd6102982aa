import { bugs } from "../checks/bugs.js";
import { allChecks } from "../checks/all-checks.js";
import { type CheckGroup, type CheckInfo, checkGroups } from "../check-info.js";
import type { Style } from "./reporter.js";
import { wrapText } from "./wrap-text.js";

export const groupTitles: Readonly<Record<CheckGroup, string>> = {
  genuine: "Genuine events are to be accepted",
  forged: "Forged events are to be refused",
  robust: "Nothing is to bring the receiver down",
  state: "Each event is to count once",
};

export interface ListedCheck extends Pick<CheckInfo, "id" | "group" | "title" | "severity" | "why"> {
  /** The line of code that it is about, where there is one. */
  readonly bug: string | null;
}

/** What an audit can check, in the order in which it does. */
export function listChecks(): ListedCheck[] {
  return allChecks.map(({ id, group, title, severity, why }) => ({
    id,
    group,
    title,
    severity,
    why,
    bug: bugs[id] ?? null,
  }));
}

/** `--list`: a line for each check, by group. */
export function renderCheckList({ width, strong, faint }: Style): string {
  const checks = listChecks();
  const idWidth = Math.max(...checks.map(({ id }) => id.length));
  const severityWidth = Math.max(...checks.map(({ severity }) => severity.length));
  const indent = 2 + idWidth + 2 + severityWidth + 2;
  const groups = checkGroups.flatMap((group) => {
    const members = checks.filter((check) => check.group === group);
    if (members.length === 0) return [];
    const lines = members.flatMap(({ id, severity, title }) => {
      const [first = "", ...rest] = wrapText(title, width - indent);
      const start = `  ${id.padEnd(idWidth)}  ${faint(severity.padEnd(severityWidth))}  ${first}`;
      return [start, ...rest.map((line) => " ".repeat(indent) + line)];
    });
    return [`${strong(groupTitles[group])} ${faint(`(${group})`)}\n${lines.join("\n")}\n`];
  });
  return groups.join("\n");
}
