import { shownDeliveryResource } from "../../../contract/ids.js";
import { quote } from "../../../kernel/text.js";
import { describeCause } from "../describe-request.js";
import { type Detector, nothing } from "./detector.js";

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
