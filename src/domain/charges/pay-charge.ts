import type { Posting } from "../model/account.js";
import { book, hasRoom } from "../accounts/ledger.js";
import { toXof } from "../values/money.js";
import { digitsOf } from "../values/msisdn.js";
import { refuse } from "../model/problem-codes.js";
import type { PaymentEffect } from "../model/rule.js";
import { useRule } from "../rules/use-rule.js";
import { behaviourOf } from "../accounts/test-numbers.js";
import type { Work } from "../model/work.js";
import { type Charge, type ChargeEntry, type PaymentOutcome, dueOf, moveCharge } from "../model/charge.js";
import { emitCharge, getCharge } from "./create-charge.js";

export interface Payment {
  readonly chargeId: string;
  /** By default the reserved number `success` pays. */
  readonly msisdn: string | undefined;
}

/**
 * POST /v1/charges/:id/pay. The contract: "Simulates payment of the charge." A failed attempt is an outcome, not a refusal: it is stored as an entry
 * with its error, and the charge stays due. The contract: "The effect of a failed payment attempt on the charge state: not shown".
 */
export function payCharge(work: Work, payment: Payment): Charge {
  const { profile } = work;
  const charge = getCharge(work, payment.chargeId);
  if (charge.status !== "due") {
    const code = profile.charges.payNotDue === 409 ? "charge_not_payable_conflict" : "charge_not_payable";
    refuse(code, `The charge is ${charge.status}; only a charge that is due can be paid`);
  }
  const msisdn = payment.msisdn ?? profile.testNumbers.success;
  const ordinary = behaviourOf(profile, msisdn);
  const { amount, externalId } = charge;
  const rule = useRule(work, "payment", () => ({ msisdn, amount: toXof(amount), externalId }));
  const plan = planOf(rule?.then, ordinary.payment);
  if (plan === "refused") refuse("payer_refused", `msisdn ${msisdn} does not accept payment requests`);
  const attempted = { ...charge, attempts: charge.attempts + 1, silent: charge.silent || ordinary.silent };
  const attempt = { id: work.ids.uuid(), msisdn, plan };
  const afterMs = rule?.then.afterMs ?? ordinary.confirmMs;
  return afterMs === undefined ? finishPayment(work, attempted, attempt) : postpone(work, attempted, attempt, afterMs);
}

interface PaymentAttempt {
  /** The id of the entry that the attempt becomes. */
  readonly id: string;
  readonly msisdn: string;
  readonly plan: PaymentOutcome;
}

const DEFAULT_ERROR = "payment_declined";
/** The error of a payment that the company's accounts have no room for. */
const BEYOND_LIMIT = "limit_exceeded";

function planOf(then: PaymentEffect | undefined, ordinary: PaymentOutcome | "refused"): PaymentOutcome | "refused" {
  if (then?.outcome === undefined) return ordinary;
  return then.outcome === "paid" ? { outcome: "paid" } : { outcome: "failed", error: then.error ?? DEFAULT_ERROR };
}

/** Gives the attempt its result, now. */
function finishPayment(work: Work, charge: Charge, { id, msisdn, plan }: PaymentAttempt): Charge {
  const { service } = work.profile.charges;
  const entry = { id, recipientMsisdn: digitsOf(msisdn), amount: dueOf(charge), service, type: "payment" } as const;
  const error = plan.outcome === "failed" ? plan.error : hasRoom(work, postingsOf(work, charge)) ? null : BEYOND_LIMIT;
  return error === null
    ? completePayment(work, charge, { status: "completed", error, ...entry })
    : declinePayment(work, charge, { status: "failed", error, ...entry });
}

/** The answer shows the charge as `due`, and the result comes later. */
function postpone(work: Work, charge: Charge, attempt: PaymentAttempt, afterMs: number): Charge {
  const { charges, payments } = work.world;
  work.put(payments, { seq: work.nextSeq(), chargeId: charge.id, ...attempt });
  work.schedule("payment.settle", attempt.id, work.at + afterMs);
  return work.put(charges, charge);
}

/**
 * Gives a postponed attempt its result. The attempt is lost and moves no money when the charge is no longer due, because it was dropped or paid in
 * another way.
 */
export function settlePayment(work: Work, id: string): void {
  const { charges, payments } = work.world;
  const payment = payments.get(id);
  if (payment === undefined) return;
  work.remove(payments, id);
  const charge = charges.get(payment.chargeId);
  if (charge === undefined) return;
  if (charge.status === "due") finishPayment(work, charge, payment);
  else emitCharge(work, "charge.payment_lost", charge);
}

export function completePayment(work: Work, charge: Charge, entry: ChargeEntry): Charge {
  const paid = moveCharge(work, charge, "pay", { paid: charge.amount, entries: [entry, ...charge.entries] });
  book(work, "charge.payment", charge.id, postingsOf(work, charge));
  return close(work, paid, "charge.paid");
}

function postingsOf({ profile }: Work, { amount, fee }: Charge): readonly Posting[] {
  const kept = profile.charges.fee.credit === "net" ? fee : 0;
  return [
    { account: "wallets", amount: -amount },
    { account: "balance", amount: amount - kept },
    ...(kept > 0 ? [{ account: "fees", amount: kept } as const] : []),
  ];
}

function declinePayment(work: Work, charge: Charge, entry: ChargeEntry): Charge {
  const entries = [entry, ...charge.entries];
  if (work.profile.charges.failedAttempt === "drop") {
    const dropped = moveCharge(work, charge, "decline", { entries, droppedReason: entry.error }, "dropped");
    return close(work, dropped, "charge.dropped");
  }
  const due = work.put(work.world.charges, moveCharge(work, charge, "decline", { entries }, "due"));
  emitCharge(work, "charge.payment_failed", due);
  return due;
}

function close(work: Work, charge: Charge, type: "charge.paid" | "charge.dropped"): Charge {
  work.put(work.world.charges, charge);
  work.unschedule("charge.expire", charge.id);
  emitCharge(work, type, charge);
  return charge;
}
