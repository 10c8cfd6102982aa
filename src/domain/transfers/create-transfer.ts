import { type Money, feeOf, toXof } from "../values/money.js";
import { useRule } from "../rules/use-rule.js";
import { isUnknown } from "../accounts/customers.js";
import { behaviourOf } from "../accounts/test-numbers.js";
import type { Work } from "../model/work.js";
import { SHORT_OF_MONEY, type Transfer, type TransferOrder, type TransferOutcome, totalOf } from "../model/transfer.js";
import { balanceOf, book } from "../accounts/ledger.js";
import { refuse } from "../model/problem-codes.js";
import { emitTransfer, settleTransfer } from "./settle-transfer.js";
import { quote } from "../../kernel/messages/text.js";

/**
 * POST /v1/transactions. The contract: "the business debits its account and credits one […] wallet user". Returned as `pending`, with
 * `transactions/started` ("received and queued").
 *
 * Refused completely for a number that refuses (422), a balance that does not suffice (422), and a reference that was used (409).
 */
export function createTransfer(work: Work, order: TransferOrder): Transfer {
  const planned = planOrder(work, order);
  assertAcceptable(work, [planned]);
  return afterStart(work, startTransfer(work, planned, null));
}

export interface PlannedOrder extends TransferOrder {
  readonly plan: TransferPlan;
}

export function planOrder(work: Work, order: TransferOrder): PlannedOrder {
  return { plan: planTransfer(work, order), ...order };
}

/** Checks one transfer or all items of a batch in the order of the statuses: 422 before 409, with all problems of one status. */
export function assertAcceptable(work: Work, orders: readonly PlannedOrder[], where = (_: number): string => ""): void {
  const { profile, world } = work;
  const refused = orders.flatMap((order, index) =>
    order.plan.outcome === "refused" ? [`${where(index)}msisdn ${order.msisdn} does not accept transfers`] : [],
  );
  const needed = neededFor(work, orders);
  const unaffordable =
    profile.transfers.insufficientBalance === "reject" && needed > balanceOf(work)
      ? [`The balance is ${toXof(balanceOf(work))} XOF; ${toXof(needed)} XOF are needed, fees included`]
      : [];
  if (refused.length > 0) refuse("recipient_refused", [...refused, ...unaffordable]);
  if (unaffordable.length > 0) refuse("insufficient_balance", unaffordable);

  if (profile.transfers.duplicateReference === "allow") return;
  const seen = new Set<string>();
  const taken = orders.flatMap((order, index) => {
    const repeated = seen.has(order.reference) || world.transfers.findBy("reference", order.reference) !== undefined;
    seen.add(order.reference);
    return repeated ? [`${where(index)}reference ${quote(order.reference)} was used by an earlier transaction`] : [];
  });
  if (taken.length > 0) refuse("reference_taken", taken);
}

/** The amounts of these transfers with their fees. */
export function neededFor({ profile }: Work, orders: readonly PlannedOrder[]): Money {
  return orders.reduce((sum, { amount }) => sum + amount + feeOf(amount, profile.transfers.fee), 0);
}

/** Stores the transfer as pending, debits it, and plans its settlement. */
export function startTransfer(work: Work, order: PlannedOrder, batchId: string | null): Transfer {
  const { profile } = work;
  const { plan } = order;
  const fee = feeOf(order.amount, profile.transfers.fee);
  const affordable = order.amount + fee <= balanceOf(work);
  const debitsNow = profile.transfers.debit === "at-creation";
  const transfer = work.put<Transfer>(work.world.transfers, {
    id: work.ids.uuid(),
    seq: work.nextSeq(),
    amount: order.amount,
    fee,
    msisdn: order.msisdn,
    status: "pending",
    reference: order.reference,
    description: order.description,
    batchId,
    failureReason: null,
    createdAt: work.at,
    updatedAt: work.at,
    plan: planOf(plan.outcome, affordable || !debitsNow),
    settleAfterMs: settleAfterOf(profile, plan),
    lateMs: plan.lateMs,
    pollsLeft: plan.afterMs === null ? pollsOf(profile) : null,
    debited: debitsNow && affordable,
    silent: plan.silent,
  });
  if (transfer.debited) {
    book(work, "transfer.debit", transfer.id, [
      { account: "balance", amount: -totalOf(transfer) },
      { account: "pending", amount: totalOf(transfer) },
    ]);
  }
  emitTransfer(work, "transaction.started", transfer);
  return transfer;
}

function pollsOf({ transfers: { settlement } }: Work["profile"]): number | null {
  return settlement.kind === "polls" ? settlement.polls : null;
}

/** How long after its creation a transfer settles, by its rule or by `transfers.settlement`. */
function settleAfterOf(
  { transfers: { settlement } }: Work["profile"],
  { afterMs, lateMs }: TransferPlan,
): number | null {
  if (afterMs !== null) return afterMs;
  if (settlement.kind === "after") return settlement.afterMs + lateMs;
  return settlement.kind === "immediate" && lateMs > 0 ? lateMs : null;
}

/** Settles the transfer at once, or sets its timer. Returns the transfer as it was created. */
export function afterStart(work: Work, transfer: Transfer): Transfer {
  const { id, plan, settleAfterMs } = transfer;
  if (plan.outcome === "pending") return transfer;
  if (settleAfterMs !== null) work.schedule("transfer.settle", id, work.at + settleAfterMs);
  else if (work.profile.transfers.settlement.kind === "immediate") settleTransfer(work, id);
  return transfer;
}

function planOf(outcome: TransferOutcome | "refused", affordable: boolean): TransferOutcome {
  if (!affordable) return { outcome: "failed", reason: SHORT_OF_MONEY };
  return outcome === "refused" ? { outcome: "failed", reason: "recipient_refused" } : outcome;
}

/** How a transfer will end if there is money for it. */
interface TransferPlan {
  readonly outcome: TransferOutcome | "refused";
  /** Added to the ordinary time until settlement, ms. */
  readonly lateMs: number;
  /** Settles after this time, whatever `transfers.settlement` says; null leaves it to that setting. In ms. */
  readonly afterMs: number | null;
  readonly silent: boolean;
}

export const DEFAULT_REASON = "recipient_unreachable";

/** The plan of the rule that applies, otherwise that of the number. */
function planTransfer(work: Work, order: TransferOrder): TransferPlan {
  const { lateMs, silent, ...ordinary } = behaviourOf(work.profile, order.msisdn);
  const transfer = planByCheck(work, order.msisdn, ordinary.transfer);
  const rule = useRule(work, "transfer", () => ({
    msisdn: order.msisdn,
    amount: toXof(order.amount),
    reference: order.reference,
  }));
  if (rule === undefined) return { outcome: transfer, lateMs, afterMs: null, silent };
  const { outcome, reason, afterMs } = rule.then;
  return {
    // A rule that gives a time ends the transfer, even one to a number whose transfers never end.
    outcome: outcomeOf(
      outcome ?? (afterMs !== undefined && isPending(transfer) ? "completed" : undefined),
      reason,
      transfer,
    ),
    lateMs: afterMs === undefined ? lateMs : 0,
    afterMs: afterMs ?? null,
    silent,
  };
}

/** What `transfers.unknownRecipient` makes of a transfer to a number that the customer check calls unknown. */
function planByCheck(work: Work, msisdn: string, ordinary: TransferOutcome | "refused"): TransferOutcome | "refused" {
  const { unknownRecipient } = work.profile.transfers;
  if (unknownRecipient === "accept" || ordinary === "refused" || !isUnknown(work, msisdn)) return ordinary;
  return unknownRecipient === "reject" ? "refused" : { outcome: "failed", reason: DEFAULT_REASON };
}

function isPending(ordinary: TransferOutcome | "refused"): boolean {
  return ordinary !== "refused" && ordinary.outcome === "pending";
}

function outcomeOf(
  outcome: "completed" | "failed" | "pending" | undefined,
  reason: string | undefined,
  ordinary: TransferOutcome | "refused",
): TransferOutcome | "refused" {
  if (outcome === undefined) return ordinary;
  return outcome === "failed" ? { outcome, reason: reason ?? DEFAULT_REASON } : { outcome };
}
