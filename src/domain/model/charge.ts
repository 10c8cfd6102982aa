import * as z from "zod";
import {
  absoluteUrl,
  anyText,
  count,
  decimal,
  flag,
  id,
  listOf,
  matching,
  object,
  storedInstant,
  storedTimer,
  text,
  word,
} from "../../kernel/fields.js";
import { type Lifecycle, type MoveLog, nextStatus, statusesOf } from "../../kernel/records/lifecycle.js";
import { metadata, msisdn, storedAmount, storedMoney } from "../values/fields.js";
import type { Money } from "../values/money.js";

/** The status that is stored. `created` is how the creation answer calls a charge that is `due`. */
export type ChargeStatus = "due" | "paid" | "refunded_partially" | "refunded" | "dropped";

export type ChargeAction = "pay" | "decline" | "cancel" | "expire" | "drop" | "refund";

/** The states and transitions of the contract's Charge. */
export const chargeLifecycle = {
  due: { pay: ["paid"], decline: ["due", "dropped"], cancel: ["due"], expire: ["dropped"], drop: ["dropped"] },
  paid: { refund: ["refunded", "refunded_partially"] },
  refunded_partially: { refund: ["refunded", "refunded_partially"] },
  refunded: {},
  dropped: {},
} as const satisfies Lifecycle<ChargeStatus, ChargeAction>;

/** What the caller gives besides the amount. Requests, fixtures and the stored charge have these fields. */
export const chargeTerms = {
  externalId: text("the caller's reference").meta({ description: "Caller's reference; unique per charge." }),
  description: text("the purpose of the payment").meta({ description: "Purpose of the payment." }),
  onCanceledRedirectionUrl: absoluteUrl.meta({
    description: "The service URL the user is redirected to after a canceled payment.",
  }),
  onCompletedRedirectionUrl: absoluteUrl.meta({
    description: "The service URL the user is redirected to after a completed payment.",
  }),
  metadata: metadata.meta({ description: "Extra data stored with the charge, returned exactly as it was sent." }),
};

/** The contract's "Charge transaction entry". */
const entryRow = object({
  id,
  /** The contract: "Phone number digits." */
  recipientMsisdn: matching(/^\d{8,15}$/, "8 to 15 digits"),
  amount: storedAmount,
  service: anyText(),
  status: word(["completed", "failed"]),
  type: word(["payment", "refund"]),
  error: anyText().nullable(),
});

export type ChargeEntry = Readonly<z.output<typeof entryRow>>;

/** A request for payment, the contract's Charge. This is its stored form, and the rules see the type that is inferred from it. */
export const chargeRow = object({
  /** A UUID. */
  id,
  seq: count,
  createdAt: storedInstant,
  ...chargeTerms,
  amount: storedAmount,
  feeRate: decimal(1),
  fee: storedMoney("positive"),
  status: word<ChargeStatus>(statusesOf(chargeLifecycle)),
  droppedReason: anyText().nullable(),
  paid: storedMoney("positive"),
  refunded: storedMoney("positive"),
  attempts: count,
  paymentUrl: absoluteUrl,
  /** Newest first. The contract: "the `transactions` array lists the refund entry before the payment entry". */
  entries: listOf(entryRow),
  expiresAt: storedTimer,
  silent: flag,
});

export type Charge = Readonly<z.output<typeof chargeRow>>;

/** The contract: "Amount still to be paid; equals amount at creation and 0 once paid." */
export function dueOf(charge: Charge): Money {
  return charge.paid > 0 ? 0 : charge.amount;
}

export function refundableOf(charge: Charge): Money {
  return charge.paid - charge.refunded;
}

type ChargeChange = Partial<Omit<Charge, "id" | "seq" | "status" | "createdAt">>;

/** The only function that changes a charge's status. `outcome` chooses one where the table has several. */
export function moveCharge(
  log: MoveLog,
  charge: Charge,
  action: ChargeAction,
  change: ChargeChange,
  outcome?: ChargeStatus,
): Charge {
  const status = nextStatus<ChargeStatus, ChargeAction>(log, chargeLifecycle, "charge", charge.status, action, outcome);
  return { ...charge, ...change, status };
}

const paymentOutcome = z.discriminatedUnion(
  "outcome",
  [object({ outcome: z.literal("paid") }), object({ outcome: z.literal("failed"), error: anyText() })],
  { error: "must be {outcome: paid} or {outcome: failed, error}" },
);

/** How a payment of a charge ends. */
export type PaymentOutcome = Readonly<z.output<typeof paymentOutcome>>;

/** A payment whose result comes later. The charge may be dropped before that, and the payment is lost then. */
export const paymentRow = object({
  /** A UUID; also the id of the entry that it becomes. */
  id,
  seq: count,
  chargeId: id,
  /** As the caller wrote it. */
  msisdn,
  plan: paymentOutcome,
});

export type PendingPayment = Readonly<z.output<typeof paymentRow>>;
