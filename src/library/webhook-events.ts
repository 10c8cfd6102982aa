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

/** A topic in either of its spellings, which mean the same. */
export type TopicName = ChargeTopic | TransactionTopic;

/** The webhook of a charge that became paid, dropped, refunded or partially refunded. */
export type ChargeEvent = EventOf<ChargeTopic, ChargeBody>;

/** The webhook of a transfer. The ids in it are plain UUIDs, without `txn_` and `bat_`, unless the profile says otherwise. */
export type TransactionEvent = EventOf<TransactionTopic, TransactionBody>;

/**
 * The body of a webhook, of one topic or of any. `topic` discriminates the union.
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

/** One member of the union for each spelling, so that `topic` discriminates `data`. */
type EventOf<Topic, Data> = Topic extends TopicName
  ? {
      /** In the spelling of the subscriber; in `sandbox.webhooks` in the spelling of the setting `webhooks.topicSpelling`. */
      readonly topic: Topic;
      /** The resource right after the change, with amounts in XOF. */
      readonly data: Data;
    }
  : never;
