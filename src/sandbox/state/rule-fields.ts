import * as z from "zod";
import { formatDuration, tryParseDuration } from "../../kernel/duration.js";
import { matcherProblems } from "../../kernel/matcher-problems.js";
import { lazily } from "../../kernel/lazily.js";
import { isMatcher } from "../../kernel/matchers.js";
import { quote } from "../../kernel/quote.js";
import { nearest } from "../../kernel/suggest.js";
import { findTopic, topicSpellings } from "../../domain/subscriptions/topic.js";

/** The fields that rules are made of. Each message completes "<path> …", or is a sentence of its own. */

/** A matcher, or what stands for itself. */
export const pattern = lazily(() =>
  z.unknown().superRefine((value, context) => {
    for (const { path, message } of matcherProblems(value)) {
      context.addIssue({ code: "custom", path, message });
    }
  }),
);

const pathError = "must begin with / as in /v1/charges/:id, or be a matcher such as {$regex}";

export const pathPattern = lazily(() =>
  pattern().refine((value) => (typeof value === "string" ? value.startsWith("/") : isMatcher(value)), {
    error: pathError,
  }),
);

export const topicPattern = lazily(() =>
  pattern().superRefine((value, context) => {
    if (typeof value !== "string" || findTopic(value) !== undefined) return;
    const meant = nearest(value, topicSpellings);
    const which = meant === undefined ? "" : ` (did you mean ${quote(meant)}?)`;
    context.addIssue({ code: "custom", message: `must be one of ${topicSpellings.join(", ")}${which}` });
  }),
);

const durationError = "must be a duration such as 10s, 1h30m, PT1H, or a number of milliseconds";

/** In any of its forms; the output is ms. */
export function duration(maxMs: number) {
  return z
    .union([z.string(), z.number()], { error: durationError })
    .transform((given, context) => {
      const parsed = tryParseDuration(given);
      const problem = "error" in parsed ? parsed.error : undefined;
      if ("ms" in parsed && parsed.ms <= maxMs) return parsed.ms;
      const message = problem ?? `${JSON.stringify(given)} is longer than ${formatDuration(maxMs)}`;
      context.addIssue({ code: "custom", message, params: { sentence: true } });
      return z.NEVER;
    })
    .meta({ description: "1d2h59m59.999s, ISO 8601 (PT1H), or milliseconds", examples: ["10s", "1h"] });
}

export const flag = lazily(() => z.boolean({ error: "must be true or false" }));

export function wholeNumber(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return z
    .number({ error })
    .refine((given) => Number.isSafeInteger(given) && given >= min && given <= max, { error })
    .meta({ type: "integer", minimum: min, maximum: max });
}

export function word<const Word extends string>(words: readonly Word[]): z.ZodType<Word> {
  return z.enum(words, {
    error: ({ input }) => {
      const meant = typeof input === "string" ? nearest(input, words) : undefined;
      return `must be one of ${words.join(", ")}${meant === undefined ? "" : ` (did you mean ${quote(meant)}?)`}`;
    },
  });
}

export function reason(what: string) {
  const error = `must be ${what}, a string of 1 to 200 characters that is not blank`;
  return z.string({ error }).regex(/\S/, { error }).max(200, { error });
}

const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
// What Node writes into a header without harm: no line ends, no other control characters.
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const headersError = "must be an object of header names to texts, without line ends";
/** How the body ends is the sandbox's to say. */
const OWN_HEADERS: ReadonlySet<string> = new Set(["content-length", "transfer-encoding", "connection", "trailer"]);

export const headers = lazily(() =>
  z.record(z.string(), z.string({ error: headersError }), { error: headersError }).superRefine((given, context) => {
    for (const [name, value] of Object.entries(given)) {
      if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) {
        context.addIssue({
          code: "custom",
          path: [name],
          message: "must be a header's name and a text without line ends",
        });
      } else if (OWN_HEADERS.has(name.toLowerCase())) {
        context.addIssue({ code: "custom", path: [name], message: "is set by the sandbox: it goes with the body" });
      }
    }
  }),
);
