import type { Drift } from "../report/report.js";
import { hideCredentials } from "../recording/credentials.js";
import { groupBy } from "../../kernel/collections.js";
import type { FoundDifference } from "../replay/compare.js";
import type { Track } from "./bench.js";

/** The remaining differences, grouped by operation or topic and place; the most frequent first. */
export function groupDrift(differences: readonly FoundDifference[], tracks: readonly Track[]): Drift[] {
  return [...groupBy(differences, nameDrift).values()]
    .map((group): Drift => {
      const first = group[0]!;
      const count = new Set(group.map(({ exchange }) => exchange)).size;
      const compared = tracks.reduce((sum, { current }) => sum + (current.compared.get(first.subject) ?? 0), 0);
      return driftOf(first, count, compared);
    })
    .toSorted((a, b) => b.count - a.count);
}

/** Equal for differences of the same kind at the same place. */
export function nameDrift({ subject, pointer, kind, expected, got }: FoundDifference): string {
  // A 422 for a 400 is another change than a 400 for a 409.
  const statuses = kind === "status" ? ` ${JSON.stringify([expected, got])}` : "";
  return `${subject} ${kind} ${generalize(pointer)}${statuses}`;
}

/** `count` is in how many of the `of` compared answers or webhooks the difference is. */
export function driftOf(first: FoundDifference, count: number, of: number): Drift {
  const { subject, pointer, kind } = first;
  const isOperation = /^\S+ \//.test(subject);
  return {
    operation: isOperation ? subject : null,
    topic: isOperation ? null : subject,
    pointer: generalize(pointer),
    kind,
    count,
    of: Math.max(count, of),
    example: exampleOf(first),
  };
}

/** Both sides of a difference, without credentials. */
export function exampleOf({ exchange, pointer, expected, got }: FoundDifference): Drift["example"] {
  // No header that is compared holds a credential: of a signature, a difference has only the verdict.
  if (pointer.startsWith("/headers/")) return { exchange, expected, got };
  return { exchange, expected: hideCredentials(expected, pointer), got: hideCredentials(got, pointer) };
}

/** Replaces the index of a list item by `*`. */
function generalize(pointer: string): string {
  return pointer.replaceAll(/\/\d+(?=\/|$)/g, "/*");
}
