import { toXof } from "../domain/values/money.js";
import type { Charge } from "../domain/model/charge.js";
import { type Delivery, type DeliveryStatus, shownDeliveryResource } from "../domain/model/delivery.js";
import { type DomainEvent, shownEventResource } from "../domain/model/events.js";
import type { Transfer } from "../domain/model/transfer.js";
import { type Instant, toIso } from "../kernel/instant.js";
import { parseUrl } from "../kernel/text.js";
import type { Exchange } from "./company/exchange.js";
import type { World } from "../domain/model/work.js";
import type { Log } from "../kernel/log.js";
import { type Change, isChangeOf } from "../kernel/unit-of-work.js";
import type { Company } from "./company/company.js";
import type { ExchangeEvent, Sandbox } from "./sandbox.js";

export interface Narrator {
  /** Says at once what there is to say. */
  catchUp(): void;
  /** As that, and nothing after it. */
  stop(): void;
}

/** Something that happened. Rows are immutable, so that it can be told of later. */
type Happening = EventHappening | DeliveryHappening | RequestHappening;

interface EventHappening {
  readonly kind: "event";
  readonly company: string;
  /** After a reset a company of the same id has another. */
  readonly world: World;
  readonly event: DomainEvent;
}

interface DeliveryHappening {
  readonly kind: "delivery";
  readonly company: string;
  readonly at: Instant;
  readonly name: string;
  readonly delivery: Delivery;
  readonly attempted: boolean;
}

interface RequestHappening {
  readonly kind: "request";
  readonly answered: ExchangeEvent;
  /** Real time, as its `receivedAt`. */
  readonly endedAt: number;
}

/** More than these wait for nothing. */
const WAITING_MAX = 10_000;

/**
 * Tells the sandbox's log of each state change (info) and of each request to the API under test (debug), with the company and the time of its clock.
 * What the log does not want costs nothing; what it wants is worded after the answer was made, when it is known which request caused what.
 */
export function narrate(sandbox: Sandbox): Narrator {
  const { log, system } = sandbox;
  if (!wants(log, "info")) return { catchUp: () => undefined, stop: () => undefined };
  let waiting: Happening[] = [];
  const tell = (): void => {
    const told = waiting;
    waiting = [];
    tellAll(log, told);
  };
  const wait = (happening: Happening): void => {
    waiting.push(happening);
    if (waiting.length === 1) void whenAnswered(sandbox).then(tell);
    else if (waiting.length > WAITING_MAX) tell();
  };
  const stopRequests = sandbox.events.on("exchange", (answered) =>
    wait({ kind: "request", answered, endedAt: system.monotonic() }),
  );
  const stopChanges = sandbox.events.on("changed", ({ company, changes }) => {
    for (const change of changes) {
      const happening = readChange(company, change);
      if (happening !== undefined) wait(happening);
    }
  });
  return {
    catchUp: tell,
    stop() {
      stopRequests();
      stopChanges();
      tell();
    },
  };
}

function wants(log: Log, level: "debug" | "info"): boolean {
  return log.wants?.(level) === true;
}

/** When what has just happened is kept, and the answer to the request that caused it, if any, was made. */
async function whenAnswered(sandbox: Sandbox): Promise<void> {
  // The commit is not over yet.
  await Promise.resolve();
  // That it could not be kept is for those to tell who answer for it.
  await sandbox.durable()?.catch(() => undefined);
  await sandbox.system.yieldToEventLoop();
}

function readChange(owner: Company, change: Change): Happening | undefined {
  const { id: company, world } = owner;
  if (isChangeOf(world.events, change)) {
    const { before, after: event } = change;
    return before === undefined && event !== undefined ? { kind: "event", company, world, event } : undefined;
  }
  if (!isChangeOf(world.deliveries, change)) return undefined;
  const { before, after: delivery } = change;
  const name = nameOfDelivery(before, delivery);
  if (name === undefined || delivery === undefined) return undefined;
  const attempted = delivery.attempts.length > (before?.attempts.length ?? 0);
  const at = owner.now();
  return { kind: "delivery", company, at, name, delivery, attempted };
}

/** A bug in one line costs that line alone. */
function tellAll(log: Log, happenings: readonly Happening[]): void {
  const requests = happenings.filter((each) => each.kind === "request");
  for (const happening of happenings) {
    try {
      tellOf(log, happening, requests);
    } catch (error) {
      log.write("error", "bug", { error: error instanceof Error ? error.stack : String(error) });
    }
  }
}

function tellOf(log: Log, happening: Happening, requests: readonly RequestHappening[]): void {
  switch (happening.kind) {
    case "event": {
      const { company, event } = happening;
      const cause = requests.find((request) => hasCaused(request, happening));
      const fields = fieldsOfEvent(event, cause?.answered.requestId);
      return log.write("info", event.type, { company, now: toIso(event.at), ...fields });
    }
    case "delivery": {
      const { company, at, name, delivery, attempted } = happening;
      return log.write("info", name, { company, now: toIso(at), ...fieldsOfDelivery(delivery, attempted) });
    }
    case "request": {
      if (!wants(log, "debug")) return undefined;
      const { endedAt, answered } = happening;
      const { exchange, companyId, requestId } = answered;
      const fields = fieldsOfExchange(exchange, requestId, endedAt);
      return log.write("debug", "request", { company: companyId, now: toIso(exchange.at), ...fields });
    }
  }
}

function hasCaused({ answered }: RequestHappening, { world, event }: EventHappening): boolean {
  const { made, company } = answered.exchange;
  return company?.world === world && event.seq > made.from && event.seq <= made.to;
}

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
