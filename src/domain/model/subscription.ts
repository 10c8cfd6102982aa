import type * as z from "zod";
import { absoluteUrl, anyText, count, object, storedInstant, uuid, word } from "../../kernel/fields.js";
import type { Profile } from "../profile/profile.js";
import { findTopic, singularOf, topics } from "../values/topic.js";

/** The contract: "The business registers webhook URLs per topic." */
export const subscriptionRow = object({
  id: uuid,
  seq: count,
  createdAt: storedInstant,
  updatedAt: storedInstant,
  topic: word(topics),
  /** As the subscriber wrote it: `transactions/started` or `transaction/started`. */
  spelling: anyText(),
  url: absoluteUrl,
});

export type Subscription = Readonly<z.output<typeof subscriptionRow>>;

type Spelled = Pick<Subscription, "topic" | "spelling">;

/** The topic of a subscription as answers show it, by `webhooks.topicSpelling`. */
export function shownTopic({ webhooks: { topicSpelling } }: Profile, subscription: Spelled): string {
  return spell(topicSpelling === "as-documented" ? "singular" : topicSpelling, subscription);
}

/** The topic of a subscription as it is delivered, by `webhooks.topicSpelling`. */
export function sentTopic({ webhooks: { topicSpelling } }: Profile, subscription: Spelled): string {
  return spell(topicSpelling === "as-documented" ? "plural" : topicSpelling, subscription);
}

function spell(way: "plural" | "singular" | "as-subscribed", { topic, spelling }: Spelled): string {
  if (way === "singular") return singularOf(topic);
  return way === "as-subscribed" && findTopic(spelling) !== undefined ? spelling : topic;
}
