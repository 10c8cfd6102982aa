import type { Row } from "../../kernel/table.js";
import { type Lifecycle, nextStatus } from "../../kernel/lifecycle.js";
import type { Instant } from "../../kernel/instant.js";
import type { Money } from "../values/money.js";

/** How a payment of a charge ends. */
export type PaymentOutcome = { readonly outcome: "paid" } | { readonly outcome: "failed"; readonly error: string };

/** What is stored. The contract's `created` is the creation answer's word for a charge that is `due`. */
export type ChargeStatus = "due" | "paid" | "refunded_partially" | "refunded" | "dropped";

/** Free-form caller data, returned exactly as it was sent. */
export type Metadata = Readonly<Record<string, unknown>>;

/** A request for payment: the contract's Charge. */
export interface Charge extends Row {
  /** A UUID. */
  readonly id: string;
  readonly createdAt: Instant;
  /** "Caller's reference; unique per charge". */
  readonly externalId: string;
  readonly description: string;
  readonly amount: Money;
  readonly feeRate: number;
  readonly fee: Money;
  readonly status: ChargeStatus;
  readonly droppedReason: string | null;
  readonly paid: Money;
  readonly refunded: Money;
  readonly attempts: number;
  readonly metadata: Metadata;
  readonly paymentUrl: string;
  readonly onCompletedRedirectionUrl: string;
  readonly onCanceledRedirectionUrl: string;
  /** Newest first: "the `transactions` array lists the refund entry before the payment entry". */
  readonly entries: readonly ChargeEntry[];
  readonly expiresAt: Instant;
  readonly silent: boolean;
}

/** The contract's "Charge transaction entry". */
export interface ChargeEntry {
  readonly id: string;
  /** "Phone number digits." */
  readonly recipientMsisdn: string;
  readonly amount: Money;
  readonly service: string;
  readonly status: "completed" | "failed";
  readonly type: "payment" | "refund";
  readonly error: string | null;
}

/** "Amount still to be paid; equals amount at creation and 0 once paid." */
export function dueOf(charge: Charge): Money {
  return charge.paid > 0 ? 0 : charge.amount;
}

export function refundableOf(charge: Charge): Money {
  return charge.paid - charge.refunded;
}

export type ChargeAction = "pay" | "decline" | "cancel" | "expire" | "drop" | "refund";

/** The contract's table of states and transitions, "Charge". */
export const chargeLifecycle = {
  due: { pay: ["paid"], decline: ["due", "dropped"], cancel: ["due"], expire: ["dropped"], drop: ["dropped"] },
  paid: { refund: ["refunded", "refunded_partially"] },
  refunded_partially: { refund: ["refunded", "refunded_partially"] },
  refunded: {},
  dropped: {},
} as const satisfies Lifecycle<ChargeStatus, ChargeAction>;

type ChargeChange = Partial<Omit<Charge, "id" | "seq" | "status" | "createdAt">>;

/** The only writer of a charge's status. `outcome` where the table declares more than one. */
export function moveCharge(charge: Charge, action: ChargeAction, change: ChargeChange, outcome?: ChargeStatus): Charge {
  const status = nextStatus<ChargeStatus, ChargeAction>(chargeLifecycle, "charge", charge.status, action, outcome);
  return { ...charge, ...change, status };
}

/** A payment that was asked for and whose result comes later: "pay answers `due`, the result comes later and may lose against the drop". */
export interface PendingPayment extends Row {
  /** A UUID; of the entry that it becomes, too. */
  readonly id: string;
  readonly chargeId: string;
  /** As it was given. */
  readonly msisdn: string;
  readonly plan: PaymentOutcome;
}
