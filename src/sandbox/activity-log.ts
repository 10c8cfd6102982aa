import { whenStored } from "../adapters/store/store.js";
import { toXof } from "../domain/values/money.js";
import type { Charge } from "../domain/model/charge.js";
import { type Delivery, type DeliveryStatus, shownDeliveryResource } from "../domain/model/delivery.js";
import { type DomainEvent, shownEventResource } from "../domain/model/events.js";
import { toIso } from "../kernel/time/instant.js";
import { memberOf } from "../kernel/messages/json.js";
import { parseUrl } from "../kernel/messages/text.js";
import { type Log, stackOf } from "../kernel/log.js";
import { type Change, isChangeOf } from "../kernel/records/unit-of-work.js";
import type { Company } from "./company/company.js";
import type { Sandbox } from "./sandbox.js";
import { eventsMadeBy } from "./observation/journal.js";
import type { ExchangeEvent } from "./sandbox-events.js";

/** Writes one line. Keeps no more than what the line shows: thousands may wait. */
type WriteLine = () => void;

/** The ids of the requests that made events. */
type Causes = WeakMap<DomainEvent, string | undefined>;

/** The most lines that wait. Those beyond it are left out, with a warning: writing them at once would take seconds. */
const WAITING_MAX = 200_000;
/** The most lines written in one turn of the event loop: one change may have thousands, and each takes a tenth of a millisecond. */
const LINES_OF_TURN = 100;

/**
 * Logs each state change (info) and each request to the API under test (debug), with the company and the time of its clock. Lines are written after
 * the answer was made, when it is known which request caused what. The returned function writes all waiting lines at once.
 */
export function logActivity(sandbox: Sandbox): () => void {
  const { log, system, events } = sandbox;
  if (!wants(log, "info")) return () => undefined;
  const lines: WriteLine[] = [];
  const causes: Causes = new WeakMap();
  let isWaiting = false;
  let leftOut = 0;
  const write = (count: number): void => {
    for (const line of lines.splice(0, count)) {
      try {
        line();
      } catch (error) {
        log.write("error", "bug", { error: stackOf(error) });
      }
    }
    if (leftOut === 0 || lines.length > 0) return;
    const message = `More than ${WAITING_MAX} lines of the log waited: ${leftOut} were left out.`;
    log.write("warn", "lines-left-out", { message });
    leftOut = 0;
  };
  const writeInTurns = async (): Promise<void> => {
    await whenStored(sandbox.store);
    // In this turn the answer to the request that caused the change is made.
    await system.yieldToEventLoop();
    // Lines that are added while these are written wait for the next batch.
    for (let left = lines.length; left > 0 && lines.length > 0; left -= LINES_OF_TURN) {
      write(Math.min(left, LINES_OF_TURN));
      if (left > LINES_OF_TURN) await system.yieldToEventLoop();
    }
    isWaiting = lines.length > 0;
    if (isWaiting) void writeInTurns();
  };
  const add = (line: WriteLine): void => {
    if (lines.length < WAITING_MAX) lines.push(line);
    else leftOut++;
    if (!isWaiting) void writeInTurns();
    isWaiting = true;
  };
  events.on("exchange", (answered) => {
    for (const event of eventsMadeBy(answered.exchange)) causes.set(event, answered.requestId);
    if (!wants(log, "debug")) return;
    const fields = fieldsOfExchange(answered, system.monotonic());
    add(() => log.write("debug", "request", fields));
  });
  events.on("changed", ({ company, changes }) => {
    for (const change of changes) {
      const line = lineOf(sandbox, company, change, causes);
      if (line !== undefined) add(line);
    }
  });
  return () => write(lines.length);
}

function wants(log: Log, level: "debug" | "info"): boolean {
  return log.wants?.(level) === true;
}

/** The line for a new event or for a delivery that changed. Rows are immutable, so that they can be rendered later. */
function lineOf({ log, redactor }: Sandbox, owner: Company, change: Change, causes: Causes): WriteLine | undefined {
  const { id: company, world } = owner;
  if (isChangeOf(world.events, change)) {
    const { before, after: event } = change;
    if (before !== undefined || event === undefined) return undefined;
    return () => {
      const fields = fieldsOfEvent(event, causes.get(event), redactor);
      log.write("info", event.type, { company, now: toIso(event.at), ...fields });
    };
  }
  if (!isChangeOf(world.deliveries, change)) return undefined;
  const { before, after: delivery } = change;
  const name = nameOfDelivery(before, delivery);
  if (name === undefined || delivery === undefined) return undefined;
  const isAttempt = delivery.attempts.length > (before?.attempts.length ?? 0);
  const at = owner.now();
  return () => log.write("info", name, { company, now: toIso(at), ...fieldsOfDelivery(delivery, isAttempt, redactor) });
}

/** The fields of a line: amounts in XOF, ids as in the API. Undefined fields are left out. */
type LogFields = Readonly<Record<string, unknown>>;

/** `request`: the id of the request that caused the event, if any. */
function fieldsOfEvent(event: DomainEvent, request: string | undefined, redactor: UrlRedactor): LogFields {
  return {
    resource: shownEventResource(event) ?? undefined,
    ...fieldsOfSubject(event, redactor),
    eventId: event.id,
    request,
  };
}

function fieldsOfSubject({ subject, type }: DomainEvent, redactor: UrlRedactor): LogFields {
  switch (subject.kind) {
    case "charge":
      return fieldsOfCharge(subject.charge, type === "charge.payment_failed");
    case "transaction":
      return {
        amount: toXof(subject.transaction.amount),
        reference: subject.transaction.reference,
        reason: subject.transaction.failureReason ?? undefined,
      };
    case "batch":
      return { amount: toXof(subject.batch.totalAmount), transactions: subject.batch.transactionIds.length };
    case "subscription":
      return { topic: subject.subscription.spelling, url: withoutCredentials(subject.subscription.url, redactor) };
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

/** `isAttempt`: whether the change is an attempt, which is then included. */
function fieldsOfDelivery(delivery: Delivery, isAttempt: boolean, redactor: UrlRedactor): LogFields {
  const { id, topic, url, attempts, eventId, nextAttemptAt } = delivery;
  const attempt = isAttempt ? attempts.at(-1) : undefined;
  return {
    resource: shownDeliveryResource(delivery),
    topic,
    url: withoutCredentials(url, redactor),
    attempt: attempt === undefined ? undefined : attempts.length,
    status: attempt?.status ?? undefined,
    durationMs: attempt === undefined ? undefined : rounded(attempt.latencyMs),
    reason: attempt?.error ?? undefined,
    nextAttemptAt: nextAttemptAt === null ? undefined : toIso(nextAttemptAt),
    delivery: id,
    eventId,
  };
}

/** Undefined when the delivery was only created or forgotten. */
function nameOfDelivery(before: Delivery | undefined, after: Delivery | undefined): string | undefined {
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

/** `endedAt`: real time, ms of the machine's monotonic clock, like `receivedAt`. */
function fieldsOfExchange({ exchange, companyId, requestId }: ExchangeEvent, endedAt: number): LogFields {
  const { at, method, path, status, receivedAt, operation, problem, rule, fault, answer } = exchange;
  return {
    company: companyId,
    now: toIso(at),
    request: requestId,
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

export function correlationIdOf(answer: unknown): string | undefined {
  const id = memberOf(answer, "correlationId");
  return typeof id === "string" ? id : undefined;
}

/** Rounds to tenths of a millisecond. */
export function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10;
}

type UrlRedactor = Pick<Sandbox["redactor"], "text">;

/** Without user, password and query, which may authenticate the caller. Redacted before: a secret may contain a question mark. */
function withoutCredentials(text: string, redactor: UrlRedactor): string | undefined {
  const url = parseUrl(redactor.text(text));
  return url === undefined ? undefined : url.origin + url.pathname;
}
