import type { Step } from "../events.js";
import type { Delivery, OrderName, Schedule } from "./schedule.js";

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
