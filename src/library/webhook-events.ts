import type { ChargeBody, TransactionBody } from "../contract/resources.js";

/** What a webhook of a charge says: the charge became paid, dropped, refunded or refunded in part. */
export interface ChargeEvent {
  /** In the spelling of whoever subscribed; `sandbox.webhooks` spells as `webhooks.topicSpelling` says, plural unless it says otherwise. */
  readonly topic: "charges/events" | "charge/events";
  /** As it stood right after the change; amounts in XOF. */
  readonly data: ChargeBody;
}

/** What a webhook of a transfer says. */
export interface TransactionEvent {
  /** In the spelling of whoever subscribed; `sandbox.webhooks` spells as `webhooks.topicSpelling` says, plural unless it says otherwise. */
  readonly topic:
    | "transactions/started"
    | "transactions/completed"
    | "transactions/failed"
    | "transaction/started"
    | "transaction/completed"
    | "transaction/failed";
  /** As it stood right after the change; amounts in XOF. The ids are plain UUIDs, without `txn_` and `bat_`, unless the profile says otherwise. */
  readonly data: TransactionBody;
}

/** A topic in either of its spellings; both mean the same. */
export type TopicName = ChargeEvent["topic"] | TransactionEvent["topic"];

/**
 * The body of a webhook, as your receiver is sent it. Of a topic: what that topic's webhooks say. Without one: what any says, told apart by `topic`.
 *
 * @example
 * ```ts
 * const event: WebhookEvent = JSON.parse(rawBody);
 * ```
 */
export type WebhookEvent<Name extends TopicName = TopicName> = Name extends ChargeEvent["topic"]
  ? ChargeEvent
  : TransactionEvent;
