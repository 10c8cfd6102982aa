import type { Instant } from "../../kernel/instant.js";
import type { Row } from "../../kernel/table.js";
import type { Profile } from "../profile/profile.js";
import { findTopic, singularOf, type Topic } from "../values/topic.js";

/** "The business registers webhook URLs per topic." */
export interface Subscription extends Row {
  /** A UUID. */
  readonly id: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  readonly topic: Topic;
  /** As the subscriber wrote it: `transactions/started` or `transaction/started`. */
  readonly spelling: string;
  readonly url: string;
}

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
