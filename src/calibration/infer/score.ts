import type { Json } from "../../kernel/messages/json.js";
import type { ExchangeName } from "../recording/entry.js";
import type { FoundDifference } from "../replay/compare.js";

/**
 * How much differs. An answer with another outcome, and a webhook that only one side sends, hide other differences, so they weigh more than any number of
 * fields: no setting may explain fields away by making the sandbox refuse the request.
 */
export function weigh(differences: readonly FoundDifference[]): number {
  const fields = new Map<ExchangeName, number>();
  let weight = 0;
  for (const difference of differences) {
    const { exchange } = difference;
    if (hides(difference)) weight += HIDING;
    else fields.set(exchange, (fields.get(exchange) ?? 0) + fieldsOf(difference));
  }
  return [...fields.values()].reduce((sum, count) => sum + weightOf(count), weight);
}

const HIDING = 1_000;
const FIELDS_IN_FULL = HIDING / 2;

/** The weight of the fields of one answer or webhook. It grows with their number, but stays below that of another outcome, even for a batch with thousands. */
function weightOf(fields: number): number {
  const more = Math.max(0, fields - FIELDS_IN_FULL);
  return fields - more + (FIELDS_IN_FULL * more) / (FIELDS_IN_FULL + more);
}

/** Whether a difference hides what else would differ. */
export function hides({ pointer, kind, expected, got }: FoundDifference): boolean {
  const isOtherOutcome = kind === "status" && Number(expected) >= 300 !== Number(got) >= 300;
  return isOtherOutcome || (pointer === "" && kind !== "order");
}

/** How many fields differ. In a reordered list no field does, so it counts as one. */
function fieldsOf({ kind, expected, got }: FoundDifference): number {
  return kind === "order" ? 1 : Math.max(leavesOf(expected), leavesOf(got));
}

/** How many fields a value has, itself included. */
function leavesOf(value: Json): number {
  if (typeof value !== "object" || value === null) return 1;
  return Object.values(value).reduce((sum: number, member: Json) => sum + leavesOf(member), 1);
}

function nameOf({ exchange, pointer, kind }: FoundDifference): string {
  return `${exchange.index} ${kind} ${pointer}`;
}

/** The differences that are not among the others. */
export function without(
  differences: readonly FoundDifference[],
  others: readonly FoundDifference[],
): FoundDifference[] {
  const names = new Set(others.map(nameOf));
  return differences.filter((difference) => !names.has(nameOf(difference)));
}

/** The differences of exchanges that have none among the others. */
export function explainedBy(
  differences: readonly FoundDifference[],
  others: readonly FoundDifference[],
): FoundDifference[] {
  const left = new Set(others.map(({ exchange }) => exchange));
  return differences.filter(({ exchange }) => !left.has(exchange));
}
