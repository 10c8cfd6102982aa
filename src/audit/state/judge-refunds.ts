import { type Change, type ChangedPlace, patternOf } from "../application/change.js";
import type { Delivery, Schedule } from "../application/schedule.js";
import type { Failure, Verdict } from "../wire/check.js";
import { AMOUNT_XOF, refundedAfter, type Step } from "../wire/events.js";
import { judgeReady } from "./judge-state.js";
import { describeFailure, NOTHING_MOVED } from "./describe-failure.js";
import { playHistory } from "./play.js";
import type { StateTrial } from "./state-session.js";

const ID = "state-refunds";

/** Whether refunds are noticed, and partial ones add up to what was refunded. Both can be seen only where the state has statuses or sums of money. */
export async function judgeRefunds(trial: StateTrial): Promise<Verdict> {
  return judgeReady(trial, ID, async ({ families, effects }) => {
    if (!families.has("charge"))
      return { outcome: "skipped", reason: "the topic is not one of charges", isUnasked: true };
    const paid = effects.get("paid") ?? [];
    if (paid.length === 0) return { outcome: "skipped", reason: NOTHING_MOVED };
    const refund = effects.get("refunded") ?? [];
    if (refund.length === 0) {
      if (!paid.some(tellsPayment)) return { outcome: "skipped", reason: NOT_SHOWN, isUnasked: true };
      return describe(trial, events("paid", "refunded"), ["the refund changes nothing"]);
    }
    return judgeParts(trial, refund);
  });
}

const NOT_SHOWN = "what --check prints tells nothing of refunds: neither statuses of orders nor sums of money";

/** A status, a count of orders by status, or a sum of money. */
function tellsPayment(changed: ChangedPlace): boolean {
  if ("plus" in changed) {
    return /(^|[.])paid$/i.test(changed.place) || (changed.plus === AMOUNT_XOF && !changed.place.includes("[]"));
  }
  return typeof changed.to === "string" && /^(paid|settled|success|succeeded|confirmed)$/i.test(changed.to);
}

/** One refund of 70 %, and the same in two parts: sums of money must be the same. */
async function judgeParts(trial: StateTrial, refund: Change): Promise<Verdict> {
  const paid = await playHistory(trial, events("paid"));
  const once = events("paid", "refunded further");
  const twice = events("paid", "refunded in part", "refunded further");
  const before = sumsOf(paid);
  const [one, two] = [sumsOf(await playHistory(trial, once)), sumsOf(await playHistory(trial, twice))];
  const full = new Set(
    refund.flatMap((each) => ("plus" in each && Math.abs(each.plus) === AMOUNT_XOF ? [patternOf(each)] : [])),
  );
  const amount = refundedAfter("refunded further", AMOUNT_XOF);
  for (const place of new Set([...one.keys(), ...two.keys(), ...full])) {
    const start = before.get(place)?.sum ?? 0;
    const [single, parts] = [one.get(place), two.get(place)];
    const moved = (single?.sum ?? 0) - start;
    // A row for each event is a log, and no sum.
    if (single?.rows !== parts?.rows) continue;
    const name = place === "" ? "the value" : place;
    if (moved === 0 && full.has(place)) {
      return describe(trial, once, [`${name} does not change, though a full refund changes it`]);
    }
    if (Math.abs(moved) !== amount) continue;
    const movedInParts = (parts?.sum ?? 0) - start;
    if (movedInParts !== moved) return describe(trial, twice, [`${name}: ${movedInParts}, should be ${moved}`]);
  }
  return { outcome: "passed" };
}

/** By place: what it grew by, and in how many rows. */
function sumsOf(change: Change): ReadonlyMap<string, { readonly sum: number; readonly rows: number }> {
  const sums = new Map<string, { sum: number; rows: number }>();
  for (const changed of change) {
    if (!("plus" in changed)) continue;
    const place = patternOf(changed);
    const { sum, rows } = sums.get(place) ?? { sum: 0, rows: 0 };
    sums.set(place, { sum: sum + changed.plus, rows: rows + 1 });
  }
  return sums;
}

function events(...steps: readonly Step[]): Schedule {
  return steps.map((step): Delivery => ({ order: "first", step, subscription: 1 }));
}

function describe(trial: StateTrial, schedule: Schedule, difference: readonly string[]): Failure {
  return describeFailure(trial, { schedule, exchanges: [] }, "wrong", difference);
}
