import * as z from "zod";
import { absoluteUrl, instant, listOf, optional, text, word } from "../../kernel/fields.js";
import { balance, mapping, profile } from "../../sandbox/state/file-fields.js";
import { worldLists } from "../../sandbox/state/fixture.js";
import { step } from "./step-fields.js";
import { topicSpellings } from "../../domain/values/topic.js";
import { rulesField } from "../../sandbox/config/config-schema.js";

const webhook = mapping(
  {
    topic: word(topicSpellings).meta({ description: "The topic, in the singular or plural spelling" }),
    url: optional(
      absoluteUrl,
      "The URL to send to; without it the runner's receiver takes the webhook and verifies it",
    ),
  },
  "a webhook such as { topic: charges/events }, with a url when the runner's own receiver is not to catch it",
);

const { customers, charges, transactions } = worldLists;

/** The state of the company when the scenario begins. */
export const givenSchema = mapping(
  {
    clock: optional(instant, "The time at which the company's clock stands still (default 2026-01-15T09:00:00Z)"),
    balance: optional(balance, "The company's balance at the start, in XOF (default 10000000)"),
    profile: optional(profile, "The settings of this scenario alone"),
    customers,
    charges,
    transactions,
    webhooks: listOf(webhook, { of: "webhooks" })
      .default([])
      .meta({ description: "Webhook subscriptions; without a url the runner's receiver takes the webhooks" }),
    rules: rulesField.default([]).meta({ description: "The rules at the start: { on, match, then, times }" }),
    fixtures: z
      .union(
        [
          text("the path of a fixtures file").transform((file) => [file]),
          listOf(text("the path of a fixtures file"), { of: "paths" }),
        ],
        {
          error: "must be the path of a fixtures file, or a list of them",
        },
      )
      .default([])
      .meta({ description: "Paths of fixtures files, relative to this file" }),
  },
  "a mapping with clock, balance, profile, customers, charges, transactions, webhooks, rules, fixtures",
);

/** The whole file. Its steps are parsed one by one. */
export const scenarioSchema = mapping(
  {
    $schema: z
      .string({ error: "must be the address of the JSON Schema" })
      .optional()
      .meta({ description: "The address of this JSON Schema, for editors" }),
    name: optional(
      text("a sentence that says what the scenario shows"),
      "A sentence that says what the scenario shows",
    ),
    description: optional(text("a text"), "Details that the name leaves out"),
    tags: listOf(text("a word"), { of: "words" })
      .default([])
      .meta({ description: "The tags by which `replay --tag` selects the scenario" }),
    given: optional(givenSchema, "The state of the company at the start"),
    steps: z
      .array(step, { error: "must be a list of at least one step" })
      .min(1, { error: "must be a list of at least one step" })
      .meta({ description: "The steps, in the order in which they run" }),
  },
  "a mapping with name, given and steps",
);
