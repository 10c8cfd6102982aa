import type { Instant } from "../../kernel/instant.js";
import { type Lifecycle, nextStatus } from "../../kernel/lifecycle.js";
import type { Attempt, Delivery, DeliveryStatus } from "./delivery.js";

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
