import * as z from "zod";
import { absoluteUrl, instant, listOf, optional, text, word } from "../../kernel/fields.js";
import { balance, mapping, profile } from "../../sandbox/state/file-fields.js";
import { worldLists } from "../../sandbox/state/fixture.js";
import { step } from "./step-fields.js";
import { topicSpellings } from "../../domain/values/topic.js";
import { rulesField } from "../../sandbox/config/config-schema.js";

const webhook = mapping(
  {
    topic: word(topicSpellings).meta({ description: "In either spelling" }),
    url: optional(absoluteUrl, "Without one the runner's own receiver catches it, and checks its signature"),
  },
  "a webhook such as { topic: charges/events }, with a url when the runner's own receiver is not to catch it",
);

const { customers, charges, transactions } = worldLists;

/** The state of the company when the scenario begins. */
export const givenSchema = mapping(
  {
    clock: optional(instant, "Where the company's clock stands still (default 2026-01-15T09:00:00Z)"),
    balance: optional(balance, "In XOF (default 10000000)"),
    profile: optional(profile, "Settings of this scenario alone"),
    customers,
    charges,
    transactions,
    webhooks: listOf(webhook, { of: "webhooks" })
      .default([])
      .meta({ description: "Subscriptions; without a url the runner's own receiver catches them" }),
    rules: rulesField.default([]).meta({ description: "Rules from the start: { on, match, then, times }" }),
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
      .meta({ description: "Paths of fixtures files, from this file" }),
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
    description: optional(text("a text"), "More than the name says"),
    tags: listOf(text("a word"), { of: "words" }).default([]).meta({ description: "What --tag selects by" }),
    given: optional(givenSchema, "The state at the start"),
    steps: z
      .array(step, { error: "must be a list of at least one step" })
      .min(1, { error: "must be a list of at least one step" })
      .meta({ description: "What happens, in order" }),
  },
  "a mapping with name, given and steps",
);
