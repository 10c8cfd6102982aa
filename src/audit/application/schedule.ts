import type { Step } from "../wire/events.js";

/** The order that a delivery is about: one of two known to the application, or one that is not. */
export type OrderName = "first" | "second" | "unknown";

/** One event that is delivered to the receiver. */
export interface Delivery {
  readonly order: OrderName;
  /** The index of its schedule among several that are delivered together, each with its own orders. */
  readonly group?: number;
  readonly step: Step;
  /** 2 means a second subscription under the topic's other spelling, which delivers the same event in other bytes. */
  readonly subscription: 1 | 2;
  /** How many are sent at the same time. Default: 1. */
  readonly copies?: number;
  /** How the delivery is forged. Its event has not happened. */
  readonly forged?: "wrongly signed" | "unsigned";
}

/** Deliveries in the order in which they are sent, each after the answer to the previous one. */
export type Schedule = readonly Delivery[];

/** All steps, in the order in which they happen. */
export const historicSteps: readonly Step[] = [
  "paid",
  "refunded in part",
  "refunded further",
  "refunded",
  "dropped",
  "started",
  "completed",
  "failed",
];

/** Which steps make a step impossible: a paid charge cannot be dropped, and a completed transfer cannot fail. */
const excludedBy: Partial<Record<Step, readonly Step[]>> = {
  dropped: ["paid", "refunded", "refunded in part", "refunded further"],
  failed: ["completed"],
};

/**
 * The real history behind a schedule: each event that really happened, once, in the order in which it happened, one order after the other. The schedule
 * must have the same effect.
 */
export function realHistoryOf(schedule: Schedule): Schedule {
  const genuine = schedule.filter(({ order, forged }) => order !== "unknown" && forged === undefined);
  const keys = [...new Set(genuine.map(orderKeyOf))].toSorted();
  return keys.flatMap((key) => {
    const own = genuine.filter((each) => orderKeyOf(each) === key);
    const steps = own.map(({ step }) => step);
    return historicSteps.flatMap((step): Delivery[] => {
      const isExcluded = excludedBy[step]?.some((other) => steps.includes(other)) === true;
      const delivery = isExcluded ? undefined : own.find((each) => each.step === step);
      if (delivery === undefined) return [];
      const { order, group } = delivery;
      return [{ order, step, subscription: 1, ...(group === undefined ? {} : { group }) }];
    });
  });
}

/** Equal for deliveries about the same order. */
export function orderKeyOf({ order, group }: Pick<Delivery, "order" | "group">): string {
  return group === undefined ? order : `${order} ${group}`;
}

/** Whether a charge is refunded a second time. */
export function isRefundedTwice(schedule: Schedule): boolean {
  return (["refunded in part", "refunded further"] as const).every((part) =>
    schedule.some(({ step }) => step === part),
  );
}

/** Merges several schedules into one, each with its own orders. */
export function together(schedules: readonly Schedule[]): Schedule {
  return schedules.flatMap((schedule, group) => schedule.map((delivery) => ({ ...delivery, group })));
}

/** Equal for schedules that make the same deliveries. */
export function keyOf(schedule: Schedule): string {
  return schedule
    .map(
      ({ step, subscription, forged = "", copies = 1, ...delivery }) =>
        `${orderKeyOf(delivery)}:${step}:${subscription}:${forged}:${copies}`,
    )
    .join(" ");
}

/** Like `keyOf`, but ignores which subscription delivers. */
export function eventsKeyOf(schedule: Schedule): string {
  return keyOf(schedule.map((delivery) => ({ ...delivery, subscription: 1 })));
}

/** Each delivery in words: `paid`, `paid again`, `paid of another order`. */
export function describeSchedule(schedule: Schedule): readonly string[] {
  return schedule.map((delivery, index) => {
    const { order, step, subscription, forged, copies } = delivery;
    const isAgain = schedule.slice(0, index).some((earlier) => earlier.order === order && earlier.step === step);
    const whose = { first: "", second: " of another order", unknown: " of an unknown order" }[order];
    const which = subscription === 2 ? ", by a second subscription" : "";
    const how = forged === undefined ? "" : `, ${forged}`;
    const many = copies === undefined ? "" : `, ${copies} at once`;
    return `${step}${whose}${isAgain ? " again" : ""}${which}${how}${many}`;
  });
}

const on =
  (order: OrderName, subscription: 1 | 2 = 1) =>
  (step: Step): Delivery => ({ order, step, subscription });
const first = on("first");
const second = on("second");
const unknown = on("unknown");
const bySecondSubscription = on("first", 2);
/** Enough that an application with a few workers handles some of them at the same time. */
export const COPIES = 8;
const atOnce = (step: Step): Delivery => ({ ...first(step), copies: COPIES });

export type StateCheckId = keyof typeof seeds;

/**
 * The schedules of each check, tried in turn until one breaks the application. Each has only one kind of disorder. Where distance matters, an event of the
 * same or another order comes in between. Checks run in this order: a later one does not report again what an earlier one found.
 */
export const seeds = {
  "state-forged": [
    [{ ...first("paid"), forged: "wrongly signed" }],
    [{ ...first("paid"), forged: "unsigned" }],
    [{ ...first("completed"), forged: "wrongly signed" }],
  ],
  // The service delivers an event again when the first answer was lost.
  "state-duplicate": [
    [first("paid"), first("paid")],
    [first("paid"), first("refunded"), first("refunded")],
    [first("dropped"), first("dropped")],
    [first("paid"), first("refunded in part"), first("refunded in part")],
    [first("started"), first("started")],
    [first("started"), first("completed"), first("completed")],
    [first("started"), first("failed"), first("failed")],
  ],
  // Several workers handle the event, or a retry comes while the first delivery is still being handled.
  "state-simultaneous": [
    [atOnce("paid")],
    [first("paid"), atOnce("refunded")],
    [first("paid"), atOnce("refunded in part")],
    [atOnce("dropped")],
    [first("started"), atOnce("completed")],
    [first("started"), atOnce("failed")],
  ],
  "state-second-subscription": [
    [first("paid"), bySecondSubscription("paid")],
    [first("paid"), first("refunded"), bySecondSubscription("refunded")],
    [first("started"), first("completed"), bySecondSubscription("completed")],
  ],
  "state-reversed": [
    [first("refunded"), first("paid")],
    [first("completed"), first("started")],
    [first("paid"), first("refunded further"), first("refunded in part")],
  ],
  "state-late-duplicate": [
    [first("paid"), second("paid"), first("paid")],
    [first("paid"), first("refunded"), first("paid")],
    [first("paid"), second("paid"), second("refunded"), second("paid"), first("paid")],
    [first("paid"), first("refunded in part"), first("refunded further"), first("refunded in part")],
    [first("started"), first("completed"), first("started")],
    [first("started"), first("completed"), second("started"), first("completed")],
  ],
  "state-dropped-after-paid": [
    [first("paid"), first("dropped")],
    [first("paid"), second("paid"), first("dropped")],
  ],
  "state-unknown-id": [[unknown("paid")], [unknown("refunded")], [unknown("dropped")], [unknown("completed")]],
} as const satisfies Readonly<Record<string, readonly Schedule[]>>;

export const stateCheckIds = Object.keys(seeds) as StateCheckId[];

/** The ordinary history of each family, which is delivered before any schedule is tried. */
export const familyHistories = {
  charge: realHistoryOf(seeds["state-reversed"][0]),
  transfer: realHistoryOf(seeds["state-reversed"][1]),
};

/** The most parts that are tried. A schedule of five deliveries has 30. */
const TRIES_MAX = 40;

/** The shortest part of a broken schedule that is broken too; the schedule itself when no part is, or none is found within a limit. */
export async function shrinkSchedule(
  schedule: Schedule,
  isBroken: (part: Schedule) => Promise<boolean>,
): Promise<Schedule> {
  for (const part of partsOf(schedule).slice(0, TRIES_MAX)) {
    if (await isBroken(part)) return part;
  }
  return schedule;
}

/** The proper parts that can be broken, in the schedule's order, each once, the shortest first. */
export function partsOf(schedule: Schedule): readonly Schedule[] {
  const parts = new Map<string, Schedule>();
  for (let size = 1; size < schedule.length; size++) {
    for (const part of choose(schedule, size).map(fromFirstOrder)) {
      // A part that equals its real history has the same effect by definition.
      const canBreak =
        isMeaningful(part) && (size <= 2 || !isOutOfOrder(part)) && keyOf(part) !== keyOf(realHistoryOf(part));
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

/** Whether the events of an order are not in the order of its history, apart from repeats. Longer parts of this kind break sound applications, too. */
function isOutOfOrder(schedule: Schedule): boolean {
  return schedule.some(({ order, step }, index) => {
    const before = schedule.slice(0, index).filter((each) => each.order === order);
    const isNew = before.every((each) => each.step !== step);
    return isNew && before.some((each) => historicSteps.indexOf(each.step) > historicSteps.indexOf(step));
  });
}

/** A dropped event contradicts the history only after the order was paid. */
function isMeaningful(schedule: Schedule): boolean {
  return schedule.every(
    ({ order, step }, index) =>
      step !== "dropped" ||
      order === "unknown" ||
      schedule.slice(0, index).some((earlier) => earlier.order === order && earlier.step === "paid"),
  );
}

/** The same deliveries, with the order that comes first named `first`. */
function fromFirstOrder(schedule: Schedule): Schedule {
  const leading = schedule.find(({ order }) => order !== "unknown")?.order;
  if (leading !== "second") return schedule;
  const others = { first: "second", second: "first", unknown: "unknown" } as const;
  return schedule.map((delivery) => ({ ...delivery, order: others[delivery.order] }));
}
