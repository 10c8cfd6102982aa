import { book } from "../accounts/ledger.js";
import { digitsOf } from "../msisdn.js";
import { refuse } from "../problem-codes.js";
import { behaviourOf } from "../test-numbers.js";
import type { Work } from "../work.js";
import { type Charge, type ChargeEntry, dueOf } from "./charge.js";
import { moveCharge } from "./charge-lifecycle.js";
import { emitCharge, getCharge } from "./find-charge.js";

export interface Payment {
  readonly chargeId: string;
  /** Without one the reserved number of success pays. */
  readonly msisdn: string | undefined;
}

/**
 * POST /v1/charges/:id/pay: "Simulates payment of the charge." A failed attempt is an outcome, not a refusal: it is stored as an entry with its
 * error, and the charge stays due ("The effect of a failed payment attempt on the charge state: not shown").
 */
export function payCharge(work: Work, payment: Payment): Charge {
  const { profile } = work;
  const charge = getCharge(work, payment.chargeId);
  if (charge.status !== "due") {
    const code = profile.charges.payNotDue === 409 ? "charge_not_payable_conflict" : "charge_not_payable";
    refuse(code, `The charge is ${charge.status}; only a charge that is due can be paid`);
  }
  const msisdn = payment.msisdn ?? profile.testNumbers.success;
  const behaviour = behaviourOf(profile, msisdn);
  if (behaviour.payment === "refused") refuse("payer_refused", `msisdn ${msisdn} does not accept payment requests`);
  const attempted: Charge = {
    ...charge,
    attempts: charge.attempts + 1,
    silent: charge.silent || behaviour.silent,
  };
  const entry = { id: work.ids.uuid(), recipientMsisdn: digitsOf(msisdn), service: profile.charges.service };
  return behaviour.payment.outcome === "paid"
    ? completePayment(work, attempted, {
        ...entry,
        amount: dueOf(charge),
        status: "completed",
        type: "payment",
        error: null,
      })
    : declinePayment(work, attempted, {
        ...entry,
        amount: dueOf(charge),
        status: "failed",
        type: "payment",
        error: behaviour.payment.error,
      });
}

export function completePayment(work: Work, charge: Charge, entry: ChargeEntry): Charge {
  const paid = moveCharge(charge, "pay", { paid: charge.amount, entries: [entry, ...charge.entries] });
  const kept = work.profile.charges.fee.credit === "net" ? charge.fee : 0;
  book(work, "charge.payment", charge.id, [
    { account: "wallets", amount: -charge.amount },
    { account: "balance", amount: charge.amount - kept },
    ...(kept > 0 ? [{ account: "fees", amount: kept } as const] : []),
  ]);
  return close(work, paid, "charge.paid");
}

function declinePayment(work: Work, charge: Charge, entry: ChargeEntry): Charge {
  const entries = [entry, ...charge.entries];
  if (work.profile.charges.failedAttempt === "drop") {
    const dropped = moveCharge(charge, "decline", { entries, droppedReason: entry.error }, "dropped");
    return close(work, dropped, "charge.dropped");
  }
  const due = work.put(work.world.charges, moveCharge(charge, "decline", { entries }, "due"));
  emitCharge(work, "charge.payment_failed", due);
  return due;
}

function close(work: Work, charge: Charge, type: "charge.paid" | "charge.dropped"): Charge {
  work.put(work.world.charges, charge);
  work.unschedule("charge.expire", charge.id);
  emitCharge(work, type, charge);
  return charge;
}
