import { quote } from "../../kernel/text.js";
import { describeCause } from "./describe-request.js";
import type { Detector } from "./detector.js";
import { shownDeliveryResource } from "../../domain/model/delivery.js";

/** "An acknowledgement slower than 5 s": real time, ms. */
const SLOW_ACKNOWLEDGEMENT_MS = 5_000;

/** Once for each receiving URL. A time-out counts as a slow acknowledgement. */
export function createWebhookSlowDetector(): Detector {
  return {
    attempted({ latencyMs, status }, delivery, scene) {
      if (latencyMs <= SLOW_ACKNOWLEDGEMENT_MS) return [];
      const { id, topic, url } = delivery;
      const seconds = (latencyMs / 1000).toFixed(1);
      const what = status === null ? `was not acknowledged within ${seconds} s` : `was acknowledged after ${seconds} s`;
      const why =
        `The webhook ${topic} of ${shownDeliveryResource(delivery)} to ${url} ${what} (delivery ${id}); ${SLOW_ACKNOWLEDGEMENT_MS / 1000} s is too ` +
        "slow. A service that gives up earlier counts it as failed and sends it again, so that the same event is worked on twice, at once.";
      return [{ key: url, why, requests: describeCause(delivery, scene) }];
    },
  };
}

/** "A webhook never acknowledged after all retries." A receiver is right to refuse a delivery that a rule has forged or cut. */
export function createWebhookUnacknowledgedDetector(): Detector {
  return {
    attempted({ error }, delivery, scene) {
      if (delivery.status !== "exhausted" || delivery.effect !== null) return [];
      const { id, topic, url, attempts } = delivery;
      const tries = attempts.length === 1 ? "one attempt" : `all ${attempts.length} attempts`;
      const why =
        `The webhook ${topic} of ${shownDeliveryResource(delivery)} to ${url} was never acknowledged: ${tries} failed, the last with ` +
        `${quote(error ?? "no error")} (delivery ${id}). Nobody will tell the client of this event again; its books now differ from the account.`;
      return [{ key: id, why, requests: describeCause(delivery, scene) }];
    },
  };
}
