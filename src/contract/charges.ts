import * as z from "zod";
import { type FieldsOf, amount, compactTimestamp, note, timestamp } from "./fields.js";
import { absoluteUrl, openObject } from "../kernel/fields.js";
import { metadata, msisdn, wholeXof } from "../domain/values/fields.js";
import { CURRENCY, type Money, XOF_MAX, fromXof, toXof } from "../domain/values/money.js";
import type { Profile } from "../domain/profile/profile.js";
import type { ChargeBody, ChargeEntryBody } from "./resources.js";
import { chargeTerms, type Charge, type ChargeEntry, dueOf } from "../domain/model/charge.js";
import { refuse } from "../domain/model/problem-codes.js";
import { isObject } from "../kernel/messages/json.js";
import { quote } from "../kernel/messages/text.js";
import { toIso } from "../kernel/time/instant.js";
import { parseRequest } from "./parse.js";
import { oncePerProfile } from "../domain/profile/track-profile.js";

/** The contract, for 400: "Missing or invalid amount, externalId, description, onCanceledRedirectionUrl or onCompletedRedirectionUrl." */
export const createChargeRequest = oncePerProfile((profile) =>
  openObject({
    amount: wholeXof(profile.charges.min, profile.charges.max).meta(
      note("Amount to collect, in XOF.", "charges.min", "charges.max"),
    ),
    ...chargeTerms,
    onCanceledRedirectionUrl: withUriFormat(chargeTerms.onCanceledRedirectionUrl),
    onCompletedRedirectionUrl: withUriFormat(chargeTerms.onCompletedRedirectionUrl),
    metadata: chargeTerms.metadata.optional(),
  }).meta({ description: "A request for payment." }),
);

function withUriFormat(url: z.ZodType<string, string>): z.ZodType<string, string> {
  return url.meta({ ...url.meta(), format: "uri" });
}

const payer = msisdn.meta(
  note(
    "The phone number that pays; without one, the payment succeeds.",
    "charges.payField",
    "unknownBody",
    "testNumbers.success",
  ),
);

/** The contract: "The request body that carries the simulated phone number: not shown." The body may be missing. */
export const payRequest = oncePerProfile(({ charges }) =>
  actionBody(charges.payField, payer, "The phone number that pays the charge."),
);

const refundAmount = wholeXof(1, XOF_MAX).meta(
  note(
    "The amount to refund, in XOF; without it, everything that is left is refunded.",
    "refunds.amountField",
    "unknownBody",
  ),
);

/** The contract: "The exact request body format: not shown." Without a body everything that is left is refunded. */
export const refundRequest = oncePerProfile(({ refunds }) =>
  actionBody(refunds.amountField, refundAmount, "The amount to refund."),
);

function actionBody<T>(field: string, value: z.ZodType<T>, description: string) {
  return openObject({ [field]: value.optional() }, "a JSON object, or nothing")
    .meta({ description })
    .optional();
}

/** The phone number of the payer. */
export function parsePay(profile: Profile, body: unknown): string | undefined {
  const { payField } = profile.charges;
  return parseKnown(profile, payRequest(profile), body, payField)?.[payField];
}

export function parseRefund(profile: Profile, body: unknown): Money | undefined {
  const { amountField } = profile.refunds;
  const amount = parseKnown(profile, refundRequest(profile), body, amountField)?.[amountField];
  return amount === undefined ? undefined : fromXof(amount);
}

/** Under `unknownBody: reject` a body that has members must have the known one. */
function parseKnown<T>({ unknownBody }: Profile, schema: z.ZodType<T>, body: unknown, field: string): T {
  const request = parseRequest(schema, body);
  const unknown = unknownMembers(body, field);
  if (unknown.length === 0 || unknownBody === "report") return request;
  const names = unknown.slice(0, MEMBERS_SHOWN_MAX).map((name) => quote(name));
  return refuse("invalid_request", `${field} is missing; the body has ${names.join(", ")}, which nothing reads`);
}

const MEMBERS_SHOWN_MAX = 5;

/** The members of a body that has members, but not the known one. */
export function unknownMembers(body: unknown, field: string): readonly string[] {
  return isObject(body) && !Object.hasOwn(body, field) ? Object.keys(body) : [];
}

/** Where the API shows a charge. This decides which fields are shown. */
export type ChargeView = "created" | "read" | "paid" | "refunded" | "payload";

/** A charge as this answer shows it, in the order of the contract's table. */
export function renderCharge(charge: Charge, view: ChargeView, profile: Profile): ChargeBody {
  const created = view === "created";
  const hasUrl = created || (profile.charges.paymentUrlOnRead && (view === "read" || view === "payload"));
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
    status: statusIn(view, charge, profile),
    ...(created ? {} : { droppedReason: charge.droppedReason }),
    paid: toXof(charge.paid),
    refunded: toXof(charge.refunded),
    attempts: charge.attempts,
    metadata: charge.metadata,
    ...(hasUrl ? { paymentUrl: charge.paymentUrl } : {}),
    ...(view === "paid" ? { webRedirectionUrl: redirectionAfter(charge, profile) } : {}),
    ...(view === "payload" && profile.webhooks.chargePayload === "slim"
      ? {}
      : { transactions: charge.entries.map(renderEntry) }),
  };
}

/** The URL for completed payments once the charge is paid, otherwise the other one. */
export function redirectionOf(charge: Charge): string {
  return charge.paid > 0 ? charge.onCompletedRedirectionUrl : charge.onCanceledRedirectionUrl;
}

/** Where the customer is sent after an attempt to pay the charge. */
function redirectionAfter(charge: Charge, { charges }: Profile): string {
  return charges.failedRedirection === "completed" ? charge.onCompletedRedirectionUrl : redirectionOf(charge);
}

function statusIn(view: ChargeView, { status }: Charge, { charges }: Profile): ChargeBody["status"] {
  if (view === "created" && status === "due") return charges.creationStatus;
  return view === "read" && status === "refunded_partially" ? charges.partialStatusOnRead : status;
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

/** The contract: "date and time without separators, with milliseconds and Z": `20250128T083908.249Z`. */
function compact(instant: number): string {
  return toIso(instant).replaceAll(/[-:]/g, "");
}

export const entryFields = {
  id: z.string().min(1).meta(note("Opaque identifier.")),
  recipientMsisdn: z
    .string()
    .regex(/^\d{8,15}$/)
    .meta(note("Phone number digits.")),
  amount: amount.meta(note("The amount paid or refunded.")),
  service: z.string().meta(note("Payment service label; an opaque string.", "charges.service")),
  status: z
    .enum(["completed", "failed"])
    .meta(note("`failed` for an attempt that did not pay.", "charges.failedAttempt")),
  type: z.enum(["payment", "refund"]).meta(note("Whether the entry is a payment or a refund.")),
  error: z.string().nullable().meta(note("Why the attempt failed; null when it did not.")),
} satisfies FieldsOf<ChargeEntryBody>;

/** The contract's "Charge transaction entry". */
export const chargeEntry: z.ZodType<ChargeEntryBody> = z.strictObject(entryFields).meta({
  description: "One payment of a charge, or one refund.",
});

/** The contract: "`currency` (String), `rate` (Number), `value` (Amount). Unit of rate and the rule for value: not shown." */
export const chargeFees: z.ZodType<ChargeBody["fees"]> = z
  .strictObject({
    currency: z.literal(CURRENCY).meta(note("Currency of the fee.")),
    rate: z.number().meta(note("The fee as a fraction of the amount: 0.01 is 1 %.", "charges.fee")),
    value: amount.meta(note("The fee as an amount.", "charges.fee")),
  })
  .meta({ description: "What the service charges for the payment." });

/** All fields that a charge can have. Each view shows some of them. */
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
  paymentUrl: absoluteUrl.meta({ ...note("The link the customer uses to pay."), format: "uri" }),
  webRedirectionUrl: absoluteUrl.meta(
    note(
      "Where the customer is sent: `onCompletedRedirectionUrl` once paid, `onCanceledRedirectionUrl` otherwise.",
      "charges.failedRedirection",
    ),
  ),
  transactions: z.array(chargeEntry).meta(note("Payments and refunds, the newest first.")),
} satisfies FieldsOf<ChargeBody>;

/** The schemas of a charge wherever the API shows one, under this profile. An answer with other fields does not validate. */
export function chargeSchemas(profile: Profile) {
  const { charges, webhooks } = profile;
  const onRead = { ...note("The link the customer uses to pay.", "charges.paymentUrlOnRead"), format: "uri" };
  const whole = z.strictObject(chargeFields);
  // The schema of an answer without links. The answers that have one extend it.
  const plain = whole.omit({ paymentUrl: true, webRedirectionUrl: true });
  const read = charges.paymentUrlOnRead
    ? whole.omit({ webRedirectionUrl: true }).extend({ paymentUrl: absoluteUrl.meta(onRead) })
    : plain;
  const payload = read.extend({
    status: status(webhooks.chargeEvents, "webhooks.chargeEvents"),
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
      .meta({ description: "A charge as the answer to its creation shows it." }),
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
        // A payment that is confirmed later leaves the charge due.
        status: status(
          ["paid", "due", ...(charges.failedAttempt === "drop" ? (["dropped"] as const) : [])],
          "charges.failedAttempt",
        ),
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
