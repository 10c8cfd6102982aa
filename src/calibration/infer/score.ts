import type { Json } from "../../kernel/messages/json.js";
import type { FoundDifference } from "../replay/replay.js";

/**
 * How much differs. An answer of another outcome, and a webhook that only one side sends, hide what else would differ in it, so they weigh more than
 * any field: no setting may explain a field away by making the sandbox refuse the request.
 */
export function weigh(differences: readonly FoundDifference[]): number {
  return differences.reduce((sum, difference) => sum + weightOf(difference), 0);
}

const HIDING = 1_000;

function weightOf({ pointer, kind, expected, got }: FoundDifference): number {
  const isOtherOutcome = kind === "status" && Number(expected) >= 300 !== Number(got) >= 300;
  if (isOtherOutcome || pointer === "") return HIDING;
  return Math.max(leavesOf(expected), leavesOf(got));
}

/** How many fields a difference hides. */
function leavesOf(value: Json): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, member: Json) => sum + leavesOf(member), 1);
}

export function nameOf({ exchange, pointer, kind }: FoundDifference): string {
  return `${exchange} ${kind} ${pointer}`;
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
