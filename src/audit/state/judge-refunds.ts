import { countBy, maxOf } from "../../kernel/collections.js";
import { type Change, type ChangedPlace, isSameChange, patternOf } from "../application/change.js";
import type { Delivery, Schedule } from "../application/schedule.js";
import type { Failure, Verdict } from "../wire/check.js";
import { refundedAfter, type Step } from "../wire/events.js";
import { judgeReady } from "./judge-ready.js";
import { describeFailure, describeUneven, NOTHING_MOVED } from "./describe-failure.js";
import { play, playHistory } from "./play.js";
import type { StateTrial } from "./state-session.js";
import { describeShipping, showsOnlyGoods } from "./tolerance.js";

const ID = "state-refunds";

/** Whether refunds are noticed, and partial ones add up to what was refunded. Both can be seen only where the state has statuses or sums of money. */
export async function judgeRefunds(trial: StateTrial): Promise<Verdict> {
  return judgeReady(trial, ID, async ({ families, effects, hasMoved }) => {
    if (!families.has("charge"))
      return { outcome: "skipped", reason: "the topic is not one of charges", isNotRequested: true };
    const { options, profile } = trial.state;
    const isSent = (status: string): boolean => profile?.webhooks.chargeEvents.includes(status) ?? true;
    if (!isSent("refunded")) return { outcome: "skipped", reason: NOT_SENT, isNotRequested: true };
    const { check: source } = options;
    const [paid = [], refund = []] = [effects.get("paid"), effects.get("refunded")];
    if (paid.length === 0 && refund.length === 0) {
      return hasMoved
        ? { outcome: "skipped", reason: NO_CHARGES, isNotRequested: true }
        : { outcome: "skipped", reason: NOTHING_MOVED };
    }
    if (refund.length === 0) {
      if (!showsPayments(paid, trial.state.amountXof))
        return { outcome: "skipped", reason: NOT_SHOWN, ...(showsOnlyGoods(paid, source) && { isNotRequested: true }) };
      return describe(trial, events("paid", "refunded"), ["the refund changes nothing"]);
    }
    const shipped = describeShipping(refund, "at the refund", { source, paid });
    if (shipped !== undefined) return describe(trial, events("paid", "refunded"), [shipped]);
    return isSent("refunded_partially") ? judgeParts(trial, paid, refund) : { outcome: "passed" };
  });
}

const NO_CHARGES = "no event of a charge changes what --check prints";
const NOT_SENT = "the sandbox's profile sends no events of refunds (webhooks.chargeEvents)";
const NOT_SHOWN =
  "a refund changes nothing in what --check prints, and the audit cannot see whether it should. Let it print statuses of orders such as paid and refunded, or sums of money";

/** Whether a payment changes a place that a refund changes in a sound application. */
export function showsPayments(paid: Change, amountXof: number): boolean {
  return paid.some((changed) => showsPayment(changed, amountXof));
}

/** Whether a place shows a payment: as a status, a flag, a count or list of orders by status, or a sum of money. */
function showsPayment(changed: ChangedPlace, amountXof: number): boolean {
  if (/(^|\.)paid\[\]/i.test(changed.place)) return true;
  if ("to" in changed && changed.to === true) return /(^|\.)paid$/i.test(changed.place);
  if ("plus" in changed) {
    return (
      /(^|[. "])paid(["}]*\.|$)/i.test(changed.place) || (changed.plus === amountXof && !changed.place.includes("[]"))
    );
  }
  return (
    typeof changed.to === "string" &&
    /(^|[\s:=;,])(paid|pay[eé]e?|settled|success|succeeded|confirmed)$/i.test(changed.to)
  );
}

/**
 * Refunds 70 % at once and in two parts, where a charge may be refunded twice: sums of money must change by what was refunded. Both histories are played
 * again before a failure is reported.
 */
async function judgeParts(trial: StateTrial, paid: Change, refund: Change): Promise<Verdict> {
  const once = events("paid", "refunded further");
  const twice =
    trial.state.profile?.refunds.further === "refused" ? once : events("paid", "refunded in part", "refunded further");
  const verdict = await compareParts(trial, { once, twice, paid, refund });
  for (const history of verdict.outcome === "failed" ? [once, twice] : []) {
    const known = await playHistory(trial, history);
    const { change } = await play(trial, history, known);
    if (!isSameChange(change, known)) return { outcome: "skipped", reason: describeUneven(known, change) };
  }
  return verdict;
}

interface Parts {
  readonly once: Schedule;
  readonly twice: Schedule;
  readonly paid: Change;
  readonly refund: Change;
}

async function compareParts(trial: StateTrial, { once, twice, paid, refund }: Parts): Promise<Verdict> {
  const [changedOnce, changedTwice] = [await playHistory(trial, once), await playHistory(trial, twice)];
  const [before, one, two] = [sumsOf(paid), sumsOf(changedOnce), sumsOf(changedTwice)];
  const amount = trial.state.amountXof;
  const part = refundedAfter("refunded further", amount);
  const full = new Map([...sumsOf(refund)].filter(([, { sum }]) => Math.abs(sum) === amount));
  // A list of the orders that are not refunded keeps the row of a partial refund.
  const removed = new Set(
    refund.flatMap((changed) => ("to" in changed && changed.to === undefined ? [rowOf(changed)] : [])),
  );
  const moves = [...new Set([...one.keys(), ...two.keys(), ...full.keys()])].map((place) => {
    const start = before.get(place)?.sum ?? 0;
    const [single, parts] = [one.get(place), two.get(place)];
    // A table with a row for each event is a log, not a sum.
    const rows = [before, one, two].map((sums) => (place.includes("[]") ? sums.get(place)?.rows : 1));
    return {
      name: place === "" ? "the value" : place,
      isInRemovedRow: place.includes("[]") && removed.has(rowOf({ place })),
      isLog: new Set([paid, changedOnce, changedTwice].map((change) => countRows(change, place))).size > 1,
      // The count is undefined for a change that does not touch the column: a payment need not touch a column of refunds.
      isLogOfParts: new Set(rows.filter((count) => count !== undefined)).size > 1,
      atFull: full.get(place)?.sum ?? 0,
      atPart: (single?.sum ?? 0) - start,
      inParts: (parts?.sum ?? 0) - start,
    };
  });
  // With sums by status, a partial refund moves the order's amount, or what is left of it, to a place of its own, which a full refund does not change.
  const byStatus = new Set(moves.flatMap(({ atPart, atFull }) => (atPart === atFull ? [] : [atPart])));
  for (const { name, isInRemovedRow, isLog, isLogOfParts, atFull, atPart, inParts } of moves) {
    const share = Math.sign(atFull) * part;
    const isElsewhere = byStatus.has(share) || byStatus.has(atFull);
    if (!isLog && !isInRemovedRow && atFull !== 0 && atPart === 0 && !isElsewhere) {
      return describe(trial, once, [`${name} does not change, though a full refund changes it`]);
    }
    const isRestElsewhere = byStatus.has(-atFull) || byStatus.has(share - atFull);
    if (!isLog && atFull !== 0 && Math.abs(atPart) >= Math.abs(atFull) && !isRestElsewhere) {
      return describe(trial, once, [`${name}: ${atPart}, should be ${share}`]);
    }
    // What was refunded or, in sums by status, what is left.
    const isSum = [part, amount - part].includes(Math.abs(atPart));
    if (!isLogOfParts && isSum && inParts !== atPart) {
      return describe(trial, twice, [`${name}: ${inParts}, should be ${atPart}`]);
    }
  }
  return { outcome: "passed" };
}

/** For each place: how much it grew, and in how many rows. */
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

/** How many rows of the table of a place have changed, in any column. */
function countRows(change: Change, place: string): number {
  const row = rowOf({ place });
  if (row === "") return 1;
  const columns = change
    .map(patternOf)
    .filter((column) => column.startsWith(row) && column.lastIndexOf("[]") < row.length);
  return maxOf([0, ...countBy(columns, (column) => column).values()]);
}

/** The place of the row that a place is in. Empty for a place in no table. */
function rowOf(changed: Pick<ChangedPlace, "place">): string {
  return /^.*\[\]/.exec(patternOf(changed))?.[0] ?? "";
}

function events(...steps: readonly Step[]): Schedule {
  return steps.map((step): Delivery => ({ order: "first", step, subscription: 1 }));
}

function describe(trial: StateTrial, schedule: Schedule, difference: readonly string[]): Failure {
  return describeFailure(trial, { schedule, exchanges: [] }, "wrong", difference);
}
