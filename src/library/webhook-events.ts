import type { ChargeBody, TransactionBody } from "../contract/resources.js";

/** Topics of charges, in both spellings. */
export type ChargeTopic = "charges/events" | "charge/events";

/** Topics of transfers, in both spellings. */
export type TransactionTopic =
  | "transactions/started"
  | "transactions/completed"
  | "transactions/failed"
  | "transaction/started"
  | "transaction/completed"
  | "transaction/failed";

/** A topic in either of its spellings; both mean the same. */
export type TopicName = ChargeTopic | TransactionTopic;

/** What a webhook of a charge says: it became paid, dropped, refunded or refunded in part. */
export type ChargeEvent = Told<ChargeTopic, ChargeBody>;

/** What a webhook of a transfer says. The ids in it are plain UUIDs, without `txn_` and `bat_`, unless the profile says otherwise. */
export type TransactionEvent = Told<TransactionTopic, TransactionBody>;

/**
 * The body of a webhook, as your receiver is sent it. Of a topic: what that topic's webhooks say. Without one: what any says, told apart by `topic`.
 *
 * @example
 * ```ts
 * const event: WebhookEvent = JSON.parse(rawBody);
 * if (event.topic === "charges/events" && event.data.status === "paid") console.log(event.data.externalId);
 * ```
 */
export type WebhookEvent<Name extends TopicName = TopicName> = Name extends ChargeTopic
  ? ChargeEvent
  : TransactionEvent;

/** One member for each spelling, so that a comparison of `topic` tells what `data` is. */
type Told<Topic, Data> = Topic extends TopicName
  ? {
      /** As whoever subscribed spells it; `sandbox.webhooks` spells as `webhooks.topicSpelling` says, plural unless that says singular. */
      readonly topic: Topic;
      /** As it stood right after the change; amounts in XOF. */
      readonly data: Data;
    }
  : never;
