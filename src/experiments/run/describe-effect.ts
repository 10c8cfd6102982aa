import { countBy } from "../../kernel/collections.js";
import type { Effect, Fact } from "./effect.js";
import type { RunResult } from "./experiment.js";
import type { Baseline } from "./oracle.js";

/** Sentences about money that moved, or did not move, unlike in the baseline. Empty when effects cannot be compared. */
export function describeEffect(
  { added, missing }: Effect,
  { key }: Pick<Baseline, "key">,
  { seen }: RunResult,
): string {
  if (key === undefined) return "";
  const unique = (facts: readonly Fact[]): Fact[] => [...new Map(facts.map((fact) => [key(fact), fact])).values()];
  const often = countBy(seen.facts, (fact) => key(fact.kind === "pending" ? { ...fact, kind: "transfer" } : fact));
  const times = (fact: Fact): number => often.get(key(fact)) ?? 0;
  const more = unique(added);
  // Facts about an order or recipient that has another amount in the baseline, with the baseline's fact.
  const subjectOf = ({ kind, of }: Fact): string => `${kind} ${of}`;
  const usualOf = new Map(missing.toReversed().map((fact) => [subjectOf(fact), fact]));
  const replaced = new Map(
    more.flatMap((fact) => {
      const usual = usualOf.get(subjectOf(fact));
      return usual === undefined ? [] : [[fact, usual] as const];
    }),
  );
  const isReplaced = new Set(replaced.values());
  const less = unique(missing).filter((fact) => !isReplaced.has(fact));
  return [
    ...more.map((fact) => describeAdded(fact, times(fact), replaced.get(fact))),
    ...less.map(describeMissing),
  ].join(" ");
}

function describeAdded({ kind, of, amount }: Fact, times: number, usual: Fact | undefined): string {
  const often = times === 1 ? "" : times === 2 ? " twice" : ` ${times} times`;
  const alone = times === 1 ? ", which does not happen otherwise" : "";
  const unlike = usual === undefined ? alone : ` instead of ${money(usual.amount)}`;
  if (kind === "payment") return `${of} was paid ${money(amount)}${often}${unlike}.`;
  if (kind === "refund") return `${money(amount)} of ${of} was refunded${often}${unlike}.`;
  return `${of} received ${money(amount)}${often}${unlike}.`;
}

function describeMissing({ kind, of, amount }: Fact): string {
  if (kind === "charge") return `The charge ${of} of ${money(amount)} was not made.`;
  if (kind === "payment") return `${of} was not paid (${money(amount)}).`;
  if (kind === "refund") return `${money(amount)} of ${of} was not refunded.`;
  return `${of} did not receive ${money(amount)}.`;
}

/** `150 000 XOF` */
function money(amount: number): string {
  return `${String(amount).replaceAll(/\B(?=(?:\d{3})+(?!\d))/g, " ")} XOF`;
}
