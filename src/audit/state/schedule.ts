import type { Step } from "../wire/events.js";

/** Which order a delivery is about: one of two of the application's, or one that nobody has ever heard of. */
export type OrderName = "first" | "second" | "unknown";

/** One event on its way to the receiver. */
export interface Delivery {
  readonly order: OrderName;
  readonly step: Step;
  /** 2: by a second subscription, under the topic's other spelling. The same event, in other bytes. */
  readonly subscription: 1 | 2;
  /** Forged: it has not happened. */
  readonly forged?: "wrongly signed" | "unsigned";
}

/** What is delivered, in this order, each after the answer to the one before. */
export type Schedule = readonly Delivery[];

export type Family = "charge" | "transfer";

/** What happens to one resource, in this order. `dropped` is no part of it: what was paid cannot be dropped. */
const HISTORIES: Readonly<Record<Family, readonly Step[]>> = {
  charge: ["paid", "refunded"],
  transfer: ["started", "completed"],
};

export function familyOf(step: Step): Family {
  return step === "paid" || step === "refunded" || step === "dropped" ? "charge" : "transfer";
}

/**
 * The real history of what a schedule delivers: each event that really happened once, in the order in which it happened, one order after
 * the other. Its effect is what the schedule's effect must be.
 */
export function realHistoryOf(schedule: Schedule): Schedule {
  return (["first", "second"] as const).flatMap((order) =>
    [...HISTORIES.charge, ...HISTORIES.transfer].flatMap((step): Schedule => {
      const isDelivered = schedule.some(
        (delivery) => delivery.order === order && delivery.step === step && delivery.forged === undefined,
      );
      return isDelivered ? [{ order, step, subscription: 1 }] : [];
    }),
  );
}

/** Whether a sound application may be measured by it: an event that contradicts the history needs the history before it. */
export function isMeaningful(schedule: Schedule): boolean {
  return schedule.every(
    ({ order, step }, index) =>
      step !== "dropped" ||
      order === "unknown" ||
      schedule.slice(0, index).some((earlier) => earlier.order === order && earlier.step === "paid"),
  );
}

/** The same story, with the order that comes first in it as its first. */
export function fromFirstOrder(schedule: Schedule): Schedule {
  const leading = schedule.find(({ order }) => order !== "unknown")?.order;
  if (leading !== "second") return schedule;
  const others = { first: "second", second: "first", unknown: "unknown" } as const;
  return schedule.map((delivery) => ({ ...delivery, order: others[delivery.order] }));
}

/** Equal for schedules that deliver the same. */
export function keyOf(schedule: Schedule): string {
  return schedule
    .map(({ order, step, subscription, forged = "" }) => `${order}:${step}:${subscription}:${forged}`)
    .join(" ");
}

/** As `keyOf`, whichever subscription delivers. */
export function eventsKeyOf(schedule: Schedule): string {
  return keyOf(schedule.map((delivery) => ({ ...delivery, subscription: 1 })));
}

/** In words, one for each delivery: `paid`, `paid again`, `paid of another order`. */
export function describeSchedule(schedule: Schedule): readonly string[] {
  return schedule.map((delivery, index) => {
    const { order, step, subscription, forged } = delivery;
    const isAgain = schedule.slice(0, index).some((earlier) => earlier.order === order && earlier.step === step);
    const whose = { first: "", second: " of another order", unknown: " of an unknown order" }[order];
    const which = subscription === 2 ? ", by a second subscription" : "";
    const how = forged === undefined ? "" : `, ${forged}`;
    return `${step}${whose}${isAgain ? " again" : ""}${which}${how}`;
  });
}

const on =
  (order: OrderName, subscription: 1 | 2 = 1) =>
  (step: Step): Delivery => ({ order, step, subscription });
const first = on("first");
const second = on("second");
const unknown = on("unknown");
const bySecondSubscription = on("first", 2);

export type StateCheckId = keyof typeof seeds;

/**
 * The schedules of each check, tried in turn until one breaks the application. In each stands one kind of trouble only, and what else happens is as it
 * happens every day; a second event of the order, or one of another order, stands between where distance is what matters.
 */
export const seeds = {
  "state-forged": [
    [{ ...first("paid"), forged: "wrongly signed" }],
    [{ ...first("paid"), forged: "unsigned" }],
    [{ ...first("completed"), forged: "wrongly signed" }],
  ],
  // "A webhook that comes twice": retries after an answer that was lost.
  "state-duplicate": [
    [first("paid"), first("paid")],
    [first("paid"), first("refunded"), first("refunded")],
    [first("started"), first("started")],
    [first("started"), first("completed"), first("completed")],
  ],
  "state-second-subscription": [
    [first("paid"), bySecondSubscription("paid")],
    [first("paid"), first("refunded"), bySecondSubscription("refunded")],
    [first("started"), first("completed"), bySecondSubscription("completed")],
  ],
  "state-reversed": [
    [first("refunded"), first("paid")],
    [first("completed"), first("started")],
  ],
  "state-late-duplicate": [
    [first("paid"), second("paid"), first("paid")],
    [first("paid"), first("refunded"), first("paid")],
    [first("paid"), second("paid"), second("refunded"), second("paid"), first("paid")],
    [first("started"), first("completed"), first("started")],
    [first("started"), first("completed"), second("started"), first("completed")],
  ],
  "state-dropped-after-paid": [
    [first("paid"), first("dropped")],
    [first("paid"), second("paid"), first("dropped")],
  ],
  "state-unknown-id": [[unknown("paid")], [unknown("refunded")], [unknown("dropped")], [unknown("completed")]],
} as const satisfies Readonly<Record<string, readonly Schedule[]>>;

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
