import * as z from "zod";
import { note } from "./fields.js";
import { absoluteUrl, openObject } from "../kernel/fields.js";
import type { Profile } from "../domain/profile/profile.js";
import { isReceiverAllowed } from "../domain/deliveries/allowed-receivers.js";
import { shownTopic, type Subscription } from "../domain/model/subscription.js";
import { topicSpellings } from "../domain/values/topic.js";
import { toIso } from "../kernel/time/instant.js";
import { parseUrl } from "../kernel/messages/text.js";

import { oncePerProfile } from "../domain/profile/track-profile.js";
import type { SubscriptionBody } from "./resources.js";

/** Longer than the URL of any receiver. A longer one would be repeated in each of its webhooks and findings. */
export const URL_LENGTH_MAX = 2_048;

export const receiverUrl = absoluteUrl.refine((url) => url.length <= URL_LENGTH_MAX, {
  error: `must have at most ${URL_LENGTH_MAX} characters`,
});

const topicError = `must be one of ${topicSpellings.join(", ")}`;
const hostErrors = {
  any: "must not name a link-local or cloud metadata address",
  list: "must name a host that the setting webhooks.allow lists",
  tenant: "must name a public host, or one that the operator of this sandbox permits",
} as const;

/** The body of POST /v1/webhooks. The contract: "`topic` (String, the event to be notified about), `url` (String, receiving endpoint)". */
export const subscriptionRequest = oncePerProfile((profile) =>
  openObject({
    topic: z
      .enum(topicSpellings, { error: topicError })
      .meta(note("The event to be notified about, in either spelling.", "webhooks.topicSpelling")),
    url: receiverUrl
      .refine((url) => parseUrl(url) === undefined || isReceiverAllowed(profile.webhooks.allow, url), {
        error: hostErrors[profile.webhooks.allow.kind],
      })
      .meta({ ...note("The receiving endpoint.", "webhooks.allow"), format: "uri", maxLength: URL_LENGTH_MAX }),
  }).meta({ description: "A topic, and the URL that its events are sent to." }),
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
