import * as z from "zod";
import { absoluteUrl, text } from "../contract/fields.js";
import { topicSpellings } from "../domain/subscriptions/topic.js";
import { balance, instant, listOf, object, profile, word } from "../sandbox/config/fields.js";
import { worldLists } from "../sandbox/config/fixture-schema.js";

const webhook = object(
  { topic: word(topicSpellings), url: absoluteUrl.optional() },
  "a webhook such as { topic: charges/events }, with a url when the runner's own receiver is not to catch it",
);

const rule = z.record(z.string(), z.unknown(), { error: "must be a rule such as { on, match, then }" });

const { customers, charges, transactions } = worldLists;

/** What a scenario may say of the world in which it begins. */
export const givenSchema = object(
  {
    clock: instant.optional(),
    balance: balance.optional(),
    profile: profile.optional(),
    customers,
    charges,
    transactions,
    webhooks: listOf(webhook, "webhooks").default([]),
    rules: listOf(rule, "rules").default([]),
    fixtures: z
      .union(
        [
          text("the path of a fixtures file").transform((file) => [file]),
          listOf(text("the path of a fixtures file"), "paths"),
        ],
        {
          error: "must be the path of a fixtures file, or a list of them",
        },
      )
      .default([]),
  },
  "a mapping with clock, balance, profile, customers, charges, transactions, webhooks, rules, fixtures",
);

/** The file, but for its steps: those are looked at one by one. */
export const scenarioSchema = object(
  {
    $schema: z.string({ error: "must be the address of the JSON Schema" }).optional(),
    name: text("a sentence that says what the story shows").optional(),
    description: text("a text").optional(),
    tags: listOf(text("a word"), "words").default([]),
    given: givenSchema.optional(),
    steps: z
      .array(z.unknown(), { error: "must be a list of at least one step" })
      .min(1, { error: "must be a list of at least one step" }),
  },
  "a mapping with name, given and steps",
);
