import { quote } from "../../kernel/text.js";
import { describeCause } from "./describe-request.js";
import { type Detector, nothing } from "./detector.js";
import { shownDeliveryResource } from "../../domain/model/delivery.js";

/** "An acknowledgement slower than 5 s": real time, ms. */
export const SLOW_ACKNOWLEDGEMENT_MS = 5_000;

/** Once for each receiving URL: one that is slow is slow every time. A time-out is the slowest of acknowledgements. */
export function createWebhookSlowDetector(): Detector {
  return {
    attempted({ latencyMs, status }, delivery, scene) {
      if (latencyMs <= SLOW_ACKNOWLEDGEMENT_MS) return nothing;
      const { id, topic, url } = delivery;
      const seconds = (latencyMs / 1000).toFixed(1);
      const what = status === null ? `was not acknowledged within ${seconds} s` : `was acknowledged after ${seconds} s`;
      return [
        {
          key: url,
          severity: "warning",
          why:
            `The webhook ${topic} of ${shownDeliveryResource(delivery)} to ${url} ${what} (delivery ${id}); ${SLOW_ACKNOWLEDGEMENT_MS / 1000} s is too ` +
            "slow. A service that gives up earlier counts it as failed and sends it again, so that the same event is worked on twice, at once.",
          fix: "Check the signature, store the event, answer 2xx at once, and do the work behind a queue. Let a second copy of an event change nothing.",
          requests: describeCause(delivery, scene),
        },
      ];
    },
  };
}

/** "A webhook never acknowledged after all retries." Who refuses what a rule has forged or cut does right. */
export function createWebhookUnacknowledgedDetector(): Detector {
  return {
    attempted({ error }, delivery, scene) {
      if (delivery.status !== "exhausted" || delivery.effect !== null) return nothing;
      const { id, topic, url, attempts } = delivery;
      const tries = attempts.length === 1 ? "one attempt" : `all ${attempts.length} attempts`;
      return [
        {
          key: id,
          severity: "high",
          why:
            `The webhook ${topic} of ${shownDeliveryResource(delivery)} to ${url} was never acknowledged: ${tries} failed, the last with ` +
            `${quote(error ?? "no error")} (delivery ${id}). Nobody will tell the client of this event again; its books now differ from the account.`,
          fix:
            "Answer every webhook with a 2xx as soon as it is stored, also one that is a duplicate or that needs nothing done, and only then work on " +
            "it. Beside that, read what stays open for too long with GET: a webhook may be lost for good.",
          requests: describeCause(delivery, scene),
        },
      ];
    },
  };
}
