import * as z from "zod";
import {
  absoluteUrl,
  anyText,
  count,
  flag,
  id,
  listOf,
  object,
  storedAs,
  storedInstant,
  storedTimer,
  TEXT_MAX,
  word,
  refuseCodec,
} from "../../kernel/fields.js";
import { isObject } from "../../kernel/messages/json.js";
import type { Instant } from "../../kernel/time/instant.js";
import { type Lifecycle, type MoveLog, nextStatus, statusesOf } from "../../kernel/records/lifecycle.js";
import { plainId, transactionId } from "../values/ids.js";

/** `failed`: a rule dropped it. `exhausted`: all retries have failed. `cancelled`: its subscription was deleted. */
export type DeliveryStatus = "pending" | "succeeded" | "failed" | "exhausted" | "cancelled";

export type DeliveryAction = "succeed" | "retry" | "exhaust" | "cancel" | "drop" | "redeliver";

export const deliveryLifecycle = {
  pending: {
    succeed: ["succeeded"],
    retry: ["pending"],
    exhaust: ["exhausted"],
    cancel: ["cancelled"],
    drop: ["failed"],
    redeliver: ["pending"],
  },
  succeeded: { redeliver: ["pending"] },
  failed: { redeliver: ["pending"] },
  exhausted: { redeliver: ["pending"] },
  cancelled: { redeliver: ["pending"] },
} as const satisfies Lifecycle<DeliveryStatus, DeliveryAction>;

/**
 * The most characters of the bodies of the webhooks that one request or due item makes: each webhook keeps its own body in the store, where one of 256 MiB
 * could not be written.
 */
export const WEBHOOK_BYTES_OF_WORK_MAX = 64 * 1024 * 1024;

/** How a rule changes what is sent. The signature is that of the whole body, unless it is corrupted. */
const effectRow = object({
  corruptSignature: flag,
  /** How many bytes of the body are sent; null means all. */
  truncate: count.nullable(),
  /** How many acknowledgements are lost before one counts. */
  loseAnswers: count.default(0),
  /** In how many attempts, counted from the first, the signature or the body is wrong; null means in all. */
  attempts: count.nullable().default(null),
});

export type WireEffect = Readonly<z.output<typeof effectRow>>;

export type Headers = Readonly<Record<string, string>>;

const headers: z.ZodType<Headers> = z.custom<Headers>(
  (given) =>
    isObject(given) && Object.values(given).every((value) => typeof value === "string" && value.length <= TEXT_MAX),
  { error: `must be an object of strings of at most ${TEXT_MAX} characters` },
);

/** The outcome of an attempt to deliver: a value with a reason, never an exception. */
const attemptRow = object({
  /** The company's time when the attempt began. */
  at: storedInstant,
  /** The HTTP status; null when no answer came. */
  status: count.nullable(),
  /** Real time, ms. */
  latencyMs: z.number({ error: "must be a number" }),
  /** Why the attempt counts as failed; null when it succeeded. The contract: "a 2xx status to confirm receipt". */
  error: anyText().nullable(),
  requestHeaders: headers,
  /** Null when no answer came or the answer is no longer kept. The headers and the body are cut at 4 KiB each. */
  response: object({ headers, body: anyText() }).nullable(),
});

export type Attempt = Readonly<z.output<typeof attemptRow>>;

/** One event to deliver to one subscription. */
const plainRow = object({
  id,
  seq: count,
  createdAt: storedInstant,
  eventId: id,
  subscriptionId: id,
  /** The topic as the subscriber spells it. */
  topic: anyText(),
  url: absoluteUrl,
  /** The id of the charge or transaction, without the prefix of the wire. */
  resource: id,
  resourceKind: word(["charge", "transaction"]),
  /** The exact text of every attempt's body: the signed bytes are the sent bytes. */
  body: anyText(WEBHOOK_BYTES_OF_WORK_MAX),
  /** 0 for the delivery itself; from 1 for the copies that a rule adds. */
  copy: count,
  /** The place in the order of first attempts: its `seq`, or a later place when a rule held it back. */
  turn: count,
  /** What a rule does to its attempts; null means nothing. */
  effect: effectRow.nullable(),
  status: word<DeliveryStatus>(statusesOf(deliveryLifecycle)),
  /** When the next attempt is due; null when none is planned. */
  nextAttemptAt: storedTimer.nullable(),
  attempts: listOf(attemptRow),
});

export type Delivery = Readonly<z.output<typeof plainRow>>;

export const deliveryRow: z.ZodType<Delivery> = storedAs<Delivery>(plainRow, {
  decode: (delivery) => ({
    ...delivery,
    resource: delivery.resourceKind === "transaction" ? plainId(delivery.resource) : delivery.resource,
  }),
  encode: (delivery) => ({ ...delivery, resource: shownDeliveryResource(delivery) }),
});

/** The id that the API shows. */
export function shownDeliveryResource({ resource, resourceKind }: Pick<Delivery, "resource" | "resourceKind">): string {
  return resourceKind === "transaction" ? transactionId(resource) : resource;
}

/** Whether the receiver has not accepted the delivery: the last attempt failed, whether or not another follows. */
export function isFailing({ status, attempts }: Pick<Delivery, "status" | "attempts">): boolean {
  return status === "exhausted" || (status === "pending" && attempts.at(-1)?.error != null);
}

/** Events of one resource go to one receiver in order. A receiver is the origin of a URL. */
export function receiverOf(url: string): string {
  return new URL(url).origin;
}

/** The newest attempts of one delivery that are kept. No plan of retries makes more; redelivering by hand can. */
export const ATTEMPTS_KEPT = 200;

/**
 * The newest attempts of one delivery whose answers are kept, and whose bodies are shown: a store writes all of them again with each attempt. By
 * default there are six attempts.
 */
export const ANSWERS_KEPT = 20;

/** Beyond this many deliveries each one keeps only its newest answer, because a receiver chooses how large its answers are. */
const DELIVERIES_WITH_ANSWERS = 2_000;

/** The attempts of a delivery with one more. `deliveries` is how many the company has. */
export function attemptsWith(
  { attempts }: Pick<Delivery, "attempts">,
  attempt: Attempt,
  deliveries: number,
): readonly Attempt[] {
  const kept = [...attempts.slice(-(ATTEMPTS_KEPT - 1)), attempt];
  const answers = deliveries > DELIVERIES_WITH_ANSWERS ? 1 : ANSWERS_KEPT;
  return kept.map((one, index) => (index < kept.length - answers ? { ...one, response: null } : one));
}

/** The delivery after an attempt: done, planned again, or given up. */
export function recordAttempt(
  log: MoveLog,
  delivery: Delivery,
  attempts: readonly Attempt[],
  retryAt: Instant | null,
): Delivery {
  const action = attempts.at(-1)?.error === null ? "succeed" : retryAt === null ? "exhaust" : "retry";
  const nextAttemptAt = action === "retry" ? retryAt : null;
  return { ...moveDelivery(log, delivery, action, nextAttemptAt), attempts };
}

/** The only function that changes a delivery's status. */
export function moveDelivery(
  log: MoveLog,
  delivery: Delivery,
  action: DeliveryAction,
  nextAttemptAt: Instant | null,
): Delivery {
  const { status: from } = delivery;
  const status = nextStatus<DeliveryStatus, DeliveryAction>(log, deliveryLifecycle, "delivery", from, action);
  return { ...delivery, status, nextAttemptAt };
}

const storedHold = object({
  seq: count,
  ruleId: id,
  resource: id,
  /** The one event that is held; null means all events of the resource (`reverse`). */
  eventId: id.nullable().default(null),
  /** How many later webhooks the hold still waits for; null when it waits for none. */
  left: count.nullable().default(null),
  /** In the order in which they were enqueued. */
  deliveryIds: listOf(id),
});

/** The deliveries of one resource, or of one event, that a rule holds back. Its id is {@link holdId}. */
export type Hold = Readonly<z.output<typeof storedHold>> & { readonly id: string };

/** A hold's id follows from its fields, so it is not stored. */
export const holdRow: z.ZodType<Hold> = z.codec(storedHold, z.custom<Hold>(), {
  decode: (hold) => ({ ...hold, id: holdId(hold) }),
  encode: ({ id: given, ...hold }, context) =>
    given === holdId(hold) ? hold : refuseCodec(context, given, "must have the id of its rule and resource"),
});

export function holdId({ ruleId, resource, eventId }: Pick<Hold, "ruleId" | "resource" | "eventId">): string {
  return `${ruleId}:${eventId ?? resource}`;
}

/**
 * When the next attempt is due after this many failed `attempts`; null means that the delivery is given up. The gaps are on the company's clock,
 * counted from the end of the attempt before.
 *
 * The contract: "Retries and time-outs on delivery: not shown."
 */
export function nextRetryAt(gapsMs: readonly number[], attempts: number, endedAt: Instant): Instant | null {
  const gap = gapsMs[attempts - 1];
  return gap === undefined ? null : endedAt + gap;
}
