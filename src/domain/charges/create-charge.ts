import { quote } from "../../kernel/messages/text.js";
import type { EventType } from "../model/events.js";
import { refuse } from "../model/problem-codes.js";
import type { Work } from "../model/work.js";
import type { Charge, chargeTerms } from "../model/charge.js";
import { feeOf } from "../values/money.js";

/** A new charge. Its `paymentUrl` is `checkoutUrl` followed by the charge's id. */
export type ChargeOrder = Pick<Charge, "amount" | keyof typeof chargeTerms> & { readonly checkoutUrl: string };

/**
 * POST /v1/charges. The contract, for 409: "A charge with this externalId already exists." The charge waits for payment until its time-to-live is
 * over.
 */
export function createCharge(work: Work, order: ChargeOrder): Charge {
  const { profile, world } = work;
  const { amount, externalId, description, metadata } = order;
  if (world.charges.findBy("externalId", externalId) !== undefined) {
    refuse("external_id_taken", `A charge with externalId ${quote(externalId)} already exists`);
  }
  const id = work.ids.uuid();
  const charge = work.put<Charge>(world.charges, {
    id,
    seq: work.nextSeq(),
    createdAt: work.at,
    externalId,
    description,
    onCanceledRedirectionUrl: order.onCanceledRedirectionUrl,
    onCompletedRedirectionUrl: order.onCompletedRedirectionUrl,
    metadata,
    amount,
    feeRate: profile.charges.fee.rate,
    fee: feeOf(amount, { fixed: 0, ...profile.charges.fee }),
    status: "due",
    droppedReason: null,
    paid: 0,
    refunded: 0,
    attempts: 0,
    paymentUrl: order.checkoutUrl + id,
    entries: [],
    expiresAt: work.at + profile.charges.ttl,
    silent: false,
  });
  work.schedule("charge.expire", id, charge.expiresAt);
  emitCharge(work, "charge.created", charge);
  return charge;
}

/** GET /v1/charges/:id. The contract, for 404: "Charge not found." */
export function getCharge(work: Pick<Work, "world">, id: string): Charge {
  return work.world.charges.get(id) ?? refuse("charge_not_found", `No charge has the id ${quote(id)}`);
}

export function emitCharge(work: Work, type: EventType, charge: Charge): void {
  work.emit({ type, resource: charge.id, subject: { kind: "charge", charge }, silent: charge.silent });
}
