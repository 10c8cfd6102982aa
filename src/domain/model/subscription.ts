import type * as z from "zod";
import { absoluteUrl, anyText, count, id, object, storedInstant, word } from "../../kernel/fields.js";
import type { Profile } from "../profile/profile.js";
import { findTopic, singularOf, topics } from "../values/topic.js";

/** "The business registers webhook URLs per topic." */
export const subscriptionRow = object({
  /** A UUID. */
  id,
  seq: count,
  createdAt: storedInstant,
  updatedAt: storedInstant,
  topic: word(topics),
  /** As the subscriber wrote it: `transactions/started` or `transaction/started`. */
  spelling: anyText(),
  url: absoluteUrl,
});

export type Subscription = Readonly<z.output<typeof subscriptionRow>>;

/** The spelling that answers and payloads show, by `webhooks.topicSpelling`. */
export function shownTopic(profile: Profile, subscription: Pick<Subscription, "topic" | "spelling">): string {
  switch (profile.webhooks.topicSpelling) {
    case "plural":
      return subscription.topic;
    case "singular":
      return singularOf(subscription.topic);
    case "as-subscribed":
      return findTopic(subscription.spelling) === undefined ? subscription.topic : subscription.spelling;
  }
}
