import * as z from "zod";
import { type FieldsOf, note, timestamp, uuidWith } from "./fields.js";
import { absoluteUrl } from "../kernel/fields.js";
import { CURRENCY } from "../domain/values/money.js";
import { sentTopic, shownTopic } from "../domain/model/subscription.js";
import type { Profile } from "../domain/profile/profile.js";
import { type Topic, singularOf, topicSpellings, topics } from "../domain/values/topic.js";
import type { BalanceBody, CustomerCheckBody, ErrorBody, SubscriptionBody, TransactionBody } from "./resources.js";
import { chargeSchemas } from "./charges.js";
import { transferSchemas } from "./transfers.js";

/** Every body that the API answers or sends, by the name that the API description gives it. */
export type ResponseSchemas = ReturnType<typeof responseSchemas>;

/** The name of each topic's payload among the schemas. */
export const payloadNames = {
  "transactions/started": "TransactionStarted",
  "transactions/completed": "TransactionCompleted",
  "transactions/failed": "TransactionFailed",
  "charges/events": "ChargeEvent",
} as const satisfies Record<Topic, keyof ResponseSchemas>;

/**
 * The schemas of the sandbox's answers under this profile. They are strict: an answer with a missing, additional or different field does not
 * validate. What is the same under every profile is in the `…Fields` tables, which the compiler compares with the types of the bodies.
 */
export function responseSchemas(profile: Profile) {
  const { TransactionPayload, ...transfers } = transferSchemas(profile);
  const started = ofStatus(TransactionPayload, "pending", z.null());
  const completed = ofStatus(TransactionPayload, "completed", z.null());
  const failed = ofStatus(TransactionPayload, "failed", z.string());
  const charges = chargeSchemas(profile);
  const subscription = subscriptionSchema(profile);
  return {
    ...transfers,
    ...charges,
    CustomerCheck: z.strictObject(customerCheckFields).meta({ description: "What is known about a phone number." }),
    Balance: z.strictObject(balanceFields).meta({ description: "The business account's balance." }),
    WebhookSubscription: subscription,
    PageCursor: pageCursor,
    WebhookSubscriptionPage: pageOf(subscription).meta({
      description: "One page of the subscriptions, the oldest first.",
    }),
    ErrorBody: errorSchemas[profile.errors.shape],
    StartedTransaction: started,
    TransactionStarted: event(profile, "transactions/started", started),
    CompletedTransaction: completed,
    TransactionCompleted: event(profile, "transactions/completed", completed),
    FailedTransaction: failed,
    TransactionFailed: event(profile, "transactions/failed", failed),
    ChargeEvent: event(profile, "charges/events", charges.ChargePayload),
  };
}

/** How the profile spells a topic in payloads. */
export function sentSpellings(profile: Profile, topic: Topic): readonly string[] {
  return spellings((spelling) => sentTopic(profile, { topic, spelling }), topic);
}

/** How the profile spells a topic in answers about subscriptions. */
function shownSpellings(profile: Profile, topic: Topic): readonly string[] {
  return spellings((spelling) => shownTopic(profile, { topic, spelling }), topic);
}

function spellings(spell: (spelling: string) => string, topic: Topic): readonly string[] {
  return [...new Set([topic, singularOf(topic)].map(spell))];
}

const customerCheckFields = {
  kycStatus: z
    .string()
    .meta(
      note(
        "`complete`: the customer is validated. Any other value means a problem of identification; `unknown`: not found.",
        "customers.unlisted",
      ),
    ),
  firstName: z.string().meta(note("Customer first name; `unknown` when not found.", "customers.unlisted")),
  lastName: z.string().meta(note("Customer last name; `unknown` when not found.", "customers.unlisted")),
} satisfies FieldsOf<CustomerCheckBody>;

const balanceFields = {
  balance: z.number().meta(note("Current business account balance.", "transfers.debit", "charges.fee")),
  currency: z.literal(CURRENCY).meta(note("Currency of the balance.")),
} satisfies FieldsOf<BalanceBody>;

const subscriptionFields = {
  id: uuidWith("").meta(note("A UUID.")),
  createdAt: timestamp.meta(note("Creation time.")),
  updatedAt: timestamp.meta(note("Last update time.")),
  topic: z.enum(topicSpellings).meta(note("Event topic subscribed to.", "webhooks.topicSpelling")),
  url: absoluteUrl.meta(note("Receiving URL.")),
} satisfies FieldsOf<SubscriptionBody>;

const errorFields = {
  statusCode: z.int().meta(note("The HTTP status.")),
  message: z.array(z.string()).min(1).meta(note("Every problem of the request, each with what would be right.")),
  error: z.string().meta(note("The HTTP status in words.")),
  correlationId: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .meta(note("Identifies this answer in the sandbox's log.")),
  path: z.string().meta(note("The path of the request.")),
  timestamp: timestamp.meta(note("When the request was answered, on the company's clock.")),
} satisfies FieldsOf<ErrorBody>;

const errorNote = note("The body of every error.", "errors.shape");

const errorText = { message: z.string().min(1).meta(note("Every problem of the request, in one text.")) };

const errorSchemas = {
  envelope: z.strictObject(errorFields).meta(errorNote),
  "envelope-text": z.strictObject({ ...errorFields, ...errorText }).meta(errorNote),
  message: z.strictObject(errorText).meta(errorNote),
} satisfies Record<Profile["errors"]["shape"], z.ZodType>;

function subscriptionSchema(profile: Profile) {
  const shown = topics.flatMap((topic) => shownSpellings(profile, topic));
  return z
    .strictObject({ ...subscriptionFields, topic: z.enum(shown).meta(subscriptionFields.topic.meta() ?? {}) })
    .meta({ description: "A topic, and the URL that its events are sent to." });
}

const place = z.string().min(1).nullable();

/** A single instance, so that the API description refers to it by name. */
const pageCursor = z
  .strictObject({
    prev: place.meta(note("The opaque `cursor` of the previous page; null on the first page.")),
    next: place.meta(note("The opaque `cursor` of the next page; null on the last page.")),
  })
  .meta({ description: "The cursors of two pages of a list." });

/** A list with the contract's members `count`, `limit`, `cursor` and `data`. */
function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    count: z.int().min(0).meta(note("Number of items returned.")),
    limit: z.int().min(1).meta(note("Page size.", "paging.limit")),
    cursor: pageCursor.meta(note("The cursors of the previous and the next page.")),
    data: z.array(item).meta(note("The items of this page.")),
  });
}

/** The contract: "Object with `topic` (String) and `data` (Object)". */
function event<Data>(profile: Profile, topic: Topic, data: z.ZodType<Data>) {
  return z
    .strictObject({
      topic: z.enum(sentSpellings(profile, topic)).meta(note("The topic of the event.", "webhooks.topicSpelling")),
      data: data.meta(note("The charge or transaction that the event is about, as it was right after the event.")),
    })
    .meta({ description: `The payload of \`${topic}\`.` });
}

/** Each topic of transactions reports one status. */
function ofStatus(
  payload: ReturnType<typeof transferSchemas>["TransactionPayload"],
  status: TransactionBody["status"],
  failureReason: z.ZodType<string | null>,
) {
  return payload
    .extend({
      status: z.literal(status).meta(note("The status that the topic reports.")),
      failureReason: failureReason.meta(note("Text when the transfer failed, otherwise null.")),
    })
    .meta({ description: `A transaction as webhooks carry it, \`${status}\`.` });
}
