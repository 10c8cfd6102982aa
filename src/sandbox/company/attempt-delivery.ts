import type { TransportRequest } from "../../adapters/delivery/transport.js";
import { VERSION } from "../../kernel/version.js";
import type { Company } from "./company.js";
import { type Attempt, type Delivery, attemptsWith, nextRetryAt, recordAttempt } from "../../domain/model/delivery.js";
import { signedBody } from "../../domain/deliveries/sign-delivery.js";
import type { Work } from "../../domain/model/work.js";

/**
 * Begins one attempt of a delivery; resolves when its outcome is recorded. Undefined when the delivery was cancelled or forgotten before its turn.
 * `turn` is the place of its retry in the order in which due work was scheduled. The place was taken when the attempt was enqueued, so that the order of
 * retries does not depend on which receiver answers first.
 */
export function attemptDelivery(
  company: Company,
  deliveryId: string,
  turn: number,
  signal: AbortSignal,
): Promise<{ readonly succeeded: boolean }> | undefined {
  const delivery = company.world.deliveries.get(deliveryId);
  if (delivery === undefined || delivery.status !== "pending") return undefined;
  return attempt(company, delivery, turn, signal);
}

async function attempt(company: Company, delivery: Delivery, turn: number, signal: AbortSignal) {
  const at = company.now();
  const request = company.watcher.watch(() => requestOf(company, delivery, signal));
  company.events.emit("attempting", { company, delivery, at });
  const result = await company.deps.transport.send(request);
  const sent: Attempt = { at, requestHeaders: request.headers, ...result };
  const made = losesAnswer(delivery) && sent.error === null ? { ...sent, ...LOST_ANSWER } : sent;
  const succeeded = made.error === null;
  if (signal.aborted) return { succeeded };
  // Network calls take no sandbox time: with a frozen clock an attempt ends at the instant at which it began.
  const endedAt = company.clock.mode === "running" && !company.clock.pinned ? company.now() : at;
  company.runAhead(storeAttempt, { deliveryId: delivery.id, attempt: made, endedAt, turn });
  const stored = company.world.deliveries.get(delivery.id);
  if (stored !== undefined) company.events.emit("attempted", { company, attempt: made, delivery: stored });
  // The attempt keeps its place until it is stored: otherwise attempts could outrun the store, which keeps in memory what it has not written yet.
  await company.deps.store.durable()?.catch(() => undefined);
  return { succeeded };
}

function requestOf({ profile, record }: Company, delivery: Delivery, signal: AbortSignal): TransportRequest {
  const { allow, timeout: timeoutMs, insecureTls, signatureHeader, topicHeader } = profile.webhooks;
  // The signed bytes are the sent bytes, unless a rule corrupts the signature or cuts the body.
  const { body, signature } = signedBody(delivery, delivery.attempts.length + 1, record.identity.secretKey);
  const headers = {
    "content-type": "application/json",
    "user-agent": `business-payments-sandbox/${VERSION}`,
    [signatureHeader]: signature,
    ...(topicHeader === null ? {} : { [topicHeader]: delivery.topic }),
  };
  return { url: delivery.url, body, headers, timeoutMs, insecureTls, allow, signal };
}

/** Whether a rule loses the acknowledgement of the next attempt. */
function losesAnswer({ effect, attempts }: Delivery): boolean {
  return attempts.length < (effect?.loseAnswers ?? 0);
}

export const LOST_ANSWER = { status: null, response: null, error: "A rule of the sandbox lost the answer" } as const;

interface AttemptReport {
  readonly deliveryId: string;
  readonly attempt: Attempt;
  readonly endedAt: number;
  readonly turn: number;
}

/** If the delivery was cancelled during the attempt, the attempt is added to it and nothing else changes. */
function storeAttempt(work: Work, { deliveryId, attempt, endedAt, turn }: AttemptReport): void {
  const { deliveries } = work.world;
  const delivery = deliveries.get(deliveryId);
  if (delivery === undefined) return;
  const made = attemptsWith(delivery, attempt, deliveries.size);
  if (delivery.status !== "pending") {
    work.put(deliveries, { ...delivery, attempts: made });
    return;
  }
  const attempts = delivery.attempts.length + 1;
  // Deleting a subscription stops its retries, even those of a delivery that was redelivered afterwards.
  const isRetried = attempt.error !== null && work.world.subscriptions.get(delivery.subscriptionId) !== undefined;
  const retryAt = isRetried ? nextRetryAt(work.profile.webhooks.retry, attempts, endedAt) : null;
  work.put(deliveries, recordAttempt(work, delivery, made, retryAt));
  if (retryAt !== null) work.schedule("delivery.attempt", deliveryId, retryAt, turn);
}
