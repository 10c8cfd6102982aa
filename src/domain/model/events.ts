import * as z from "zod";
import { count, flag, id, object, storedAs, storedInstant, word } from "../../kernel/fields.js";
import { storedMoney } from "../values/fields.js";
import { batchId, plainId, transactionId } from "../values/ids.js";
import { chargeRow } from "./charge.js";
import { subscriptionRow } from "./subscription.js";
import { batchRow, transferRow } from "./transfer.js";

const eventSubject = z.discriminatedUnion(
  "kind",
  [
    object({ kind: z.literal("charge"), charge: chargeRow }),
    object({ kind: z.literal("transaction"), transaction: transferRow }),
    object({ kind: z.literal("batch"), batch: batchRow }),
    object({ kind: z.literal("subscription"), subscription: subscriptionRow }),
    object({ kind: z.literal("account"), balance: storedMoney("any") }),
  ],
  { error: "must have the kind charge, transaction, batch, subscription or account" },
);

/** The record that an event is about, right after the transition. Records are immutable, so an event can keep one. */
export type EventSubject = Readonly<z.output<typeof eventSubject>>;

const eventTypes = [
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

/** Something that happened. A transition names its event itself; events are never inferred from stored records. */
const plainRow = object({
  id,
  seq: count,
  at: storedInstant,
  type: word(eventTypes),
  /** The id of the resource, without the prefix of the wire; null for the account. */
  resource: id.nullable(),
  subject: eventSubject,
  /** Set for a phone number that gets no webhooks: the event is recorded, but no webhook of it is sent. */
  silent: flag.exactOptional(),
});

export type DomainEvent = Readonly<z.output<typeof plainRow>>;

/** The part of an event that a transition gives. */
export type NewEvent = Omit<DomainEvent, "id" | "seq" | "at">;

export const eventRow: z.ZodType<DomainEvent> = storedAs<DomainEvent>(plainRow, {
  decode: (event) => ({
    ...event,
    resource: event.resource && isPrefixed(event) ? plainId(event.resource) : event.resource,
  }),
  encode: (event) => ({ ...event, resource: shownEventResource(event) }),
});

function isPrefixed({ subject }: Pick<DomainEvent, "subject">): boolean {
  return subject.kind === "transaction" || subject.kind === "batch";
}

/** The id that the API shows. */
export function shownEventResource({ resource, subject }: Pick<DomainEvent, "resource" | "subject">): string | null {
  if (resource === null) return null;
  if (subject.kind === "transaction") return transactionId(resource);
  return subject.kind === "batch" ? batchId(resource) : resource;
}
