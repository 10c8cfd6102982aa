import { fromFirstOrder, isMeaningful, keyOf, realHistoryOf, type Schedule } from "./schedule.js";

/** A schedule of five has thirty parts; so many are tried at most. */
const TRIES_MAX = 40;

/**
 * The shortest part of a broken schedule, in its order, that is broken too: parts are tried from the shortest on, each once, so that nothing
 * shorter breaks the application. The schedule itself when there is none, or when the tries are used up.
 */
export async function shrinkSchedule(
  schedule: Schedule,
  isBroken: (part: Schedule) => Promise<boolean>,
): Promise<Schedule> {
  for (const part of partsOf(schedule).slice(0, TRIES_MAX)) {
    if (await isBroken(part)) return part;
  }
  return schedule;
}

/** Its proper parts that can be broken, the shortest first; among equals, what begins sooner comes first. */
export function partsOf(schedule: Schedule): readonly Schedule[] {
  const parts = new Map<string, Schedule>();
  for (let size = 1; size < schedule.length; size++) {
    for (const part of choose(schedule, size).map(fromFirstOrder)) {
      // The real history cannot be another than itself.
      const canBreak = isMeaningful(part) && keyOf(part) !== keyOf(realHistoryOf(part));
      if (canBreak && !parts.has(keyOf(part))) parts.set(keyOf(part), part);
    }
  }
  return [...parts.values()];
}

function choose(schedule: Schedule, size: number): Schedule[] {
  if (size === 0) return [[]];
  return schedule.flatMap((delivery, index) =>
    choose(schedule.slice(index + 1), size - 1).map((rest) => [delivery, ...rest]),
  );
}
