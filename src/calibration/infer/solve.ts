import { maxOf, minOf } from "../../kernel/collections.js";
import type { Json } from "../../kernel/messages/json.js";

/** A value that was sent, and whether it was refused. */
export interface Try {
  readonly value: number;
  readonly refused: boolean;
}

/** The limits between what was accepted and what was refused, the roundest first. */
export function solveLimit(tries: readonly Try[], end: "least" | "most"): readonly number[] {
  const accepted = tries.filter(({ refused }) => !refused).map(({ value }) => value);
  const refused = tries.filter((one) => one.refused).map(({ value }) => value);
  if (end === "most") {
    const from = maxOf([0, ...accepted]);
    const to = minOf(refused.filter((value) => value > from)) - 1;
    return Number.isFinite(to) ? [...new Set([roundest(from, to), from, to])] : accepted.length === 0 ? [] : [from];
  }
  const to = minOf(accepted);
  const from = maxOf([0, ...refused.filter((value) => value < to)]) + 1;
  return Number.isFinite(to) ? [...new Set([roundest(from, to), from, to])] : [];
}

/** The number with the fewest digits that are not 0. */
function roundest(from: number, to: number): number {
  for (let step = 10 ** 12; step > 1; step /= 10) {
    for (const part of [step, step / 2]) {
      const candidate = Math.ceil(from / part) * part;
      if (Number.isInteger(candidate) && candidate > 0 && candidate <= to) return candidate;
    }
  }
  return from;
}

/** An amount and its fee. */
export type FeePair = readonly [amount: number, fee: number];

/** `amount × rate + fixed` through all pairs, with the decimals that fit. */
export function solveFee(pairs: readonly FeePair[]): readonly Json[] {
  const sorted = [...new Map(pairs)].toSorted(([a], [b]) => a - b);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return [];
  const isFit = (line: FeeLine): boolean => decimalsThat(sorted, line, DECIMALS).length > 0;
  const sloped = first[0] === last[0] ? undefined : linesNear(first, last).find(isFit);
  const lines = [
    ...(last[0] === 0 ? [] : [{ rate: round(last[1] / last[0], 4), fixed: 0 }]),
    { rate: 0, fixed: last[1] },
    ...(sloped === undefined ? [] : [sloped]),
  ];
  return lines.flatMap((line) => decimalsThat(sorted, line, DECIMALS).map((decimals) => ({ ...line, decimals })));
}

const DECIMALS = [2, 0, 4];

interface FeeLine {
  readonly rate: number;
  readonly fixed: number;
}

/** Lines near the one through two pairs, whose fees are rounded. The lines with the roundest numbers come first. */
function linesNear(first: FeePair, last: FeePair): readonly FeeLine[] {
  const slope = (last[1] - first[1]) / (last[0] - first[0]);
  return [2, 3, 4].flatMap((digits) => {
    const rate = round(slope, digits);
    return [0, 1, 2, 4].map((places) => ({ rate, fixed: round(last[1] - rate * last[0], places) }));
  });
}

/** The first of `choices` with which the line goes through all pairs. */
export function decimalsThat(
  pairs: readonly FeePair[],
  { rate, fixed }: FeeLine,
  choices: readonly number[],
): readonly number[] {
  const found = choices.find((decimals) =>
    pairs.every(([amount, fee]) => {
      const unit = 10 ** decimals;
      return Math.abs(Math.round((amount * rate + fixed) * unit + 1e-9) / unit - fee) < 1e-9;
    }),
  );
  return found === undefined ? [] : [found];
}

function round(value: number, places: number): number {
  const unit = 10 ** places;
  // Adding 0 turns -0 into 0.
  return Math.round(value * unit) / unit + 0;
}
