import type { Json } from "../../kernel/messages/json.js";
import type { FoundDifference } from "../replay/compare.js";

/**
 * How much differs. An answer of another outcome, and a webhook that only one side sends, hide what else would differ in it, so they weigh more than
 * any field: no setting may explain a field away by making the sandbox refuse the request.
 */
export function weigh(differences: readonly FoundDifference[]): number {
  return differences.reduce((sum, difference) => sum + weightOf(difference), 0);
}

const HIDING = 1_000;

function weightOf(difference: FoundDifference): number {
  return hides(difference) ? HIDING : Math.max(leavesOf(difference.expected), leavesOf(difference.got));
}

/** Whether a difference hides what else would differ. */
export function hides({ pointer, kind, expected, got }: FoundDifference): boolean {
  const isOtherOutcome = kind === "status" && Number(expected) >= 300 !== Number(got) >= 300;
  return isOtherOutcome || (pointer === "" && kind !== "order");
}

/** How many fields a difference hides. */
function leavesOf(value: Json): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, member: Json) => sum + leavesOf(member), 1);
}

export function nameOf({ exchange, pointer, kind }: FoundDifference): string {
  return `${exchange.index} ${kind} ${pointer}`;
}

/** Those of `differences` that `others` has not. */
export function without(
  differences: readonly FoundDifference[],
  others: readonly FoundDifference[],
): FoundDifference[] {
  const names = new Set(others.map(nameOf));
  return differences.filter((difference) => !names.has(nameOf(difference)));
}

/** The differences of exchanges that `others` leaves without any. */
export function explainedBy(
  differences: readonly FoundDifference[],
  others: readonly FoundDifference[],
): FoundDifference[] {
  const left = new Set(others.map(({ exchange }) => exchange));
  return differences.filter(({ exchange }) => !left.has(exchange));
}
