import type { DomainEvent, EventType } from "../model/events.js";
import type { Profile } from "../profile/profile.js";
import { CHARGE_EVENTS } from "../profile/setting-kinds.js";
import type { Topic } from "../values/topic.js";

const transactionTopics: { readonly [Type in EventType]?: Topic } = {
  "transaction.started": "transactions/started",
  "transaction.completed": "transactions/completed",
  "transaction.failed": "transactions/failed",
};

/** The topic under which an event is sent; undefined when no webhook reports the event. */
export function webhookTopicOf(profile: Profile, event: Pick<DomainEvent, "type" | "silent">): Topic | undefined {
  if (event.silent === true) return undefined;
  const status = CHARGE_EVENTS.find((name) => event.type === `charge.${name}`);
  if (status === undefined) return transactionTopics[event.type];
  return profile.webhooks.chargeEvents.includes(status) ? "charges/events" : undefined;
}
