import { balanceOf, book } from "../accounts/ledger.js";
import { type Money, toXof } from "../values/money.js";
import { refuse } from "../model/problem-codes.js";
import type { Work } from "../model/work.js";
import { type Charge, type ChargeEntry, moveCharge, refundableOf } from "../model/charge.js";
import { emitCharge, getCharge } from "./create-charge.js";

export interface Refund {
  readonly chargeId: string;
  /** By default everything that is left is refunded. */
  readonly amount: Money | undefined;
}

/**
 * POST /v1/charges/:id/refund. The contract: "When no amount is included the whole charge is refunded; when an amount is included only that part is
 * refunded." For 422: "Charge is not in a refundable state." For 400: "Refund amount invalid (greater than the amount paid)."
 */
export function refundCharge(work: Work, refund: Refund): Charge {
  const charge = getCharge(work, refund.chargeId);
  assertRefundable(work, charge);
  const left = refundableOf(charge);
  const amount = refund.amount ?? left;
  if (amount > left) {
    const message = `amount must be at most what is left to refund, ${toXof(left)} XOF, got ${toXof(amount)}`;
    const isState = work.profile.refunds.aboveLeft === 422 && amount <= charge.paid;
    refuse(isState ? "refund_exceeds_left" : "refund_exceeds_paid", message);
  }
  if (work.profile.refunds.insufficientBalance === "reject" && amount > balanceOf(work)) {
    const problem = `The balance is ${toXof(balanceOf(work))} XOF; ${toXof(amount)} XOF are needed for this refund`;
    refuse("insufficient_balance", problem);
  }
  const status = amount === left ? "refunded" : "refunded_partially";
  const entries = [refundEntry(work, charge, amount), ...charge.entries];
  const refunded = moveCharge(work, charge, "refund", { refunded: charge.refunded + amount, entries }, status);
  work.put(work.world.charges, refunded);
  book(work, "charge.refund", charge.id, [
    { account: "balance", amount: -amount },
    { account: "wallets", amount },
  ]);
  emitCharge(work, `charge.${status}`, refunded);
  return refunded;
}

function assertRefundable(work: Work, charge: Charge): void {
  const { status } = charge;
  const further = work.profile.refunds.further === "allowed";
  if (status === "paid" || (status === "refunded_partially" && further)) return;
  const why =
    status === "refunded_partially"
      ? "refunds.further is refused, so one refund is all"
      : "only one that is paid can be refunded";
  refuse("charge_not_refundable", `The charge is ${status}; ${why}`);
}

function refundEntry(work: Work, charge: Charge, amount: Money): ChargeEntry {
  const payment = charge.entries.find((entry) => entry.type === "payment" && entry.status === "completed");
  return {
    id: work.ids.uuid(),
    recipientMsisdn: payment?.recipientMsisdn ?? "",
    amount,
    service: payment?.service ?? work.profile.charges.service,
    status: "completed",
    type: "refund",
    error: null,
  };
}
