import * as z from "zod";
import { tryParseDuration } from "../../kernel/time/duration.js";
import {
  HEADER_NAME,
  flag,
  oneOf,
  optional,
  recordOf,
  report,
  reportAll,
  sentence,
  wholeNumber,
  word,
} from "../../kernel/fields.js";
import { parseInstant } from "../../kernel/time/instant.js";
import { isObject } from "../../kernel/messages/json.js";
import { mapping } from "../../sandbox/state/file-fields.js";
import { ruleSchema } from "../../sandbox/state/rule-schema.js";
import { hasVariables, parsePath } from "./template.js";
import { topicSpellings } from "../../domain/values/topic.js";
import { matcherProblems } from "../../kernel/matchers.js";

/** The fields of steps. Each message completes "<path> …"; descriptions are for editors. */

const written = z.union([z.string(), z.number()], {
  error: "must be a duration such as 59m59s, PT1H, or a number of milliseconds",
});

/** A duration, or a text with variables that becomes one. */
export const duration = written
  .superRefine((value, context) => {
    const parsed = hasVariables(value) ? { ms: 0 } : tryParseDuration(value);
    if ("error" in parsed) sentence(context, parsed.error);
  })
  .meta({
    description: "A duration: 1d2h59m59.999s, ISO 8601 (PT1H), or a number of milliseconds",
    examples: ["1h", "59m59s"],
  });

/** A duration without variables; the output is ms. */
export const fixedDuration = written
  .transform((value, context) => {
    const parsed = tryParseDuration(value);
    if ("ms" in parsed) return parsed.ms;
    if (hasVariables(value)) return report(context, [], "must be a duration without variables");
    return sentence(context, parsed.error);
  })
  .meta({
    description: "A duration: 1d2h59m59.999s, ISO 8601 (PT1H), or a number of milliseconds; no variables",
    examples: ["100ms", "10s"],
  });

const instantError = "must be an ISO 8601 instant such as 2026-01-15T09:00:00Z";

/** An instant, or a text with variables that becomes one. */
export const instant = z
  .string({ error: instantError })
  .refine((value) => hasVariables(value) || parseInstant(value) !== undefined, { error: instantError });

/** Any value. The name and the operand of every matcher in it are checked. */
export const expectation = z.unknown().superRefine((value, context) => {
  reportAll(context, matcherProblems(value, hasVariables));
});

/** A rule. A rule with variables is checked once they are filled in. */
export const ruleInStep = z
  .record(z.string(), z.unknown(), { error: "must be a rule: { on, match, then }" })
  .superRefine((rule, context) => {
    const result = isOpen(rule) ? undefined : ruleSchema.safeParse(rule);
    for (const issue of result?.error?.issues ?? []) {
      const params = issue.code === "custom" ? issue.params : undefined;
      for (const message of issue.message.split("\n"))
        report(context, issue.path, message, { ...params, beside: true });
    }
  })
  .meta({ description: "The rule to add: { on, match, then, times }" });

function isOpen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return hasVariables(value);
  return Object.values(value).some(isOpen);
}

/** Any value; `${…}` in it is filled in when the step runs. */
const filled = z.unknown();

/** A step in a list. Each step is parsed separately, so that its problems name it. */
export const step = z.unknown();

export const nonEmpty = (what: string) => z.string({ error: `must be ${what}` }).min(1, { error: `must be ${what}` });

const VARIABLE_NAME = /^[A-Za-z_][\w-]*$/;

/** A record whose keys all match a pattern. */
function namedValues<T>(pattern: RegExp, keyError: string, value: z.ZodType<T>, error: string) {
  return recordOf(value, error)
    .superRefine(
      (given, context) => {
        for (const name of Object.keys(given)) {
          if (!pattern.test(name)) report(context, [name], keyError, { key: true, beside: true });
        }
      },
      { when: ({ value: given }) => isObject(given) },
    )
    .meta({ propertyNames: { pattern: pattern.source } });
}

function variableNames<T>(value: z.ZodType<T>, error: string) {
  const keyError = "must be named with letters, digits, _ and -, the first one a letter or _";
  return namedValues(VARIABLE_NAME, keyError, value, error);
}

export const variables = variableNames(filled, "must be a mapping of variables to values").meta({
  description: "Variables for the steps of the used file only",
});

/** From variable to dotted path with `[0]` into what was received. The path begins with one of `roots`. */
export function saves(...roots: readonly string[]) {
  const list = roots.join(", ");
  const error = `must be a dotted path such as ${roots.at(-1)}.id, beginning with ${list}`;
  const isPath = (path: string): boolean =>
    /^[\w-]+(?:\.[^.[\]\s]+|\[\d+\])*$/.test(path) && roots.includes(String(parsePath(path)[0]));
  return variableNames(
    z.string({ error }).refine(isPath, { error }),
    `must be a mapping of variables to paths, such as { charge: ${roots.at(-1)}.id }`,
  ).meta({ description: `Variables to set for later steps: names to paths (a.b[0].c) that begin with ${list}` });
}

const headers = namedValues(
  HEADER_NAME,
  "must be named as an HTTP header is: letters, digits and -",
  z.union([z.string(), z.number(), z.null()], { error: "must be a text, or null to leave the header out" }),
  "must be a mapping of names to texts; null leaves a header out",
).meta({ description: "Headers besides those that every client sends; null removes one of those" });

const EMPTY_EXPECTATION = "is empty: name what is expected, or leave it out";

const expectedAnswer = mapping(
  {
    status: optional(expectation, "The expected HTTP status, or a matcher for it"),
    headers: optional(
      recordOf(expectation, "must be a mapping of header names to what is expected")
        .refine((headers) => Object.keys(headers).length > 0, { error: EMPTY_EXPECTATION })
        .meta({ minProperties: 1 }),
      "The expected headers: only these are compared, and names ignore case",
    ),
    body: optional(
      expectation,
      "The expected JSON body: only the members given are compared, and matchers may be used",
    ),
    lost: optional(oneOf(true), "true if the connection is expected to break before an answer"),
  },
  "a mapping with status, headers, body, or lost",
)
  .superRefine(({ lost, ...answer }, context) => {
    const names = Object.keys(answer).join(" and ");
    if (lost === undefined && names === "") report(context, [], EMPTY_EXPECTATION);
    if (lost !== true || names === "") return;
    report(context, ["lost"], `leaves nothing to expect: remove ${names}, or lost`, { beside: true });
  })
  .meta({ description: "The expected answer", minProperties: 1 });

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/** The fields of a request: of a step, or of `eventually`. */
export const requestFields = {
  request: z
    .string({ error: "must be a method and a path, such as POST /v1/charges" })
    .regex(new RegExp(`^(?:${METHODS.join("|")}) (?:/|\\$\\{)\\S*$`), {
      error: `must be a method (${METHODS.join(", ")}), one space, and a path, such as POST /v1/charges`,
    })
    .meta({ description: "The method and the path", examples: ["POST /v1/charges", "GET /v1/charges/${charge}"] }),
  body: optional(filled, "The body, which is sent as JSON"),
  rawBody: optional(z.string({ error: "must be a text" }), "The body as a text, which is sent unchanged"),
  as: optional(
    nonEmpty("the name of another company"),
    "The name of another company that sends the request, opened at its first use",
  ),
  token: optional(
    z.union([z.string(), z.null()], { error: "must be an access token, or null for none" }),
    "The access token to send instead of the company's; null sends no Authorization header",
  ),
  headers: headers.optional(),
  query: recordOf(
    z.union([z.string(), z.number(), z.boolean()], { error: "must be a text, a number, true or false" }),
    "must be a mapping of names to values",
  )
    .optional()
    .meta({ description: "The query parameters: names to values, which are then URL-encoded" }),
  expect: expectedAnswer.optional(),
  save: saves("status", "headers", "body").optional(),
};

/** Checks that involve several fields of a request. Each of the fields may be wrong. */
export function checkRequest(
  { request, body, rawBody }: Partial<Record<"request" | "body" | "rawBody", unknown>>,
  context: z.RefinementCtx,
): void {
  if (body !== undefined && rawBody !== undefined)
    report(context, ["rawBody"], "and body are both there: keep one", { beside: true });
  const [method = ""] = String(request).split(" ", 1);
  if (!["GET", "HEAD"].includes(method)) return;
  for (const [name, value] of Object.entries({ body, rawBody })) {
    if (value !== undefined) report(context, [name], `is not sent with ${method}: remove it`, { beside: true });
  }
}

const targets = ["by", "to", "toNext"] as const;

/** The body of POST /_sandbox/clock/advance. */
export const advanceBody = mapping(
  {
    by: optional(duration, "How far to move the clock: 1h, PT1H, or a number of milliseconds"),
    to: optional(instant, "The time to move the clock to (ISO 8601), not in the past"),
    toNext: optional(oneOf(true), "true to move the clock to the next due work"),
    settle: optional(flag, "Whether to wait for the delivery attempts that the advance causes (default true)"),
    lookAhead: optional(flag, "Whether due work runs without waiting for attempts in flight: faster, less exact"),
    maxWaitMs: optional(
      wholeNumber(0, 600_000),
      "How long to wait for receivers that hang, in ms of real time (default 60000)",
    ),
  },
  "a mapping with by, to or toNext",
).superRefine((body, context) => {
  const given = targets.filter((target) => body[target] !== undefined);
  if (given.length === 1) return;
  const has = given.length === 0 ? "none" : given.join(" and ");
  report(context, [], `must have exactly one of ${targets.join(", ")}; it has ${has}`, { beside: true });
});

/** The body of PUT /_sandbox/clock. */
export const clockBody = mapping(
  {
    mode: optional(word(["running", "frozen"]), "Whether the clock then runs or is frozen"),
    now: optional(instant, "The time to move the clock to (ISO 8601), not in the past"),
  },
  "a mapping with mode, now, or both",
).refine(({ mode, now }) => mode !== undefined || now !== undefined, { error: "must have mode, now, or both" });

/** What is expected of the answer to an advance. */
export const advanceReport = mapping(
  {
    now: optional(expectation, "The expected time of the clock after the advance (ISO 8601)"),
    fired: optional(expectation, "The due work that is expected to have run, in order: a list of { at, kind, id }"),
    firedCount: optional(expectation, "The expected number of pieces of due work that ran"),
    deliveries: optional(expectation, "The expected counts of delivery attempts: { attempted, succeeded, failed }"),
    unfinished: optional(expectation, "The expected ids of the deliveries still in flight after maxWaitMs"),
  },
  "a mapping with now, fired, firedCount, deliveries",
)
  .refine((report) => Object.keys(report).length > 0, { error: EMPTY_EXPECTATION })
  .meta({ description: "The expected result of the advance", minProperties: 1 });

/** A topic in either spelling, or a text with variables that becomes one. */
const topic = z
  .string({ error: "must be a topic" })
  .superRefine((value, context) => {
    if (hasVariables(value) || topicSpellings.includes(value)) return;
    report(context, [], `must be one of ${topicSpellings.join(", ")}`, { words: topicSpellings });
  })
  .meta({
    description: "The topic; the singular and plural spellings match each other",
    examples: [...topicSpellings],
  });

export const webhookMatch = {
  topic: topic.optional(),
  data: optional(
    expectation,
    "The expected data of the webhook: only the members given are compared; matchers may be used",
  ),
};
