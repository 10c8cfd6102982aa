import { object } from "../../kernel/fields.js";
import * as z from "zod";
import { isExactXof, XOF_MAX } from "../../domain/values/money.js";
import { formatDuration, MAX_DURATION_MS, tryParseDuration } from "../../kernel/duration.js";
import { parseInstant } from "../../kernel/instant.js";
import { isCursor } from "../../kernel/page.js";
import { quote } from "../../kernel/text.js";
import { nearest } from "../../kernel/suggest.js";

/** The fields of the control API. Each message completes "<field> …", or is a sentence of its own. */

/** A body that may be left out. */
export function optionalBody<T>(schema: z.ZodType<T>): z.ZodType<T> {
  return z.preprocess((body) => body ?? {}, schema);
}

/** For a call that takes no body: what is in one was meant for another call. */
export const noBody = optionalBody(object({}));

/** Exactly one of these members is given, said beside whatever else is wrong. */
export function exactlyOne(names: readonly string[]) {
  return (body: unknown, context: z.RefinementCtx): void => {
    const given = names.filter(
      (name) => typeof body === "object" && body !== null && Reflect.get(body, name) !== undefined,
    );
    if (given.length === 1) return;
    const has = given.length === 0 ? "none" : given.join(" and ");
    sentence(context, `The body must have exactly one of ${names.join(", ")}; it has ${has}`);
  };
}

export function text(what: string, charactersMax = 200): z.ZodType<string> {
  const error = `must be ${what}, a string of 1 to ${charactersMax} characters that is not blank`;
  return z.string({ error }).regex(/\S/, { error }).max(charactersMax, { error });
}

/** What goes into a header or a path. */
export function credential(what: string): z.ZodType<string> {
  const error = `must be ${what}, 1 to 128 visible ASCII characters without spaces`;
  return z.string({ error }).regex(/^[\x21-\x7e]{1,128}$/, { error });
}

export const instant: z.ZodType<number> = z.unknown().transform((given, context) => {
  const read = parseInstant(given);
  if (read !== undefined) return read;
  context.addIssue({ code: "custom", message: "must be an ISO 8601 time such as 2026-01-15T09:00:00Z" });
  return z.NEVER;
});

/** In any of its forms; the output is ms. */
export function duration(maxMs: number = MAX_DURATION_MS): z.ZodType<number> {
  return z.unknown().transform((given, context) => {
    if (given === undefined) {
      context.addIssue({ code: "custom", message: "must be a duration such as 10s, 1h30m or PT1H" });
      return z.NEVER;
    }
    const parsed = tryParseDuration(given);
    if ("error" in parsed) return sentence(context, parsed.error);
    return parsed.ms <= maxMs
      ? parsed.ms
      : sentence(context, `${formatDuration(parsed.ms)} is longer than ${formatDuration(maxMs)}`);
  });
}

const xofError = `must be a number of XOF from 0 to ${XOF_MAX} with at most 4 decimals`;

export const amount: z.ZodType<number> = z
  .number({ error: xofError })
  .min(0, { error: xofError })
  .refine(isExactXof, { error: xofError });

export const flag: z.ZodType<boolean> = z.boolean({ error: "must be true or false" });

/** The rest of a page's query. */
export const PAGE_LIMIT = 15;
export const PAGE_LIMIT_MAX = 1000;
export const pagingParameters = ["limit", "cursor"] as const;

const limitError = `must be a whole number from 1 to ${PAGE_LIMIT_MAX}`;

export const pagingFields = {
  limit: z
    .string()
    .regex(/^\d{1,4}$/, { error: limitError })
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= PAGE_LIMIT_MAX, { error: limitError })
    .default(PAGE_LIMIT),
  cursor: z
    .string()
    .refine(isCursor, { error: "must be the cursor.prev or cursor.next of an earlier answer" })
    .optional(),
};

/** One of several words, a misspelt one named with the nearest right one. */
export function word<const Word extends string>(words: readonly Word[]): z.ZodType<Word> {
  const list = words.join(", ");
  return z.enum(words, {
    error: ({ input }) => {
      const meant = typeof input === "string" ? nearest(input, words) : undefined;
      return `must be one of ${list}${meant === undefined ? "" : ` (did you mean ${quote(meant)}?)`}`;
    },
  });
}

/** Refuses with a message that says by itself what was given. */
export function sentence(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: "custom", message, params: { sentence: true } });
  return z.NEVER;
}
