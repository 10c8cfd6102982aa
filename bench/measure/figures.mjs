/** Numbers of several rounds, and what they come to. */

/** @param {readonly number[]} numbers */
export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The median of the rounds, the lowest and the highest. */
export function spread(numbers) {
  return { median: median(numbers), lowest: Math.min(...numbers), highest: Math.max(...numbers) };
}

/** What one program took in each round, as a ratio to what another took in the same one: what disturbs a round disturbs both. */
export function ratios(numbers, floor) {
  return spread(numbers.map((number, round) => number / floor[round]));
}

/**
 * A line of the result.
 *
 * @param {string} name
 * @param {{ median: number, lowest: number, highest: number }} figure what the target is about
 * @param {{ least?: number, most?: number }} target
 * @param {Readonly<Record<string, number>>} medians of each program, in `unit`
 */
export function line(name, figure, target, unit, medians) {
  const { least, most } = target;
  const isMet = (least === undefined || figure.median >= least) && (most === undefined || figure.median <= most);
  return {
    name,
    ...figure,
    target,
    isMet: least === undefined && most === undefined ? undefined : isMet,
    unit,
    medians,
  };
}

/** `{ plain: [round, round], … }` of one number of each round. */
export function collect(rounds, pick) {
  const names = Object.keys(rounds[0]);
  return Object.fromEntries(names.map((name) => [name, rounds.map((round) => pick(round[name]))]));
}

export function medians(byProgram) {
  return Object.fromEntries(Object.entries(byProgram).map(([name, numbers]) => [name, median(numbers)]));
}
