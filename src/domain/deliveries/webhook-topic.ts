import type { DomainEvent } from "../model/events.js";
import type { Profile } from "../profile/profile.js";
import type { Topic } from "../values/topic.js";

/** The topic under which an event is sent; undefined when no webhook reports it. */
export function webhookTopicOf(profile: Profile, event: Pick<DomainEvent, "type" | "silent">): Topic | undefined {
  if (event.silent === true) return undefined;
  const topicOf = (status: Profile["webhooks"]["chargeEvents"][number]): Topic | undefined =>
    profile.webhooks.chargeEvents.includes(status) ? "charges/events" : undefined;
  switch (event.type) {
    case "transaction.started":
      return "transactions/started";
    case "transaction.completed":
      return "transactions/completed";
    case "transaction.failed":
      return "transactions/failed";
    case "charge.paid":
      return topicOf("paid");
    case "charge.dropped":
      return topicOf("dropped");
    case "charge.refunded":
      return topicOf("refunded");
    case "charge.refunded_partially":
      return topicOf("refunded_partially");
    case "charge.created":
    case "charge.payment_failed":
    case "charge.payment_lost":
    case "charge.payment_cancelled":
    case "batch.created":
    case "batch.completed":
    case "subscription.created":
    case "subscription.deleted":
    case "balance.adjusted":
      return undefined;
  }
}
