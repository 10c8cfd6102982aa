import type { Work } from "../model/work.js";
import { type Charge, type ChargeAction, moveCharge } from "../model/charge.js";
import { emitCharge, getCharge } from "./create-charge.js";

/** The contract: "`due` | time-to-live expires | 1 hour after creation with no successful transaction | `dropped` (automatic)". */
export function expireCharge(work: Work, id: string): void {
  work.unschedule("charge.expire", id);
  expireWhenDue(work, id);
}

/** Expires a charge whose timer has fired, so that there is none to cancel. */
export function expireWhenDue(work: Work, id: string): void {
  const charge = work.world.charges.get(id);
  if (charge?.status === "due") drop(work, charge, "expire", work.profile.charges.droppedReason);
}

/** Drops a due charge by hand, before its time. */
export function dropCharge(work: Work, id: string, reason: string | undefined): Charge {
  const dropped = drop(work, getCharge(work, id), "drop", reason ?? work.profile.charges.droppedReason);
  work.unschedule("charge.expire", id);
  return dropped;
}

/** The customer left the payment page. The contract: "the service URL the user is redirected to after a canceled payment". The charge stays due. */
export function cancelPayment(work: Work, id: string): Charge {
  const charge = moveCharge(work, getCharge(work, id), "cancel", {});
  emitCharge(work, "charge.payment_cancelled", charge);
  return charge;
}

function drop(work: Work, charge: Charge, action: ChargeAction, reason: string): Charge {
  const dropped = work.put(work.world.charges, moveCharge(work, charge, action, { droppedReason: reason }));
  emitCharge(work, "charge.dropped", dropped);
  return dropped;
}
