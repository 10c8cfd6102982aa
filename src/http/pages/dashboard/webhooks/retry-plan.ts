import type { Attempt, Delivery } from "../../../../domain/model/delivery.js";
import type { Instant } from "../../../../kernel/instant.js";

/** One attempt of a delivery. */
export type RetryStep =
  | { readonly kind: "made"; readonly number: number; readonly attempt: Attempt }
  /** The next one. `at` null: it is being made, or a rule holds it back. */
  | { readonly kind: "planned"; readonly number: number; readonly at: Instant | null }
  /** Made if the one before fails, at `at` or later. */
  | { readonly kind: "possible"; readonly number: number; readonly at: Instant };

/** The attempts so far, and those that follow as long as each one fails. `gapsMs` is `webhooks.retry`. */
export function retryPlanOf(
  { attempts, status, nextAttemptAt }: Delivery,
  gapsMs: readonly number[],
  isSubscribed: boolean,
): readonly RetryStep[] {
  const made = attempts.map((attempt, index): RetryStep => ({ kind: "made", number: index + 1, attempt }));
  if (status !== "pending") return made;
  const next = attempts.length + 1;
  const steps: RetryStep[] = [...made, { kind: "planned", number: next, at: nextAttemptAt }];
  // Deleting a subscription stops its retries.
  if (nextAttemptAt === null || !isSubscribed) return steps;
  let at = nextAttemptAt;
  for (const [index, gap] of gapsMs.slice(next - 1).entries()) {
    at += gap;
    steps.push({ kind: "possible", number: next + 1 + index, at });
  }
  return steps;
}
