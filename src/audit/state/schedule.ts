import type { Step } from "../events.js";

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
