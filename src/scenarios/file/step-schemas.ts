import * as z from "zod";
import { oneOf, optional, report, wholeNumber } from "../../kernel/fields.js";
import { mapping, onObjects } from "../../sandbox/state/file-fields.js";
import {
  advanceBody,
  advanceReport,
  checkRequest,
  clockBody,
  duration,
  expectation,
  fixedDuration,
  instant,
  nonEmpty,
  requestFields,
  ruleInStep,
  saves,
  step,
  variables,
  webhookMatch,
} from "./step-fields.js";
import { hasVariables } from "./template.js";

/**
 * One schema for each kind of step. The schemas validate steps, the types of steps derive from them, and the published JSON Schema is generated from
 * them. Each message completes "<path> …".
 */

const COUNT_MAX = 1_000_000;
const REPEAT_MAX = 100_000;
const TRIES_MAX = 100_000;
const EVERY_DEFAULT_MS = 1000;

const when = mapping(
  {
    request: optional(expectation, "The request to wait for: { method, path, body, status, answer }"),
    event: optional(expectation, "The event to wait for: { type, topic, resource, data }"),
  },
  "a mapping with request or event",
).meta({ description: "What the step waits for, only under `start --scenario`" });

const common = {
  name: optional(nonEmpty("a text"), "The name of the step in messages about failures"),
  when: when.optional(),
};

function stepOf<const Kind extends string, const Shape extends z.core.$ZodLooseShape>(
  kind: Kind,
  description: string,
  shape: Shape,
) {
  return mapping({ ...common, ...shape }, "a step")
    .meta({ description })
    .transform((step) => ({ kind, ...step }));
}

const steps = z
  .array(step, { error: "must be a list of steps" })
  .min(1, { error: "must be a list of at least one step" });

/** The words of the command line, and those of the control API. */
const clockModes: Readonly<Record<string, { readonly mode: "frozen" | "running" }>> = {
  freeze: { mode: "frozen" },
  frozen: { mode: "frozen" },
  resume: { mode: "running" },
  running: { mode: "running" },
};

/** Keyed by keyword. A step has exactly one of these keywords. */
export const stepSchemas = {
  request: mapping({ ...common, ...requestFields }, "a step")
    .superRefine(checkRequest, onObjects)
    .meta({ description: "Sends a request to the API under test, or to the control API under /_sandbox" })
    .transform((step) => ({ kind: "request" as const, ...step })),
  advance: stepOf("advance", "Moves the company's clock; all work that falls due on the way runs", {
    advance: z
      .union([duration, advanceBody], { error: "must be a duration such as 1h, or a mapping with by, to or toNext" })
      .meta({ description: "How far to move the company's clock: a duration, or a mapping with by, to or toNext" })
      .transform((advance) => (typeof advance === "object" ? advance : { by: advance })),
    expect: advanceReport.optional(),
  }),
  clock: stepOf("clock", "Stops, starts or sets the company's clock", {
    clock: z
      .union([z.enum(["freeze", "frozen", "resume", "running"]), instant, clockBody], {
        error: "must be freeze, resume, or an ISO 8601 instant to go to, or a mapping with mode and now",
      })
      .meta({ description: "freeze, resume, or the time to move the clock to (ISO 8601); or both, as { mode, now }" })
      .transform((clock) => (typeof clock === "object" ? clock : (clockModes[clock] ?? { now: clock }))),
  }),
  webhook: stepOf("webhook", "Settles, then expects a webhook among all that the runner's receiver has received", {
    webhook: mapping(
      {
        ...webhookMatch,
        count: optional(wholeNumber(0, COUNT_MAX), "The exact number of webhooks that match (default: at least one)"),
      },
      "a mapping with topic, data, count",
    ),
    save: saves("topic", "headers", "data").optional(),
  }),
  noWebhook: stepOf(
    "noWebhook",
    "Settles, then expects no such webhook among all that the runner's receiver has received",
    {
      noWebhook: mapping(webhookMatch, "a mapping with topic, data"),
    },
  ),
  rule: stepOf("rule", "Adds a rule: { on, match, then, times }", { rule: ruleInStep }),
  settle: stepOf("settle", "Waits until no delivery is in flight and nothing is due now; does not move the clock", {
    settle: z
      .union([oneOf(true), z.null(), mapping({}, "nothing")], { error: "must be true" })
      .meta({ description: "true, or no value; the step has no options" }),
  }),
  wait: stepOf("wait", "Waits in real time; to move the company's clock, use advance", {
    wait: fixedDuration.meta({
      description: "How long to wait, in real time: 10s, PT1M, or milliseconds; no variables",
    }),
  }),
  parallel: stepOf("parallel", "Runs steps at the same time and waits until all have ended", {
    parallel: steps.meta({ description: "The steps that start together" }),
  }),
  repeat: stepOf("repeat", "Runs steps several times", {
    repeat: mapping(
      {
        times: wholeNumber(1, REPEAT_MAX).meta({
          description: "How many times the steps run; the variable ${index} counts from 0",
        }),
        steps: steps.meta({ description: "The steps to run each time, in order" }),
      },
      "a mapping with times and steps",
    ),
  }),
  use: stepOf("use", "Runs the steps of another file; the variables that they save are available afterwards", {
    use: nonEmpty("the path of another scenario file")
      .refine((file) => !hasVariables(file), {
        error: "must be a path without variables: files are read before anything runs",
      })
      .meta({ description: "The path of another scenario file, relative to this one; its steps run here" }),
    with: variables.optional(),
  }),
  eventually: stepOf(
    "eventually",
    "Repeats a request until its answer is as expected; advances a frozen clock or waits in between",
    {
      eventually: mapping(
        {
          within: fixedDuration.meta({
            description: "How long to repeat the request: on a frozen clock, else in real time; no variables",
          }),
          every: optional(
            fixedDuration,
            "The time between two requests: on a frozen clock, else in real time (default 1s)",
          ),
          ...requestFields,
        },
        "a mapping with within, every and a request",
      )
        .superRefine(checkRequest, onObjects)
        .transform(({ every = EVERY_DEFAULT_MS, ...rest }) => ({ ...rest, every: Math.max(1, every) }))
        .superRefine(({ within, every }, context) => {
          if (within / every <= TRIES_MAX) return;
          report(context, [], `would ask more than ${TRIES_MAX} times: make every longer, or within shorter`, {
            beside: true,
          });
        }),
    },
  ),
} as const;

export type StepKeyword = keyof typeof stepSchemas;
export const stepKeywords = Object.keys(stepSchemas) as StepKeyword[];

/** A step as its schema parses it. */
export type ParsedStep = z.output<(typeof stepSchemas)[StepKeyword]>;

/** The keys that a step may have besides its keyword. */
export const companionKeys: ReadonlySet<string> = new Set(
  Object.values(stepSchemas)
    .flatMap((schema) => Object.keys(schema.in.shape))
    .filter((key) => !Object.hasOwn(stepSchemas, key)),
);
