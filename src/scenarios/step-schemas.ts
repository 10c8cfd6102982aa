import * as z from "zod";
import { tryParseDuration } from "../kernel/duration.js";
import { parseInstant } from "../kernel/instant.js";
import { isMatcher, operators } from "./matchers.js";
import { flag, object, wholeNumber } from "../sandbox/config/fields.js";
import { didYouMean } from "../kernel/suggest.js";
import { parseTemplate } from "./template.js";

/**
 * What may be written in a scenario file: one schema for each kind of step. They validate and they make the published JSON Schema. Each message completes
 * "<path> …".
 */

const hasVariables = (value: unknown): boolean => typeof value === "string" && value.includes("${");

/** A duration, or a text with variables that will be one. */
const duration = z
  .union([z.string(), z.number()], { error: "must be a duration such as 59m59s, PT1H, or a number of milliseconds" })
  .superRefine((value, context) => {
    const parsed = hasVariables(value) ? { ms: 0 } : tryParseDuration(value);
    if ("error" in parsed) context.addIssue(parsed.error);
  })
  .meta({ description: "1d2h59m59.999s, ISO 8601 (PT1H), or milliseconds", examples: ["1h", "59m59s"] });

/** Fixed when the file is read. */
const fixedDuration = duration.refine((value) => !hasVariables(value), {
  error: "must be a duration, without variables",
});

const instant = z
  .string({ error: "must be an ISO 8601 instant such as 2026-01-15T09:00:00Z" })
  .refine((value) => hasVariables(value) || parseInstant(value) !== undefined, {
    error: "must be an ISO 8601 instant such as 2026-01-15T09:00:00Z",
  });

/** Anything, with every matcher in it checked: its name and its operand. */
const expectation = z.unknown().superRefine((value, context) => {
  for (const { path, message } of matcherProblems(value)) context.addIssue({ code: "custom", path, message });
});

/** Anything, with every `${…}` in it checked to be closed and well formed. */
const filled = z.unknown();

const text = (what: string) => z.string({ error: `must be ${what}` }).min(1, { error: `must be ${what}` });

const saves = z
  .record(
    z.string().regex(/^[A-Za-z_][\w-]*$/, { error: "must be a name of letters, digits, _ and -" }),
    z.string({ error: "must be a dotted path such as body.id" }).regex(/^(?:status|headers|body|topic|data)\b/, {
      error: "must be a dotted path that starts with status, headers, body, or for a webhook topic, data, headers",
    }),
    { error: "must be an object: variable to path, such as { charge: body.id }" },
  )
  .meta({ description: "Variables for later steps: name to dotted path with [0]" });

const headers = z.record(z.string(), z.union([z.string(), z.number(), z.null()]), {
  error: "must be an object: name to text; null leaves a header out",
});

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

const when = object(
  { request: expectation.optional(), event: expectation.optional() },
  "an object with request or event",
).meta({
  description: "Only under `start --scenario`: what the step waits for",
});

const common = { name: text("a text").optional(), when: when.optional() };

const requestFields = {
  request: z
    .string({ error: "must be a method and a path, such as POST /v1/charges" })
    .regex(new RegExp(`^(?:${METHODS.join("|")}) (?:/|\\$\\{)\\S*$`), {
      error: `must be a method (${METHODS.join(", ")}), one space, and a path, such as POST /v1/charges`,
    })
    .meta({ examples: ["POST /v1/charges", "GET /v1/charges/${charge}"] }),
  body: filled.optional(),
  rawBody: z.string({ error: "must be a text, sent as it is" }).optional(),
  as: text("the name of another company, opened at its first use").optional(),
  token: z.union([z.string(), z.null()], { error: "must be an access token, or null for none" }).optional(),
  headers: headers.optional(),
  query: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean()]), { error: "must be an object: name to value" })
    .optional(),
  expect: object(
    { status: expectation.optional(), headers: expectation.optional(), body: expectation.optional() },
    "an object with status, headers, body",
  ).optional(),
  save: saves.optional(),
};

const advanceBody = object(
  {
    by: duration.optional(),
    to: instant.optional(),
    toNext: z.literal(true, { error: "must be true" }).optional(),
    settle: flag.optional(),
    lookAhead: flag.optional(),
    maxWaitMs: wholeNumber(0, 600_000).optional(),
  },
  "an object with by, to or toNext",
);

const webhookMatch = { topic: text("a topic").optional(), data: expectation.optional() };

const COUNT_MAX = 1_000_000;
const STEP = "a step";

const steps = z
  .array(z.unknown(), { error: "must be a list of steps" })
  .min(1, { error: "must be a list of at least one step" })
  .meta({ items: { $ref: "#/$defs/step" } });

const REPEAT_MAX = 100_000;

/** Keyword → schema. A step has exactly one of these keywords. */
export const stepSchemas = {
  request: object({ ...common, ...requestFields }, STEP),
  advance: object(
    {
      ...common,
      advance: z.union([duration, advanceBody], {
        error: "must be a duration such as 1h, or an object with by, to or toNext",
      }),
      expect: expectation.optional(),
    },
    STEP,
  ),
  clock: object(
    {
      ...common,
      clock: z.union([z.enum(["freeze", "resume"]), instant], {
        error: "must be freeze, resume, or an ISO 8601 instant to go to",
      }),
    },
    STEP,
  ),
  webhook: object(
    {
      ...common,
      webhook: object(
        { ...webhookMatch, count: wholeNumber(0, COUNT_MAX).optional() },
        "an object with topic, data, count",
      ),
      save: saves.optional(),
    },
    STEP,
  ),
  noWebhook: object({ ...common, noWebhook: object(webhookMatch, "an object with topic, data") }, STEP),
  rule: object(
    { ...common, rule: z.record(z.string(), z.unknown(), { error: "must be a rule: { on, match, then }" }) },
    STEP,
  ),
  settle: object({ ...common, settle: z.union([z.literal(true), z.null()], { error: "must be true" }) }, STEP),
  wait: object({ ...common, wait: fixedDuration }, STEP),
  parallel: object({ ...common, parallel: steps }, STEP),
  repeat: object(
    {
      ...common,
      repeat: object(
        {
          times: wholeNumber(1, REPEAT_MAX),
          steps,
        },
        "an object with times and steps",
      ),
    },
    STEP,
  ),
  use: object(
    {
      ...common,
      use: text("the path of another scenario file"),
      with: z.record(z.string(), filled, { error: "must be an object of variables" }).optional(),
    },
    STEP,
  ),
  eventually: object(
    {
      ...common,
      eventually: object(
        { within: fixedDuration, every: fixedDuration.optional(), ...requestFields },
        "an object with within, every and a request",
      ),
    },
    STEP,
  ),
} as const;

export type StepKeyword = keyof typeof stepSchemas;
export const stepKeywords = Object.keys(stepSchemas) as StepKeyword[];

interface MatcherProblem {
  readonly path: (string | number)[];
  readonly message: string;
}

/** Unknown operators, wrong operands, `$…` members beside plain ones, and texts whose variables are not well formed. */
export function matcherProblems(value: unknown, path: (string | number)[] = []): MatcherProblem[] {
  if (Array.isArray(value)) return value.flatMap((element, index) => matcherProblems(element, [...path, index]));
  if (typeof value !== "object" || value === null) return [];
  const entries = Object.entries(value);
  const dollars = entries.filter(([key]) => key.startsWith("$"));
  if (dollars.length > 0 && !isMatcher(value)) {
    return [{ path, message: `mixes the matcher ${dollars[0]?.[0]} with plain members; use one or the other` }];
  }
  return entries.flatMap(([key, member]): MatcherProblem[] => {
    const at = [...path, key];
    if (!key.startsWith("$")) return matcherProblems(member, at);
    const operator = operators[key];
    if (operator === undefined) {
      const known = Object.keys(operators);
      return [{ path: at, message: `is not a matcher.${didYouMean(key, known)} There are ${known.join(", ")}` }];
    }
    const problem = hasVariables(member) ? undefined : operator.check(member);
    if (problem !== undefined) return [{ path: at, message: problem }];
    return key === "$exact" ? [] : matcherProblems(member, at);
  });
}

/** Texts of a value whose `${…}` is not closed or not a variable. */
export function templateProblem(value: string): string | undefined {
  const parsed = parseTemplate(value);
  return "problem" in parsed ? parsed.problem : undefined;
}
