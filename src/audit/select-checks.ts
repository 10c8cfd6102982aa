import { UsageError } from "../kernel/problem.js";
import { didYouMean } from "../kernel/suggest.js";
import { checkGroups } from "./check-info.js";
import type { Check } from "./check.js";

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
