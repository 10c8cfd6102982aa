import { refuse } from "../problem-codes.js";
import type { Work } from "../work.js";
import type { Subscription } from "./subscription.js";
import { findTopic } from "./topic.js";
import { Bug } from "../../kernel/problem.js";
import { quote } from "../../kernel/quote.js";

export interface SubscriptionOrder {
  /** Either spelling of a topic. */
  readonly topic: string;
  readonly url: string;
}

/** POST /v1/webhooks. The same topic and URL twice are two subscriptions, each delivers, unless the profile refuses it with 409. */
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
