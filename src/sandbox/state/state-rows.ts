import * as z from "zod";
import {
  plainId,
  shownDeliveryResource,
  shownEntryResource,
  shownEventResource,
  shownSubject,
} from "../../contract/ids.js";
import { type Account, accountIds, type LedgerEntry, ledgerEntryTypes } from "../../domain/model/account.js";
import { type Charge, chargeLifecycle, type PendingPayment } from "../../domain/model/charge.js";
import type { Customer } from "../../domain/model/customer.js";
import { type Attempt, type Delivery, deliveryLifecycle, type Hold, holdId } from "../../domain/model/delivery.js";
import { type DomainEvent, type EventSubject, eventTypes } from "../../domain/model/events.js";
import type { Subscription } from "../../domain/model/subscription.js";
import { type Batch, batchLifecycle, type Transfer, transferLifecycle } from "../../domain/model/transfer.js";
import { dueId, type DueKind, dueKinds } from "../../domain/model/work.js";
import { metadata } from "../../domain/values/fields.js";
import { topics } from "../../domain/values/topic.js";
import type { DueItem } from "../../kernel/due-work.js";
import { absoluteUrl, object } from "../../kernel/fields.js";
import { statusesOf } from "../../kernel/lifecycle.js";
import { ruleRow } from "./rules.js";
import {
  batch,
  boolean,
  checked,
  count,
  id,
  instant,
  list,
  money,
  oneOf,
  orUndefined,
  string,
  transaction,
} from "./state-fields.js";

/** One schema for each kind of record: reads what a state says, writes what a company has. A field that a record has and its schema lacks does not compile. */
export function stateRows() {
  return {
    accounts: list(accountRow()),
    ledger: list(ledgerRow()),
    customers: list(customerRow()),
    charges: list(chargeRow()),
    transactions: list(transferRow()),
    batches: list(batchRow()),
    subscriptions: list(subscriptionRow()),
    deliveries: list(deliveryRow()),
    events: list(eventRow()),
    rules: list(ruleRow()),
    payments: list(paymentRow()),
    holds: list(holdRow()),
    due: list(dueRow()),
  };
}

function accountRow(): z.ZodType<Account> {
  return object({ id: oneOf(accountIds), seq: count, amount: money("any") });
}

function ledgerRow(): z.ZodType<LedgerEntry> {
  const posting = object({ account: oneOf(accountIds), amount: money("any") });
  const row = object({
    id,
    seq: count,
    at: instant,
    type: oneOf(ledgerEntryTypes),
    resource: id.nullable(),
    postings: list(posting),
    balance: money("any"),
  });
  return z.codec(row, checked<LedgerEntry>(), {
    decode: (entry) => ({
      ...entry,
      resource: entry.type.startsWith("transfer.") ? plain(entry.resource) : entry.resource,
    }),
    encode: (entry) => ({ ...entry, postings: [...entry.postings], resource: shownEntryResource(entry) }),
  });
}

function customerRow(): z.ZodType<Customer> {
  return object({ id, seq: count, msisdn: string(), firstName: string(), lastName: string(), kycStatus: string() });
}

function chargeRow(): z.ZodType<Charge> {
  const entry = object({
    id,
    recipientMsisdn: string(),
    amount: money("positive"),
    service: string(),
    status: oneOf(["completed", "failed"]),
    type: oneOf(["payment", "refund"]),
    error: string().nullable(),
  });
  return object({
    id,
    seq: count,
    createdAt: instant,
    externalId: string(),
    description: string(),
    amount: money("positive"),
    feeRate: z.number({ error: "must be a number" }),
    fee: money("positive"),
    status: oneOf(statusesOf(chargeLifecycle)),
    droppedReason: string().nullable(),
    paid: money("positive"),
    refunded: money("positive"),
    attempts: count,
    metadata: metadata,
    paymentUrl: string(),
    onCompletedRedirectionUrl: string(),
    onCanceledRedirectionUrl: string(),
    entries: list(entry),
    expiresAt: instant,
    silent: boolean,
  });
}

function transferRow(): z.ZodType<Transfer> {
  const plan = z.discriminatedUnion(
    "outcome",
    [object({ outcome: oneOf(["completed", "pending"]) }), object({ outcome: z.literal("failed"), reason: string() })],
    { error: "must be {outcome: completed}, {outcome: pending} or {outcome: failed, reason}" },
  );
  return object({
    id: transaction,
    seq: count,
    amount: money("positive"),
    fee: money("positive"),
    msisdn: string(),
    status: oneOf(statusesOf(transferLifecycle)),
    reference: string(),
    description: orUndefined(string()),
    batchId: batch.nullable(),
    failureReason: string().nullable(),
    createdAt: instant,
    updatedAt: instant,
    plan,
    settleAfterMs: count.nullable(),
    lateMs: count,
    pollsLeft: count.nullable(),
    debited: boolean,
    silent: boolean,
  });
}

function batchRow(): z.ZodType<Batch> {
  return object({
    id: batch,
    seq: count,
    createdAt: instant,
    updatedAt: instant,
    totalAmount: money("positive"),
    totalFee: money("positive"),
    status: oneOf(statusesOf(batchLifecycle)),
    transactionIds: list(transaction),
    open: count,
  });
}

function subscriptionRow(): z.ZodType<Subscription> {
  return object({
    id,
    seq: count,
    createdAt: instant,
    updatedAt: instant,
    topic: oneOf(topics),
    spelling: string(),
    url: absoluteUrl,
  });
}

function deliveryRow(): z.ZodType<Delivery> {
  const row = object({
    id,
    seq: count,
    createdAt: instant,
    eventId: id,
    subscriptionId: id,
    topic: string(),
    url: absoluteUrl,
    resource: id,
    resourceKind: oneOf(["charge", "transaction"]),
    body: string(),
    copy: count,
    turn: count,
    effect: object({ corruptSignature: boolean, truncate: count.nullable() }).nullable(),
    status: oneOf(statusesOf(deliveryLifecycle)),
    nextAttemptAt: instant.nullable(),
    attempts: list(attemptRow()),
  });
  return z.codec(row, checked<Delivery>(), {
    decode: (delivery) => ({
      ...delivery,
      resource: delivery.resourceKind === "transaction" ? plainId(delivery.resource) : delivery.resource,
    }),
    encode: (delivery) => ({
      ...delivery,
      attempts: [...delivery.attempts],
      resource: shownDeliveryResource(delivery),
    }),
  });
}

function attemptRow(): z.ZodType<Attempt> {
  const headers = z.record(z.string(), string(), { error: "must be an object of strings" });
  return object({
    at: instant,
    status: count.nullable(),
    latencyMs: z.number({ error: "must be a number" }),
    error: string().nullable(),
    requestHeaders: headers,
    response: object({ headers, body: string() }).nullable(),
  });
}

function eventRow(): z.ZodType<DomainEvent> {
  const row = object({
    id,
    seq: count,
    at: instant,
    type: oneOf(eventTypes),
    resource: id.nullable(),
    subject: subjectRow(),
    silent: boolean.exactOptional(),
  });
  return z.codec(row, checked<DomainEvent>(), {
    decode: (event) => ({ ...event, resource: isPrefixed(event.subject) ? plain(event.resource) : event.resource }),
    encode: (event) => ({ ...event, resource: shownEventResource(event) }),
  });
}

function subjectRow(): z.ZodType<EventSubject> {
  return z.discriminatedUnion(
    "kind",
    [
      object({ kind: z.literal("charge"), charge: chargeRow() }),
      object({ kind: z.literal("transaction"), transaction: transferRow() }),
      object({ kind: z.literal("batch"), batch: batchRow() }),
      object({ kind: z.literal("subscription"), subscription: subscriptionRow() }),
      object({ kind: z.literal("account"), balance: money("any") }),
    ],
    { error: "must have the kind charge, transaction, batch, subscription or account" },
  );
}

function isPrefixed({ kind }: EventSubject): boolean {
  return kind === "transaction" || kind === "batch";
}

function paymentRow(): z.ZodType<PendingPayment> {
  const plan = z.discriminatedUnion(
    "outcome",
    [object({ outcome: z.literal("paid") }), object({ outcome: z.literal("failed"), error: string() })],
    { error: "must be {outcome: paid} or {outcome: failed, error}" },
  );
  return object({ id, seq: count, chargeId: id, msisdn: string(), plan });
}

/** A hold is named by what it holds, so its name need not be written. */
function holdRow(): z.ZodType<Hold> {
  const row = object({ seq: count, ruleId: id, resource: id, deliveryIds: list(id) });
  return z.codec(row, checked<Hold>(), {
    decode: (hold) => ({ ...hold, id: holdId(hold.ruleId, hold.resource) }),
    encode: ({ seq, ruleId, resource, deliveryIds }) => ({ seq, ruleId, resource, deliveryIds: [...deliveryIds] }),
  });
}

/** A timer is named by what it is about, so its name need not be written. */
function dueRow(): z.ZodType<DueItem<DueKind>> {
  const row = object({ seq: count, dueAt: instant, kind: oneOf(dueKinds), subject: id });
  return z.codec(row, checked<DueItem<DueKind>>(), {
    decode: ({ seq, dueAt, kind, subject }) => {
      const about = kind === "transfer.settle" ? plainId(subject) : subject;
      return { id: dueId(kind, about), seq, dueAt, kind, subject: about };
    },
    encode: (item) => ({ seq: item.seq, dueAt: item.dueAt, kind: item.kind, subject: shownSubject(item) }),
  });
}

function plain(resource: string | null): string | null {
  return resource === null ? null : plainId(resource);
}
