import type { Instant } from "../../kernel/instant.js";
import type { Row } from "../../kernel/table.js";
import { type Lifecycle, nextStatus } from "../../kernel/lifecycle.js";

/** `failed`: a rule dropped it. `exhausted`: no retry is left. `cancelled`: its subscription was deleted. */
export type DeliveryStatus = "pending" | "succeeded" | "failed" | "exhausted" | "cancelled";

/** One event owed to one subscription. */
export interface Delivery extends Row {
  readonly id: string;
  readonly createdAt: Instant;
  readonly eventId: string;
  readonly subscriptionId: string;
  /** In the subscriber's spelling. */
  readonly topic: string;
  readonly url: string;
  /** The id of the charge or transaction, without the prefix of the wire. */
  readonly resource: string;
  readonly resourceKind: "charge" | "transaction";
  /** The exact text of every attempt's body: what is signed is what is sent. */
  readonly body: string;
  /** 0; 1 and up for what a rule sends once more. */
  readonly copy: number;
  /** Its place in the order in which first attempts are made: its own, or a later one when a rule held it back. */
  readonly turn: number;
  /** What a rule does to every attempt of it; null: nothing. */
  readonly effect: WireEffect | null;
  readonly status: DeliveryStatus;
  /** When the next attempt is due; null when none is planned. */
  readonly nextAttemptAt: Instant | null;
  readonly attempts: readonly Attempt[];
}

/** The signature is that of the whole body, unless it is corrupted. */
export interface WireEffect {
  readonly corruptSignature: boolean;
  /** How many bytes of the body are sent; null: all. */
  readonly truncate: number | null;
}

export type Headers = Readonly<Record<string, string>>;

/** What an attempt to deliver came to. A value with a reason, never an exception. */
export interface Attempt {
  /** The company's time when it began. */
  readonly at: Instant;
  /** The HTTP status; null when no answer came. */
  readonly status: number | null;
  /** Real time, ms. */
  readonly latencyMs: number;
  /** Why it counts as failed; null when it succeeded ("a 2xx status to confirm receipt"). */
  readonly error: string | null;
  readonly requestHeaders: Headers;
  /** Null when no answer came. The body is cut at 4 KiB. */
  readonly response: { readonly headers: Headers; readonly body: string } | null;
}

/** Events of one resource go to one receiver in order: a receiver is the origin of a URL. */
export function receiverOf(url: string): string {
  return new URL(url).origin;
}

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

/** Attempts of one delivery that are kept, the newest: more than any plan of retries makes, so only who sends it again and again by hand gets there. */
export const ATTEMPTS_KEPT = 200;

/** Its attempts with one more. */
export function attemptsWith({ attempts }: Pick<Delivery, "attempts">, attempt: Attempt): readonly Attempt[] {
  return [...attempts.slice(-(ATTEMPTS_KEPT - 1)), attempt];
}

/** After an attempt: done, planned again, or given up. */
export function recordAttempt(delivery: Delivery, attempt: Attempt, retryAt: Instant | null): Delivery {
  const attempts = attemptsWith(delivery, attempt);
  if (attempt.error === null) return move(delivery, "succeed", { attempts, nextAttemptAt: null });
  return retryAt === null
    ? move(delivery, "exhaust", { attempts, nextAttemptAt: null })
    : move(delivery, "retry", { attempts, nextAttemptAt: retryAt });
}

export function cancelDelivery(delivery: Delivery): Delivery {
  return move(delivery, "cancel", { nextAttemptAt: null });
}

/** A rule keeps it from ever being sent by itself. */
export function dropDelivery(delivery: Delivery): Delivery {
  return move(delivery, "drop", { nextAttemptAt: null });
}

/** One more attempt now, whatever became of the earlier ones. */
export function redeliver(delivery: Delivery, at: Instant): Delivery {
  return move(delivery, "redeliver", { nextAttemptAt: at });
}

function move(delivery: Delivery, action: DeliveryAction, change: Partial<Delivery>): Delivery {
  const status = nextStatus<DeliveryStatus, DeliveryAction>(deliveryLifecycle, "delivery", delivery.status, action);
  return { ...delivery, ...change, status };
}

/** What a rule (`reverse`) holds back of one resource's events. */
export interface Hold extends Row {
  /** {@link holdId} */
  readonly id: string;
  readonly ruleId: string;
  readonly resource: string;
  /** In the order in which they came to be owed. */
  readonly deliveryIds: readonly string[];
}

export function holdId(ruleId: string, resource: string): string {
  return `${ruleId}:${resource}`;
}

/**
 * When the attempt after `attempts` failed ones is due; null: give up. The gaps are on the company's clock, counted from the end of the attempt before.
 * The contract: "Retries and time-outs on delivery: not shown."
 */
export function nextRetryAt(gapsMs: readonly number[], attempts: number, endedAt: Instant): Instant | null {
  const gap = gapsMs[attempts - 1];
  return gap === undefined ? null : endedAt + gap;
}
