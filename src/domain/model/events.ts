import type { Instant } from "../../kernel/instant.js";
import type { Row } from "../../kernel/table.js";
import type { Money } from "../values/money.js";
import type { Charge } from "./charge.js";
import type { Subscription } from "./subscription.js";
import type { Batch, Transfer } from "./transfer.js";

/** What an event is about: the record as it stood right after the transition. Records are immutable, so keeping one costs nothing. */
export type EventSubject =
  | { readonly kind: "charge"; readonly charge: Charge }
  | { readonly kind: "transaction"; readonly transaction: Transfer }
  | { readonly kind: "batch"; readonly batch: Batch }
  | { readonly kind: "subscription"; readonly subscription: Subscription }
  | { readonly kind: "account"; readonly balance: Money };

export const eventTypes = [
  "charge.created",
  "charge.paid",
  "charge.payment_failed",
  "charge.payment_lost",
  "charge.payment_cancelled",
  "charge.dropped",
  "charge.refunded",
  "charge.refunded_partially",
  "transaction.started",
  "transaction.completed",
  "transaction.failed",
  "batch.created",
  "batch.completed",
  "subscription.created",
  "subscription.deleted",
  "balance.adjusted",
] as const;

export type EventType = (typeof eventTypes)[number];

/** What a transition says happened. Named by the transition itself, never inferred from a stored record. */
export interface NewEvent {
  readonly type: EventType;
  /** The id of the resource, without the prefix of the wire; null for the account. */
  readonly resource: string | null;
  readonly subject: EventSubject;
  /** The phone number asked for silence: the event is recorded, and no webhook of it is sent. */
  readonly silent?: boolean;
}

export interface DomainEvent extends NewEvent, Row {
  readonly at: Instant;
}
