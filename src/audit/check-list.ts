import { UsageError } from "../kernel/messages/problem.js";
import type { Style } from "../kernel/messages/report.js";
import { didYouMean } from "../kernel/messages/suggest.js";
import { bugs } from "./checks/bugs.js";
import { forgedChecks } from "./checks/forged.js";
import { genuineChecks } from "./checks/genuine.js";
import { robustChecks } from "./checks/robust.js";
import { wrapText } from "../kernel/messages/text.js";
import { byGroup } from "./report.js";
import { type StateStage, stateChecks } from "./state/state-checks.js";
import { type Check, checkGroups, type CheckInfo } from "./wire/check.js";

/** All checks, in the order in which they run and are reported. */
export const allChecks: readonly Check<StateStage>[] = [
  ...genuineChecks,
  ...forgedChecks,
  ...robustChecks,
  ...stateChecks,
];

export function listChecks() {
  return allChecks.map(({ id, group, title, severity, why }) => {
    return { id, group, title, severity, why, bug: bugs[id] ?? null };
  });
}

/** `--list`: a line for each check, by group. */
export function renderCheckList({ width, strong, faint }: Style): string {
  const checks = listChecks();
  const idWidth = Math.max(...checks.map(({ id }) => id.length));
  const severityWidth = Math.max(...checks.map(({ severity }) => severity.length));
  const indent = 2 + idWidth + 2 + severityWidth + 2;
  const groups = byGroup(checks).map((group) => {
    const lines = group.checks.flatMap(({ id, severity, title }) =>
      wrapText(title, width, indent, `  ${id.padEnd(idWidth)}  ${faint(severity.padEnd(severityWidth))}  `),
    );
    return `${strong(group.title)} ${faint(`(${group.id})`)}\n${lines.join("\n")}\n`;
  });
  return groups.join("\n");
}

/**
 * The checks that `only` names, or all, without those that `skip` names. Both take ids and groups.
 *
 * Throws UsageError("input") for an unknown name, and when no check is left.
 */
export function selectChecks(only: readonly string[] | undefined, skip: readonly string[] = []): Check<StateStage>[] {
  const names: readonly string[] = [...allChecks.map(({ id }) => id), ...checkGroups];
  const wrong = [...(only ?? []), ...skip].filter((name) => !names.includes(name));
  if (wrong.length > 0) {
    const messages = wrong.map((name) => `There is no check "${name}".${didYouMean(name, names)}`);
    throw new UsageError("input", [...messages, "`npx business-payments-sandbox audit --list` shows all checks."]);
  }
  const isNamed = ({ id, group }: CheckInfo, list: readonly string[]): boolean =>
    list.includes(id) || list.includes(group);
  const selected = allChecks.filter((check) => (only === undefined || isNamed(check, only)) && !isNamed(check, skip));
  if (selected.length > 0) return selected;
  throw new UsageError("input", "Failed to audit: --only and --skip leave no check to run.");
}
