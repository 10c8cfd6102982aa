import type { TransportResult } from "../adapters/delivery/transport.js";
import type { Attempt, Delivery, Headers } from "../domain/deliveries/delivery.js";
import { recordAttempt } from "../domain/deliveries/delivery-lifecycle.js";
import { nextRetryAt } from "../domain/deliveries/retry-policy.js";
import { signBody } from "../domain/deliveries/signature.js";
import { isReceiverAllowed } from "../domain/subscriptions/allowed-receivers.js";
import type { Work } from "../domain/work.js";
import { VERSION } from "../kernel/version.js";
import type { Company } from "./company.js";

/** Makes one attempt of a delivery and records what came of it. Undefined when it was cancelled before its turn. */
export async function attemptDelivery(
  company: Company,
  deliveryId: string,
  signal: AbortSignal,
): Promise<{ readonly succeeded: boolean } | undefined> {
  const delivery = company.world.deliveries.get(deliveryId);
  if (delivery === undefined || delivery.status !== "pending") return undefined;
  const at = company.now();
  // Taken now, so that the order of retries is the order of the attempts, whichever receiver answers first.
  const retrySeq = company.nextSeq();
  const requestHeaders = headersOf(company, delivery);
  const result = await send(company, delivery, requestHeaders, signal);
  if (signal.aborted) return undefined;
  const attempt: Attempt = { at, requestHeaders, ...result };
  // "network calls take no sandbox time": on a standing clock an attempt ends at the instant at which it began.
  const endedAt = company.clock.mode === "running" && !company.clock.pinned ? company.now() : at;
  company.run(storeAttempt, { deliveryId, attempt, endedAt, retrySeq });
  company.deliveriesChanged.raise();
  return { succeeded: attempt.error === null };
}

/** The bytes that are signed are the bytes that are sent. */
function headersOf({ profile, record }: Company, delivery: Delivery): Headers {
  const { signatureHeader, topicHeader } = profile.webhooks;
  return {
    "content-type": "application/json",
    "user-agent": `business-payments-sandbox/${VERSION}`,
    [signatureHeader]: signBody(delivery.body, record.identity.secretKey),
    ...(topicHeader === null ? {} : { [topicHeader]: delivery.topic }),
  };
}

async function send(company: Company, delivery: Delivery, headers: Headers, signal: AbortSignal): Promise<TransportResult> {
  const { allow, timeout, insecureTls } = company.profile.webhooks;
  if (!isReceiverAllowed(allow, delivery.url)) {
    return { status: null, latencyMs: 0, error: "refused: webhooks.allow does not permit this host", response: null };
  }
  const { url, body } = delivery;
  return company.deps.transport.send({ url, body, headers, timeoutMs: timeout, insecureTls, signal });
}

interface AttemptReport {
  readonly deliveryId: string;
  readonly attempt: Attempt;
  readonly endedAt: number;
  readonly retrySeq: number;
}

/** A delivery that was cancelled or forgotten while its attempt was on the wire keeps the attempt at most. */
function storeAttempt(work: Work, { deliveryId, attempt, endedAt, retrySeq }: AttemptReport): void {
  const { deliveries } = work.world;
  const delivery = deliveries.get(deliveryId);
  if (delivery === undefined) return;
  if (delivery.status !== "pending") {
    work.put(deliveries, { ...delivery, attempts: [...delivery.attempts, attempt] });
    return;
  }
  const attempts = delivery.attempts.length + 1;
  const retryAt = attempt.error === null ? null : nextRetryAt(work.profile.webhooks.retry, attempts, endedAt);
  work.put(deliveries, recordAttempt(delivery, attempt, retryAt));
  if (retryAt !== null) work.schedule("delivery.attempt", deliveryId, retryAt, retrySeq);
}
