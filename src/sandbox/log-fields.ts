import { toXof } from "../domain/values/money.js";
import type { Charge } from "../domain/model/charge.js";
import { type Delivery, type DeliveryStatus, shownDeliveryResource } from "../domain/model/delivery.js";
import { type DomainEvent, shownEventResource } from "../domain/model/events.js";
import type { Transfer } from "../domain/model/transfer.js";
import { toIso } from "../kernel/instant.js";
import { parseUrl } from "../kernel/text.js";
import type { Exchange } from "./company/exchange.js";

/** What a line of the log says: amounts in XOF, ids as the API gives them. What is undefined is left out. */
export type LogFields = Readonly<Record<string, unknown>>;

/** `request`: the one that caused it, if any did. */
export function fieldsOfEvent(event: DomainEvent, request: string | undefined): LogFields {
  return { resource: shownEventResource(event) ?? undefined, ...fieldsOfSubject(event), eventId: event.id, request };
}

function fieldsOfSubject({ subject, type }: DomainEvent): LogFields {
  switch (subject.kind) {
    case "charge":
      return fieldsOfCharge(subject.charge, type === "charge.payment_failed");
    case "transaction":
      return fieldsOfTransfer(subject.transaction);
    case "batch":
      return { amount: toXof(subject.batch.totalAmount), transactions: subject.batch.transactionIds.length };
    case "subscription":
      return { topic: subject.subscription.spelling, url: withoutCredentials(subject.subscription.url) };
    case "account":
      return { balance: toXof(subject.balance) };
  }
}

function fieldsOfCharge(charge: Charge, hasFailed: boolean): LogFields {
  const { amount, refunded, externalId, droppedReason, entries } = charge;
  return {
    amount: toXof(amount),
    refunded: refunded === 0 ? undefined : toXof(refunded),
    externalId,
    reason: (hasFailed ? entries[0]?.error : droppedReason) ?? undefined,
  };
}

function fieldsOfTransfer({ amount, reference, failureReason }: Transfer): LogFields {
  return { amount: toXof(amount), reference, reason: failureReason ?? undefined };
}

/** What became of a delivery, and of its last attempt when that is what changed it. */
export function fieldsOfDelivery(delivery: Delivery, attempted: boolean): LogFields {
  const { id, topic, url, attempts, eventId, nextAttemptAt } = delivery;
  const attempt = attempted ? attempts.at(-1) : undefined;
  return {
    resource: shownDeliveryResource(delivery),
    topic,
    url: withoutCredentials(url),
    attempt: attempt === undefined ? undefined : attempts.length,
    status: attempt?.status ?? undefined,
    durationMs: attempt === undefined ? undefined : rounded(attempt.latencyMs),
    reason: attempt?.error ?? undefined,
    nextAttemptAt: nextAttemptAt === null ? undefined : toIso(nextAttemptAt),
    delivery: id,
    eventId,
  };
}

/** Undefined when nothing happened to it but that it was made or forgotten. */
export function nameOfDelivery(before: Delivery | undefined, after: Delivery | undefined): string | undefined {
  if (after === undefined) return undefined;
  if (after.status !== (before?.status ?? "pending")) return deliveryEvents[after.status];
  if (after.attempts.length === (before?.attempts.length ?? 0)) return undefined;
  return after.attempts.at(-1)?.error === null ? "delivery.attempt_succeeded" : "delivery.attempt_failed";
}

const deliveryEvents: Readonly<Record<DeliveryStatus, string>> = {
  pending: "delivery.redelivered",
  succeeded: "delivery.succeeded",
  failed: "delivery.failed",
  exhausted: "delivery.exhausted",
  cancelled: "delivery.cancelled",
};

/** `endedAt`: real time, as `receivedAt`. */
export function fieldsOfExchange(exchange: Exchange, request: string | undefined, endedAt: number): LogFields {
  const { method, path, status, receivedAt, operation, problem, rule, fault, answer } = exchange;
  return {
    request,
    method,
    path,
    status,
    durationMs: rounded(endedAt - receivedAt),
    operation,
    problem,
    correlationId: correlationIdOf(answer),
    rule: rule === undefined ? undefined : (rule.name ?? rule.id),
    fault,
  };
}

/** The one that an error's body names. */
export function correlationIdOf(answer: unknown): string | undefined {
  if (typeof answer !== "object" || answer === null || !("correlationId" in answer)) return undefined;
  return typeof answer.correlationId === "string" ? answer.correlationId : undefined;
}

/** Tenths of a millisecond say enough. */
export function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}

/** A receiver's user, password and query may be its way to know who calls. */
function withoutCredentials(text: string): string | undefined {
  const url = parseUrl(text);
  return url === undefined ? undefined : url.origin + url.pathname;
}
