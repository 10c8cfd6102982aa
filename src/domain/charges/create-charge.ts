import type { EventType } from "../model/events.js";
import { refuse } from "../model/problem-codes.js";
import type { Work } from "../model/work.js";
import type { Charge, Metadata } from "../model/charge.js";
import { type Money, feeOf } from "../values/money.js";
import { quote } from "../../kernel/text.js";

export interface ChargeOrder {
  readonly amount: Money;
  readonly externalId: string;
  readonly description: string;
  readonly onCanceledRedirectionUrl: string;
  readonly onCompletedRedirectionUrl: string;
  readonly metadata: Metadata;
  /** Where the payment page stands: `paymentUrl` is this and the charge's id. */
  readonly checkoutUrl: string;
}

/** One for all, as charges are kept by the ten thousand. */
const noEntries: Charge["entries"] = [];

/** POST /v1/charges. 409: "A charge with this externalId already exists." It waits for payment until its time-to-live is over. */
export function createCharge(work: Work, order: ChargeOrder): Charge {
  const { profile, world } = work;
  if (world.charges.findBy("externalId", order.externalId) !== undefined) {
    refuse("external_id_taken", `A charge with externalId ${quote(order.externalId)} already exists`);
  }
  const id = work.ids.uuid();
  const charge = work.put<Charge>(world.charges, {
    id,
    seq: work.nextSeq(),
    createdAt: work.at,
    externalId: order.externalId,
    description: order.description,
    amount: order.amount,
    feeRate: profile.charges.fee.rate,
    fee: feeOf(order.amount, { fixed: 0, ...profile.charges.fee }),
    status: "due",
    droppedReason: null,
    paid: 0,
    refunded: 0,
    attempts: 0,
    metadata: order.metadata,
    paymentUrl: order.checkoutUrl + id,
    onCompletedRedirectionUrl: order.onCompletedRedirectionUrl,
    onCanceledRedirectionUrl: order.onCanceledRedirectionUrl,
    entries: noEntries,
    expiresAt: work.at + profile.charges.ttl,
    silent: false,
  });
  work.schedule("charge.expire", id, charge.expiresAt);
  emitCharge(work, "charge.created", charge);
  return charge;
}

/** GET /v1/charges/:id. 404: "Charge not found." */
export function getCharge(work: Pick<Work, "world">, id: string): Charge {
  return work.world.charges.get(id) ?? refuse("charge_not_found", `No charge has the id ${quote(id)}`);
}

export function emitCharge(work: Work, type: EventType, charge: Charge): void {
  work.emit({ type, resource: charge.id, subject: { kind: "charge", charge }, silent: charge.silent });
}
