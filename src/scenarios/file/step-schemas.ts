import * as z from "zod";
import { object, report, wholeNumber } from "../../kernel/fields.js";
import { mapping } from "../../sandbox/state/file-fields.js";
import {
  advanceBody,
  advanceReport,
  checkRequest,
  clockBody,
  duration,
  expectation,
  fixedDuration,
  hasMembers,
  instant,
  requestFields,
  ruleInStep,
  saves,
  step,
  text,
  variables,
  webhookMatch,
} from "./step-fields.js";
import { hasVariables } from "./template.js";

/**
 * What may be written as a step: one schema for each kind. They validate, they type what the compilers read, and they make the published JSON Schema.
 * Each message completes "<path> …".
 */

const STEP = "a step";
const COUNT_MAX = 1_000_000;
const REPEAT_MAX = 100_000;
const TRIES_MAX = 100_000;

const when = mapping(
  {
    request: expectation
      .optional()
      .meta({ description: "A request like this: { method, path, body, status, answer }" }),
    event: expectation.optional().meta({ description: "An event like this: { type, topic, resource, data }" }),
  },
  "a mapping with request or event",
).meta({ description: "Only under `start --scenario`: what the step waits for" });

const common = {
  name: text("a text").optional().meta({ description: "What a failure calls the step" }),
  when: when.optional(),
};

const steps = z
  .array(step, { error: "must be a list of steps" })
  .min(1, { error: "must be a list of at least one step" });

/** How often `eventually` asks that does not say so. */
export const EVERY_DEFAULT_MS = 1000;

/** Keyword → schema. A step has exactly one of these keywords. */
export const stepSchemas = {
  request: mapping({ ...common, ...requestFields }, STEP)
    .superRefine(checkRequest, { when: hasMembers })
    .meta({
      description: "Sends a request to the API under test, or to the control API under /_sandbox",
    }),
  advance: mapping(
    {
      ...common,
      advance: z
        .union([duration, advanceBody], { error: "must be a duration such as 1h, or a mapping with by, to or toNext" })
        .meta({ description: "How far the company's clock goes" }),
      expect: advanceReport.optional(),
    },
    STEP,
  ).meta({ description: "Moves the company's clock; everything due on the way happens" }),
  clock: mapping(
    {
      ...common,
      clock: z
        .union([z.enum(["freeze", "frozen", "resume", "running"]), instant, clockBody], {
          error: "must be freeze, resume, or an ISO 8601 instant to go to, or a mapping with mode and now",
        })
        .meta({ description: "freeze, resume, or an instant to go to; or both, as { mode, now }" }),
    },
    STEP,
  ).meta({ description: "Stops, starts or sets the company's clock" }),
  webhook: mapping(
    {
      ...common,
      webhook: mapping(
        {
          ...webhookMatch,
          count: wholeNumber(0, COUNT_MAX).optional().meta({ description: "Exactly so many; without it at least one" }),
        },
        "a mapping with topic, data, count",
      ),
      save: saves("topic", "headers", "data").optional(),
    },
    STEP,
  ).meta({ description: "Settles, then wants a webhook among all that the runner's receiver caught so far" }),
  noWebhook: mapping({ ...common, noWebhook: object(webhookMatch, "a mapping with topic, data") }, STEP).meta({
    description: "Settles, then wants no such webhook among all that the runner's receiver caught so far",
  }),
  rule: mapping(
    {
      ...common,
      rule: ruleInStep,
    },
    STEP,
  ).meta({ description: "From now on the world misbehaves: { on, match, then, times }" }),
  settle: mapping(
    {
      ...common,
      settle: z
        .union([z.literal(true), z.null(), mapping({}, "nothing")], { error: "must be true" })
        .meta({ description: "true, or nothing" }),
    },
    STEP,
  ).meta({
    description: "Waits until no delivery is in flight and nothing is due now; moves no time",
  }),
  wait: mapping({ ...common, wait: fixedDuration }, STEP).meta({
    description: "Waits in real time; to move the company's clock, use advance",
  }),
  parallel: mapping({ ...common, parallel: steps.meta({ description: "Steps that begin together" }) }, STEP).meta({
    description: "Runs steps at the same time; goes on when all are over",
  }),
  repeat: mapping(
    {
      ...common,
      repeat: mapping(
        {
          times: wholeNumber(1, REPEAT_MAX).meta({ description: "How often; ${index} counts from 0" }),
          steps: steps.meta({ description: "What is done each time, in order" }),
        },
        "a mapping with times and steps",
      ),
    },
    STEP,
  ).meta({ description: "Runs steps again and again" }),
  use: mapping(
    {
      ...common,
      use: text("the path of another scenario file")
        .refine((file) => !hasVariables(file), {
          error: "must be a path without variables: files are read before anything runs",
        })
        .meta({ description: "The path of another scenario file, from this one: its steps run here" }),
      with: variables.optional(),
    },
    STEP,
  ).meta({ description: "Runs the steps of another file; what they save is known afterwards" }),
  eventually: mapping(
    {
      ...common,
      eventually: mapping(
        {
          within: fixedDuration,
          every: fixedDuration.optional().meta({ description: "Default 1s" }),
          ...requestFields,
        },
        "a mapping with within, every and a request",
      )
        .superRefine(checkRequest, { when: hasMembers })
        .superRefine(({ within, every = EVERY_DEFAULT_MS }, context) => {
          if (within / Math.max(1, every) <= TRIES_MAX) return;
          report(context, [], `would ask more than ${TRIES_MAX} times: make every longer, or within shorter`, {
            beside: true,
          });
        }),
    },
    STEP,
  ).meta({
    description:
      "Repeats a request until its answer is as expected; a frozen clock is advanced in between, a running one awaited",
  }),
} as const;

export type StepKeyword = keyof typeof stepSchemas;
export const stepKeywords = Object.keys(stepSchemas) as StepKeyword[];

/** What a step says, once its schema has accepted it. */
export type WrittenSteps = { readonly [Keyword in StepKeyword]: z.output<(typeof stepSchemas)[Keyword]> };
