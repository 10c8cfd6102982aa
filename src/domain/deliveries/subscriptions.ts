import { moveDelivery } from "../model/delivery.js";
import type { Work } from "../model/work.js";
import { refuse } from "../model/problem-codes.js";
import type { Subscription } from "../model/subscription.js";
import { findTopic } from "../values/topic.js";
import { Bug } from "../../kernel/messages/problem.js";
import { cancelDeliveryTimers } from "../rules/holds.js";
import { quote } from "../../kernel/messages/text.js";

export interface SubscriptionOrder {
  /** Either spelling of a topic. */
  readonly topic: string;
  readonly url: string;
}

/** POST /v1/webhooks. The same topic and URL twice make two subscriptions, each of which delivers, unless the profile refuses the second one with 409. */
export function createSubscription(work: Work, order: SubscriptionOrder): Subscription {
  const topic = findTopic(order.topic);
  if (topic === undefined) throw new Bug(`Failed to subscribe: "${order.topic}" was not checked to be a topic.`);
  const { subscriptions } = work.world;
  if (work.profile.webhooks.duplicateSubscription === "conflict") {
    const same = subscriptions.values().some((other) => other.topic === topic && other.url === order.url);
    if (same) refuse("subscription_exists", `A subscription of ${order.topic} to ${quote(order.url)} already exists`);
  }
  const subscription = work.put<Subscription>(subscriptions, {
    id: work.ids.uuid(),
    seq: work.nextSeq(),
    createdAt: work.at,
    updatedAt: work.at,
    topic,
    spelling: order.topic,
    url: order.url,
  });
  work.emit({
    type: "subscription.created",
    resource: subscription.id,
    subject: { kind: "subscription", subscription },
  });
  return subscription;
}

/** GET /v1/webhooks/:id. */
export function getSubscription(work: Pick<Work, "world">, id: string): Subscription {
  return work.world.subscriptions.get(id) ?? refuse("subscription_not_found", `No webhook has the id ${quote(id)}`);
}

/** DELETE /v1/webhooks/:id. Cancels the subscription's pending deliveries. */
export function deleteSubscription(work: Work, id: string): void {
  const subscription = getSubscription(work, id);
  work.remove(work.world.subscriptions, id);
  const { deliveries } = work.world;
  const pending = deliveries.values().filter((one) => one.subscriptionId === id && one.status === "pending");
  for (const delivery of pending) work.put(deliveries, moveDelivery(work, delivery, "cancel", null));
  cancelDeliveryTimers(work, pending);
  work.emit({ type: "subscription.deleted", resource: id, subject: { kind: "subscription", subscription } });
}
