import { z } from "zod";
import type { Profile } from "../domain/profile/profile.js";
import { isReceiverAllowed } from "../domain/subscriptions/allowed-receivers.js";
import { shownTopic, type Subscription } from "../domain/subscriptions/subscription.js";
import { topicSpellings } from "../domain/subscriptions/topic.js";
import { toIso } from "../kernel/instant.js";
import { absoluteUrl } from "./fields.js";
import { perProfile } from "./parse.js";
import type { SubscriptionBody } from "./resources.js";

const topicError = `must be one of ${topicSpellings.join(", ")}`;
const hostError = "must name a host that webhooks.allow permits";

/** Body of POST /v1/webhooks: "topic (String, the event to be notified about), url (String, receiving endpoint)". */
export const subscriptionRequest = perProfile<{ topic: string; url: string }>((profile) =>
  z.object(
    {
      topic: z.enum(topicSpellings, { error: topicError }),
      url: absoluteUrl.refine((url) => !URL.canParse(url) || isReceiverAllowed(profile.webhooks.allow, url), { error: hostError }),
    },
    { error: "must be a JSON object" },
  ),
);

export function renderSubscription(subscription: Subscription, profile: Profile): SubscriptionBody {
  return {
    id: subscription.id,
    createdAt: toIso(subscription.createdAt),
    updatedAt: toIso(subscription.updatedAt),
    topic: shownTopic(profile, subscription),
    url: subscription.url,
  };
}
