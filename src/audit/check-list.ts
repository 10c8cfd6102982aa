import { UsageError } from "../kernel/problem.js";
import { didYouMean } from "../kernel/suggest.js";
import { type Check, type CheckGroup, type CheckInfo, checkGroups } from "./wire/check.js";
import { stateChecks } from "./state/state-checks.js";
import { forgedChecks } from "./checks/forged.js";
import { genuineChecks } from "./checks/genuine.js";
import { robustChecks } from "./checks/robust.js";
import { bugs } from "./checks/bugs.js";
import { type Style, wrapText } from "./reporters/details.js";

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

/** In the order in which they run and are reported. */
export const allChecks: readonly Check[] = [...genuineChecks, ...forgedChecks, ...robustChecks, ...stateChecks];

/**
 * The checks that `only` names, or all, without those that `skip` names. Both take ids and groups.
 *
 * Throws UsageError("input") for a name that is none, and when nothing is left.
 */
export function selectChecks(
  checks: readonly Check[],
  only: readonly string[] | undefined,
  skip: readonly string[] = [],
): Check[] {
  const names: readonly string[] = [...checks.map(({ id }) => id), ...checkGroups];
  const wrong = [...(only ?? []), ...skip].filter((name) => !names.includes(name));
  if (wrong.length > 0) {
    const messages = wrong.map((name) => `There is no check "${name}".${didYouMean(name, names)}`);
    throw new UsageError("input", [...messages, "`sandbox audit --list` shows all checks."]);
  }
  const isNamed = ({ id, group }: Check, list: readonly string[]): boolean => list.includes(id) || list.includes(group);
  const selected = checks.filter((check) => (only === undefined || isNamed(check, only)) && !isNamed(check, skip));
  if (selected.length > 0) return selected;
  throw new UsageError("input", "Failed to audit: --only and --skip leave no check to run.");
}
