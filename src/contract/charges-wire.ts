import { note } from "./fields.js";
import { absoluteUrl, text } from "../kernel/fields.js";
import { metadata, msisdn, wholeXof } from "../domain/values/fields.js";
import * as z from "zod";
import { CURRENCY, fromXof, toXof, XOF_MAX } from "../domain/values/money.js";
import { type Charge, type ChargeEntry, dueOf } from "../domain/model/charge.js";
import type { Profile } from "../domain/profile/profile.js";
import { toIso } from "../kernel/instant.js";
import { perProfile } from "./parse.js";
import type { ChargeBody, ChargeEntryBody } from "./resources.js";

export interface CreateChargeRequest {
  amount: number;
  externalId: string;
  description: string;
  onCanceledRedirectionUrl: string;
  onCompletedRedirectionUrl: string;
  metadata?: Record<string, unknown> | undefined;
}

/** "Missing or invalid amount, externalId, description, onCanceledRedirectionUrl or onCompletedRedirectionUrl" is 400. */
export const createChargeRequest = perProfile<CreateChargeRequest>((profile) =>
  z.object(
    {
      amount: wholeXof(profile.charges.min, profile.charges.max).meta(
        note("Amount to collect, in XOF.", "charges.min", "charges.max"),
      ),
      externalId: text("the caller's reference").meta(note("Caller's reference; unique per charge.")),
      description: text("the purpose of the payment").meta(note("Purpose of the payment.")),
      onCanceledRedirectionUrl: absoluteUrl.meta(
        note("The service URL the user is redirected to after a canceled payment."),
      ),
      onCompletedRedirectionUrl: absoluteUrl.meta(
        note("The service URL the user is redirected to after a completed payment."),
      ),
      metadata: metadata.meta(note("Extra data stored with the charge, returned exactly as it was sent.")).optional(),
    },
    { error: "must be a JSON object" },
  ),
);

/** "The request body that carries the simulated phone number: not shown." Here `{msisdn}`, and nothing is fine. */
export const payRequest = perProfile<{ msisdn?: string | undefined } | undefined>(() =>
  z
    .object(
      {
        msisdn: msisdn
          .meta(note("The phone number that pays; without one a payment that succeeds.", "testNumbers.success"))
          .optional(),
      },
      { error: "must be a JSON object, or nothing" },
    )
    .optional(),
);

/** "The exact request body format: not shown." Here `{amount}`, and nothing refunds what is left. */
export const refundRequest = perProfile<{ amount?: number | undefined } | undefined>(() =>
  z
    .object(
      {
        amount: wholeXof(1, XOF_MAX)
          .meta(note("How much to refund, in XOF; without it everything that is left."))
          .optional(),
      },
      { error: "must be a JSON object, or nothing" },
    )
    .optional(),
);

export function refundAmountOf(request: { amount?: number | undefined } | undefined): number | undefined {
  return request?.amount === undefined ? undefined : fromXof(request.amount);
}

/** Where in the API an answer stands: decides which fields it shows. */
export type ChargeView = "created" | "read" | "paid" | "refunded" | "payload";

/** One charge as this answer shows it, in the order of the contract's table. */
export function renderCharge(charge: Charge, view: ChargeView, profile: Profile): ChargeBody {
  const created = view === "created";
  const asRead = view === "read" || view === "payload"; // a payload is "the charge as GET shows it"
  return {
    id: charge.id,
    createdAt:
      created && profile.charges.createdAtFormat === "compact" ? compact(charge.createdAt) : toIso(charge.createdAt),
    externalId: charge.externalId,
    description: charge.description,
    currency: CURRENCY,
    amount: toXof(charge.amount),
    due: toXof(dueOf(charge)),
    fees: { currency: CURRENCY, rate: charge.feeRate, value: toXof(charge.fee) },
    status: asRead ? statusOnRead(charge, profile) : created ? statusOnCreation(charge, profile) : charge.status,
    ...(created ? {} : { droppedReason: charge.droppedReason }),
    paid: toXof(charge.paid),
    refunded: toXof(charge.refunded),
    attempts: charge.attempts,
    metadata: charge.metadata,
    ...(created || (asRead && profile.charges.paymentUrlOnRead) ? { paymentUrl: charge.paymentUrl } : {}),
    ...(view === "paid" ? { webRedirectionUrl: redirectionOf(charge) } : {}),
    ...(view === "payload" && profile.webhooks.chargePayload === "slim"
      ? {}
      : { transactions: charge.entries.map(renderEntry) }),
  };
}

/** After a completed payment one URL, otherwise the other. */
export function redirectionOf(charge: Charge): string {
  return charge.paid > 0 ? charge.onCompletedRedirectionUrl : charge.onCanceledRedirectionUrl;
}

function statusOnCreation(charge: Charge, profile: Profile): ChargeBody["status"] {
  return charge.status === "due" ? profile.charges.creationStatus : charge.status;
}

function statusOnRead(charge: Charge, profile: Profile): ChargeBody["status"] {
  return charge.status === "refunded_partially" ? profile.charges.partialStatusOnRead : charge.status;
}

function renderEntry(entry: ChargeEntry): ChargeEntryBody {
  return {
    id: entry.id,
    recipientMsisdn: entry.recipientMsisdn,
    amount: toXof(entry.amount),
    service: entry.service,
    status: entry.status,
    type: entry.type,
    error: entry.error,
  };
}

/** "date and time without separators, with milliseconds and Z": `20250128T083908.249Z`. */
function compact(instant: number): string {
  return toIso(instant).replaceAll(/[-:]/g, "");
}
