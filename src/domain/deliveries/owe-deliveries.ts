import { Bug } from "../../kernel/problem.js";
import type { DomainEvent } from "../events.js";
import { shownTopic } from "../subscriptions/subscription.js";
import type { Work } from "../work.js";
import type { Delivery } from "./delivery.js";
import { webhookTopicOf } from "./webhook-topic.js";

/** Writes the body of a webhook, in the contract's spelling. */
export type RenderPayload = (topic: string, event: DomainEvent) => string;

/**
 * "When an event occurs the service sends an HTTP POST with a JSON payload to each URL registered for the topic." The deliveries are owed from the
 * same unit of work as the change itself, so neither is ever there without the other.
 */
export function oweDeliveries(work: Work, renderPayload: RenderPayload): readonly Delivery[] {
  const subscriptions = work.world.subscriptions.values();
  if (subscriptions.length === 0) return [];
  return work.events.flatMap((event) => {
    const topic = webhookTopicOf(work.profile, event);
    if (topic === undefined) return [];
    const bodies = new Map<string, string>();
    return subscriptions
      .filter((subscription) => subscription.topic === topic)
      .map((subscription) => {
        const spelling = shownTopic(work.profile, subscription);
        const body = bodies.get(spelling) ?? renderPayload(spelling, event);
        bodies.set(spelling, body);
        return work.put<Delivery>(work.world.deliveries, {
          id: work.ids.short("del"),
          seq: work.nextSeq(),
          createdAt: work.at,
          eventId: event.id,
          subscriptionId: subscription.id,
          topic: spelling,
          url: subscription.url,
          ...resourceOf(event),
          body,
          status: "pending",
          nextAttemptAt: work.at,
          attempts: [],
        });
      });
  });
}

function resourceOf(event: DomainEvent): Pick<Delivery, "resource" | "resourceKind"> {
  const { subject } = event;
  if (subject.kind === "charge") return { resource: subject.charge.id, resourceKind: "charge" };
  if (subject.kind === "transaction") return { resource: subject.transaction.id, resourceKind: "transaction" };
  throw new Bug(`Failed to owe a webhook: an event of ${subject.kind} has no topic.`);
}
