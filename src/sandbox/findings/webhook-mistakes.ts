import { damageOf } from "../../domain/deliveries/sign-delivery.js";
import { type Delivery, shownDeliveryResource } from "../../domain/model/delivery.js";
import { type Subscription, shownTopic } from "../../domain/model/subscription.js";
import { countBy } from "../../kernel/collections.js";
import { quote } from "../../kernel/messages/text.js";
import { type Detection, type Detector, type Scene, describeCause, describeRequest } from "./detector.js";
import { FINDINGS_MAX } from "./finding.js";
import { RecentMap } from "../../kernel/records/recent-map.js";

/** An acknowledgement that takes longer is slow: real time, ms. */
const SLOW_ACKNOWLEDGEMENT_MS = 5_000;

/** A slow acknowledgement, or a time-out. Once for each receiving URL. */
export const webhookSlow: Detector = {
  attempted({ latencyMs, status }, delivery, scene) {
    if (latencyMs <= SLOW_ACKNOWLEDGEMENT_MS) return [];
    const { id, topic, url } = delivery;
    const seconds = (latencyMs / 1000).toFixed(1);
    const what = status === null ? `was not acknowledged within ${seconds} s` : `was acknowledged after ${seconds} s`;
    const why =
      `The webhook ${topic} of ${shownDeliveryResource(delivery)} to ${url} ${what} (delivery ${id}); ${SLOW_ACKNOWLEDGEMENT_MS / 1000} s is too ` +
      "slow. A service that gives up earlier sends the event again, and the receiver works on it twice at the same time.";
    return [{ key: url, why, requests: describeCause(delivery, scene) }];
  },
};

/**
 * A webhook that was not acknowledged after all retries, or when the run ends, even if the clock did not move. Deliveries that a rule changed are left
 * out: a receiver is right to refuse what is forged or cut.
 */
export const webhookUnacknowledged: Detector = {
  attempted(_, delivery, scene) {
    if (delivery.status !== "exhausted" || delivery.effect !== null) return [];
    const { attempts } = delivery;
    const tries = attempts.length === 1 ? "one attempt" : `all ${attempts.length} attempts`;
    const what = `was never acknowledged: ${tries} failed, the last with ${lastErrorOf(delivery)}`;
    return [
      describeUnacknowledged(
        delivery,
        `${what} (delivery ${delivery.id}). The service does not send this event again, so the client's records may differ from the account.`,
        scene,
      ),
    ];
  },
  ended({ at, waited }, scene) {
    const open = scene.world.deliveries.values().filter((delivery) => {
      const { attempts, effect, status, nextAttemptAt, resource } = delivery;
      if (status !== "pending" || effect !== null || scene.isAudited(resource) || cameTooLate(delivery)) return false;
      // A rule may hold back a delivery, which then has no due attempt.
      return attempts.length > 0 || (waited && nextAttemptAt !== null && nextAttemptAt <= at);
    });
    // Describe no more than are kept, the newest: each takes time.
    return open.slice(-FINDINGS_MAX).map((delivery) => {
      const { id, attempts } = delivery;
      const what =
        attempts.length === 0
          ? "it had no answer yet"
          : `${attempts.length === 1 ? "its attempt" : `its ${attempts.length} attempts`} failed, the last with ${lastErrorOf(delivery)}`;
      return describeUnacknowledged(
        delivery,
        `was not acknowledged when the run ended: ${what} (delivery ${id}).`,
        scene,
      );
    });
  },
};

/** Whether a rule held the delivery back until its receiver had ended, as happens when the command under test runs its own receiver. */
function cameTooLate({ turn, seq, attempts }: Delivery): boolean {
  return turn !== seq && attempts.length > 0 && attempts.every(({ error }) => error?.startsWith("ECONNREFUSED"));
}

function lastErrorOf({ attempts }: Delivery): string {
  return quote(attempts.at(-1)?.error ?? "no error");
}

function describeUnacknowledged(delivery: Delivery, what: string, scene: Scene): Detection {
  const { id, topic, url } = delivery;
  const why = `The webhook ${topic} of ${shownDeliveryResource(delivery)} to ${url} ${what}`;
  const status = delivery.attempts.at(-1)?.status;
  const fix = status === 401 || status === 403 ? { fix: REFUSED } : {};
  return { key: id, why, requests: describeCause(delivery, scene), ...fix };
}

const REFUSED =
  "The receiver refuses the signature. Compare the header with the base64 of the HMAC-SHA256 of the raw body under this company's secret key; " +
  "`npx business-payments-sandbox audit URL` reports what the receiver accepts instead. Then answer every genuine webhook with a 2xx.";

/** A forged or cut webhook that was acknowledged with 2xx. Once for each receiving URL and kind of damage. */
export const forgedAcknowledged: Detector = {
  attempted({ error }, delivery, scene) {
    const { id, topic, url, body, attempts } = delivery;
    const { corruptSignature, truncate } = damageOf(delivery, attempts.length);
    const isCut = truncate !== null && truncate < Buffer.byteLength(body);
    if (error !== null || (!corruptSignature && !isCut)) return [];
    const what = corruptSignature ? "a wrong signature" : "a body that was cut after it was signed";
    const why =
      `The webhook ${topic} of ${shownDeliveryResource(delivery)} to ${url} had ${what}, and was acknowledged (delivery ${id}). ` +
      "A receiver that accepts it accepts events from anyone: anyone can report an order as paid.";
    return [{ key: `${url} ${what}`, why, requests: describeCause(delivery, scene) }];
  },
};

/** How many duplicated subscriptions are remembered. */
const DUPLICATES_MAX = 1_000;

/** The same topic and URL subscribed more than once. Withdrawn when all but one are deleted. */
export function createDuplicateSubscriptionDetector(): Detector {
  /** The duplicates that were reported, by the key of the detection. */
  const reported = new RecentMap<string, true>(DUPLICATES_MAX);
  return {
    see(entry, scene) {
      const { operation, status } = entry;
      if (operation === "deleteWebhook" && status < 300) {
        const counts = reported.size === 0 ? undefined : countSubscriptions(scene);
        return [...reported.keys()].flatMap((key) => {
          if (counts?.get(key) !== 1) return [];
          reported.delete(key);
          return [{ withdraws: key }];
        });
      }
      if (operation !== "createWebhook" || status >= 300) return [];
      // Others may have been made before this request was answered.
      const [subscription] = scene.world.subscriptions.within(entry.made.from, entry.made.to);
      if (subscription === undefined) return [];
      const { url } = subscription;
      const key = keyOf(subscription);
      const count = countSubscriptions(scene).get(key) ?? 0;
      if (count < 2) return [];
      reported.add(key, true);
      const why =
        `${url} is subscribed to ${shownTopic(scene.profile, subscription)} ${count} times (${entry.id} is the newest). Every event comes ` +
        `${count} times, and a client that does not notice ships, pays or refunds as often.`;
      return [{ key, why, requests: [describeRequest(entry, scene)] }];
    },
  };
}

/** Equal for subscriptions of one topic and URL, however the URL's host is written. */
function keyOf({ topic, url }: Subscription): string {
  return `${topic} ${new URL(url).href}`;
}

function countSubscriptions({ world }: Scene): ReadonlyMap<string, number> {
  return countBy(world.subscriptions.values(), keyOf);
}
