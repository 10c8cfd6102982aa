import * as z from "zod";
import { formatDuration, MAX_DURATION_MS, tryParseDuration } from "../../kernel/duration.js";
import { didYouMean } from "../../kernel/suggest.js";

/**
 * The kinds of value that settings have. Every message is a phrase that completes `transfers.min must be …`, so that
 * setting-problems.ts can name the path and what was given. A message that is a sentence of its own is a `sentence`
 * issue.
 */
export function oneOf<const Value extends string | number | boolean>(
  ...values: readonly Value[]
): z.ZodType<Value, Value> {
  return z.literal(values, { error: listing(values) });
}

/** A whole number of `unit`, both bounds inclusive. */
export function wholeNumber(min: number, max: number, unit?: string): z.ZodType<number, number> {
  const error = `a whole number ${unit === undefined ? "" : `of ${unit} `}from ${min} to ${max}`;
  return z.number({ error }).int({ error }).min(min, { error }).max(max, { error });
}

/** A number, both bounds inclusive, with at most `decimals` digits after the point if that is given. */
export function decimal(min: number, max: number, decimals?: number): z.ZodType<number, number> {
  const error = `a number from ${min} to ${max}${decimals === undefined ? "" : ` with at most ${decimals} decimals`}`;
  const isExact = (value: number): boolean => decimals === undefined || Number(value.toFixed(decimals)) === value;
  return z.number({ error }).min(min, { error }).max(max, { error }).refine(isExact, { error });
}

/** Text that a reader would see something of. */
export function text(): z.ZodType<string, string> {
  const error = `text of 1 to ${TEXT_MAX} characters, in quotes if it looks like a number`;
  return z.string({ error }).regex(/\S/, { error }).max(TEXT_MAX, { error });
}

/** A duration in any of its forms, both bounds inclusive and in ms; the output is ms. */
export function duration(min: number, max: number = MAX_DURATION_MS): z.ZodType<number, string | number> {
  const expected = "a duration such as 10s, 1h30m, PT1H or a number of milliseconds";
  return z.union([z.string(), z.number()], { error: expected }).transform((written, context) => {
    const parsed = tryParseDuration(written);
    if ("error" in parsed) return sentence(context, parsed.error);
    if (parsed.ms >= min && parsed.ms <= max) return parsed.ms;
    return sentence(
      context,
      `${formatDuration(parsed.ms)} is not from ${formatDuration(min)} to ${formatDuration(max)}`,
    );
  });
}

/** The name of an HTTP header that may be added to a delivery. */
export function headerName(): z.ZodType<string, string> {
  const error = "the name of an HTTP header (letters, digits and - such as x-signature)";
  return z
    .string({ error })
    .regex(/^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,100}$/, { error })
    .refine((name) => !RESERVED_HEADERS.has(name.toLowerCase()), { error: "a header that HTTP itself does not use" });
}

/** An object with these members and no others; a misspelt one is named with the nearest right one. */
export function members<const Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  expected: string,
): z.ZodObject<Shape, z.core.$strict> {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) => {
      if (issue.code !== "unrecognized_keys") return expected;
      return issue.keys
        .map((key) => `has no ${JSON.stringify(key.slice(0, 60))}, only ${names.join(", ")}${suggestion(key, names)}`)
        .join("; ");
    },
  });
}

/** Refuses with a message that stands by itself, behind the path: `webhooks.timeout: "5x" is not a duration`. */
export function sentence(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: "custom", message, params: { sentence: true } });
  return z.NEVER;
}

/** `"conflict" or "allow"`. */
export function listing(values: readonly unknown[]): string {
  const written = values.map((value) => JSON.stringify(value));
  return [written.slice(0, -1).join(", "), written.at(-1)].filter(Boolean).join(" or ");
}

/** The end of a sentence that named a wrong word: the next sentence asks for the right one. */
export function suggestion(word: string, candidates: readonly string[]): string {
  const asked = didYouMean(word, candidates);
  return asked === "" ? "" : `.${asked}`;
}

const TEXT_MAX = 200;

/** Headers that describe the connection or the body: changing them breaks the delivery and tests nothing. */
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
