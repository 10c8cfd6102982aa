import { cancelDelivery } from "../deliveries/delivery-lifecycle.js";
import type { Work } from "../work.js";
import { getSubscription } from "./create-subscription.js";

/** DELETE /v1/webhooks/:id. What it still owes is cancelled: nothing more is sent to that URL on its behalf. */
export function deleteSubscription(work: Work, id: string): void {
  const subscription = getSubscription(work, id);
  work.remove(work.world.subscriptions, id);
  for (const delivery of work.world.deliveries.values()) {
    if (delivery.subscriptionId !== id || delivery.status !== "pending") continue;
    work.put(work.world.deliveries, cancelDelivery(delivery));
    work.unschedule("delivery.attempt", delivery.id);
  }
  work.emit({ type: "subscription.deleted", resource: id, subject: { kind: "subscription", subscription } });
}
