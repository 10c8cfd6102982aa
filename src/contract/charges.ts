import * as z from "zod";
import { type FieldsOf, amount, compactTimestamp, note, timestamp } from "./fields.js";
import { absoluteUrl, openObject } from "../kernel/fields.js";
import { metadata, msisdn, wholeXof } from "../domain/values/fields.js";
import { CURRENCY, XOF_MAX, fromXof, toXof } from "../domain/values/money.js";
import type { Profile } from "../domain/profile/profile.js";
import type { ChargeBody, ChargeEntryBody } from "./resources.js";
import { chargeTerms, type Charge, type ChargeEntry, dueOf } from "../domain/model/charge.js";
import { toIso } from "../kernel/time/instant.js";

import { oncePerProfile } from "../domain/profile/track-profile.js";

/** "Missing or invalid amount, externalId, description, onCanceledRedirectionUrl or onCompletedRedirectionUrl" is 400. */
export const createChargeRequest = oncePerProfile((profile) =>
  openObject({
    amount: wholeXof(profile.charges.min, profile.charges.max).meta(
      note("Amount to collect, in XOF.", "charges.min", "charges.max"),
    ),
    ...chargeTerms,
    metadata: chargeTerms.metadata.optional(),
  }),
);

/** "The request body that carries the simulated phone number: not shown." Here `{msisdn}`, and nothing is fine. */
export const payRequest = openObject(
  {
    msisdn: msisdn
      .meta(note("The phone number that pays; without one a payment that succeeds.", "testNumbers.success"))
      .optional(),
  },
  "a JSON object, or nothing",
).optional();

/** "The exact request body format: not shown." Here `{amount}`, and nothing refunds what is left. */
export const refundRequest = openObject(
  {
    amount: wholeXof(1, XOF_MAX)
      .meta(note("How much to refund, in XOF; without it everything that is left."))
      .optional(),
  },
  "a JSON object, or nothing",
).optional();

export function refundAmountOf(request: { amount?: number | undefined } | undefined): number | undefined {
  return request?.amount === undefined ? undefined : fromXof(request.amount);
}

/** The place of an answer in the API. It decides which fields are shown. */
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

export const entryFields = {
  id: z.string().min(1).meta(note("Opaque identifier.")),
  recipientMsisdn: z
    .string()
    .regex(/^\d{8,15}$/)
    .meta(note("Phone number digits.")),
  amount: amount.meta(note("How much was paid or refunded.")),
  service: z.string().meta(note("Payment service label; an opaque string.", "charges.service")),
  status: z
    .enum(["completed", "failed"])
    .meta(note("`failed` for an attempt that did not pay.", "charges.failedAttempt")),
  type: z.enum(["payment", "refund"]).meta(note("Which way the money went.")),
  error: z.string().nullable().meta(note("Why the attempt failed; null when it did not.")),
} satisfies FieldsOf<ChargeEntryBody>;

/** "Charge transaction entry". */
export const chargeEntry: z.ZodType<ChargeEntryBody> = z.strictObject(entryFields).meta({
  description: "One payment of a charge, or one refund.",
});

/** "`currency` (String), `rate` (Number), `value` (Amount). Unit of rate and the rule for value: not shown." */
export const chargeFees: z.ZodType<ChargeBody["fees"]> = z
  .strictObject({
    currency: z.literal(CURRENCY).meta(note("Currency of the fee.")),
    rate: z.number().meta(note("The fee as a fraction of the amount: 0.01 is 1 %.", "charges.fee")),
    value: amount.meta(note("The fee as an amount.", "charges.fee")),
  })
  .meta({ description: "What the service charges for the payment." });

/** All fields that a charge can have; each view takes its own of them. */
export const chargeFields = {
  id: z.string().min(1).meta(note("Identifier of the charge, an opaque string.")),
  createdAt: timestamp.meta(note("Creation time.")),
  externalId: chargeTerms.externalId,
  description: chargeTerms.description,
  currency: z.literal(CURRENCY).meta(note("Currency of every amount of the charge.")),
  amount: amount.meta(note("Amount to collect.")),
  due: amount.meta(note("Amount still to be paid; equals `amount` at creation and is 0 once paid.")),
  fees: chargeFees.meta(note("The fee of the payment.", "charges.fee")),
  status: z
    .enum(["created", "due", "paid", "refunded", "refunded_partially", "dropped"])
    .meta(note("Where the charge stands in its lifecycle.")),
  droppedReason: z
    .string()
    .nullable()
    .meta(note("Why the charge was dropped; null when it was not.", "charges.droppedReason")),
  paid: amount.meta(note("Amount paid so far.")),
  refunded: amount.meta(note("Amount refunded so far.")),
  attempts: z.int().min(0).meta(note("Number of payment attempts.")),
  metadata: metadata.meta(note("Free-form caller data, returned as stored; an empty object when none was given.")),
  paymentUrl: absoluteUrl.meta(note("The link the customer uses to pay.")),
  webRedirectionUrl: absoluteUrl.meta(
    note("Where the customer is sent: `onCompletedRedirectionUrl` once paid, `onCanceledRedirectionUrl` otherwise."),
  ),
  transactions: z.array(chargeEntry).meta(note("Payments and refunds, the newest first.")),
} satisfies FieldsOf<ChargeBody>;

/** A charge in each place where the API shows one, as this profile makes it: an answer with other fields is refused. */
export function chargeSchemas(profile: Profile) {
  const { charges, webhooks } = profile;
  const onRead = note("The link the customer uses to pay.", "charges.paymentUrlOnRead");
  const whole = z.strictObject(chargeFields);
  // The schema of an answer that has neither link, and of those that add one to it.
  const plain = whole.omit({ paymentUrl: true, webRedirectionUrl: true });
  const read = charges.paymentUrlOnRead
    ? whole.omit({ webRedirectionUrl: true }).extend({ paymentUrl: absoluteUrl.meta(onRead) })
    : plain;
  const payload = read.extend({
    status: status(eventStatuses(profile), "webhooks.chargeEvents", "charges.partialStatusOnRead"),
  });
  return {
    ChargeCreated: whole
      .omit({ droppedReason: true, webRedirectionUrl: true })
      .extend({
        createdAt: (charges.createdAtFormat === "compact" ? compactTimestamp : timestamp).meta(
          note("Creation time.", "charges.createdAtFormat"),
        ),
        status: status([charges.creationStatus], "charges.creationStatus"),
        paid: z.literal(0).meta(note("0 at creation.")),
        refunded: z.literal(0).meta(note("0 at creation.")),
        attempts: z.literal(0).meta(note("0 at creation.")),
        transactions: z.array(chargeEntry).max(0).meta(note("Empty at creation.")),
      })
      .meta({ description: "A charge as its creation answers it." }),
    Charge: read
      .extend({
        status: status(
          ["due", "paid", "refunded", "dropped", charges.partialStatusOnRead],
          "charges.partialStatusOnRead",
        ),
      })
      .meta(note("A charge as GET shows it.", "charges.paymentUrlOnRead")),
    ChargePaid: plain
      .extend({
        status: status(["paid", charges.failedAttempt === "drop" ? "dropped" : "due"], "charges.failedAttempt"),
        webRedirectionUrl: chargeFields.webRedirectionUrl,
      })
      .meta({ description: "A charge after an attempt to pay it." }),
    ChargeRefunded: plain
      .extend({ status: status(["refunded", "refunded_partially"]) })
      .meta({ description: "A charge after a refund." }),
    ChargePayload: (webhooks.chargePayload === "slim" ? payload.omit({ transactions: true }) : payload).meta(
      note("A charge as webhooks carry it.", "webhooks.chargePayload", "charges.paymentUrlOnRead"),
    ),
  };
}

function status(values: readonly ChargeBody["status"][], ...settings: Parameters<typeof note>[1][]) {
  return z.enum([...new Set(values)]).meta(note("Where the charge stands in its lifecycle.", ...settings));
}

/** A payload says what GET says, and is sent for these changes only. */
function eventStatuses({ charges, webhooks }: Profile): ChargeBody["status"][] {
  return webhooks.chargeEvents.map((event) => (event === "refunded_partially" ? charges.partialStatusOnRead : event));
}
