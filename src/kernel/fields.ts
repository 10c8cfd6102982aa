import * as z from "zod";
import { MAX_DURATION_MS, formatDuration, tryParseDuration } from "./time/duration.js";
import { type Instant, LATEST, LATEST_TIMER, parseInstant, toIso } from "./time/instant.js";
import { isObject, memberOf } from "./messages/json.js";
import { parseUrl, quote } from "./messages/text.js";
import { didYouMean, nearest } from "./messages/suggest.js";

/**
 * The vocabulary of schemas: requests, control calls, files, scenarios, rules, settings and stored state are all made of these fields
 * (domain/values/fields.ts adds phone numbers and money).
 *
 * Every message completes "<path> …" and says what would be right: `must be true or false`. A message that is a whole sentence is
 * reported with `sentence`, and is shown without a predicate: `webhooks.timeout: "5x" is not a duration`.
 */
export interface IssueParams {
  /** The message is a whole sentence. */
  readonly sentence?: true;
  /** The key is wrong, not its value. */
  readonly key?: true;
  /** Another field is the reason, so the message does not show the value. */
  readonly beside?: true;
  /** The words that are accepted; the message suggests the nearest. */
  readonly words?: readonly string[];
}

/** After this many problems in one place the rest of it is not checked: a hostile body has hundreds of thousands. */
export const PROBLEMS_MAX = 100;

/** As many messages as anyone reads, and whether there are more. */
export function firstProblems(messages: readonly string[]): readonly string[] {
  return messages.length > PROBLEMS_MAX ? [...messages.slice(0, PROBLEMS_MAX), "… and more problems"] : messages;
}

/** Reports a problem from a refinement or a transformation. */
export function report(
  context: z.RefinementCtx,
  path: readonly PropertyKey[],
  message: string,
  params: IssueParams = {},
): never {
  context.addIssue({ code: "custom", path: [...path], message, params: { ...params } });
  return z.NEVER;
}

interface FieldProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly params?: IssueParams;
}

/** Reports the first problems, and one more, so that `firstProblems` says that there are more. */
export function reportAll(context: z.RefinementCtx, problems: Iterable<FieldProblem>): void {
  let left = PROBLEMS_MAX + 1;
  for (const { path, message, params } of problems) {
    report(context, path, message, params);
    if (--left === 0) return;
  }
}

/** Reports a problem whose message is a whole sentence. */
export function sentence(context: z.RefinementCtx, message: string): never {
  return report(context, [], message, { sentence: true });
}

export function isSentence(issue: z.core.$ZodIssue): boolean {
  return issue.code === "custom" && issue.params?.["sentence"] === true;
}

/** An object with these keys and no others. Each unknown key gets its own line of the message, with the nearest known one. */
export function object<const Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  expected = "a JSON object",
  unknownKey: (key: string, names: readonly string[]) => string = hasNoKey,
): z.ZodObject<Shape, z.core.$strict> {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? describeUnknown(issue.keys, (key) => unknownKey(key, names))
        : `must be ${expected}`,
  });
}

function describeUnknown(keys: readonly string[], describe: (key: string) => string): string {
  const more = keys.length - PROBLEMS_MAX;
  const named = keys.slice(0, PROBLEMS_MAX).map(describe);
  return (more > 0 ? [...named, `has ${more} more that are not expected there`] : named).join("\n");
}

function hasNoKey(key: string, names: readonly string[]): string {
  const only = names.length === 0 ? "nothing is expected there" : `only ${names.join(", ")}`;
  return `has no ${quote(key)}, ${only}.${didYouMean(key, names)}`;
}

/** An optional member with the description that editors show. */
export function optional<Schema extends z.ZodType>(schema: Schema, description: string): z.ZodOptional<Schema> {
  return schema.optional().meta({ description });
}

/** An object whose unknown keys are ignored. */
export function openObject<const Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  expected = "a JSON object",
): z.ZodObject<Shape> {
  return z.object(shape, { error: `must be ${expected}` });
}

export interface ListOptions {
  /** What the list holds: `must be a list of charges`. */
  readonly of?: string;
  readonly min?: number;
  readonly max?: number;
}

export function listOf<T>(item: z.ZodType<T>, { of, min = 0, max }: ListOptions = {}): z.ZodType<readonly T[]> {
  const error = of === undefined ? "must be a list" : `must be a list of ${of}`;
  const items = list(item, error);
  if (max !== undefined) return items.max(max, { error: `${error}, with at most ${max}` });
  return min === 0 ? items : items.min(min, { error: `${error}, with at least ${min}` });
}

type ArrayConstructor = z.core.$constructor<z.ZodArray>;
const zodArray: ArrayConstructor = z.ZodArray;

/** An array that stops at {@link PROBLEMS_MAX} problems. zod's own array collects the problems of all items. */
const BoundedArray: ArrayConstructor = z.core.$constructor("BoundedArray", (array, def) => {
  zodArray.init(array, def);
  array._zod.parse = (payload, context) => {
    const { value } = payload;
    if (!Array.isArray(value)) {
      payload.issues.push({ expected: "array", code: "invalid_type", input: value, inst: array });
      return payload;
    }
    const items: unknown[] = [];
    payload.value = items;
    for (const [index, given] of value.entries()) {
      const item = def.element._zod.run({ value: given, issues: [] }, context);
      if (item instanceof Promise) throw new z.core.$ZodAsyncError();
      items.push(item.value);
      for (const issue of item.issues) payload.issues.push({ ...issue, path: [index, ...(issue.path ?? [])] });
      if (payload.issues.length > PROBLEMS_MAX) break;
    }
    return payload;
  };
});

/** A list whose items are not checked further after {@link PROBLEMS_MAX} problems. */
export function list<Item extends z.ZodType>(element: Item, error: string): z.ZodArray<Item> {
  return new BoundedArray({ type: "array", element, error: () => error }) as z.ZodArray<Item>;
}

const MEMBERS_MAX = 1000;

/** A mapping of names to values of one kind, as in headers. */
export function recordOf<T>(value: z.ZodType<T>, error: string): z.ZodType<Record<string, T>> {
  return z.preprocess(
    (given, context) =>
      isObject(given) && Object.keys(given).length > MEMBERS_MAX
        ? report(context, [], `must have at most ${MEMBERS_MAX} members`, { beside: true })
        : given,
    z.record(z.string(), value, { error }),
  );
}

/** The most characters of a text, and the most bytes of metadata as JSON. No request brings more, whatever `server.bodyLimit` is. */
export const TEXT_MAX = 8 * 1024 * 1024;

/** Any text. */
export function anyText(charactersMax = TEXT_MAX): z.ZodType<string, string> {
  return atMost(charactersMax, z.string({ error: "must be a string" }));
}

/** Not zod's `max`, which the API description would show. */
function atMost(charactersMax: number, schema: z.ZodType<string, string>): z.ZodType<string, string> {
  return schema.refine(({ length }) => length <= charactersMax, {
    error: `must have at most ${charactersMax} characters`,
  });
}

/** Text that is not blank. */
export function text(what: string, charactersMax?: number): z.ZodType<string, string> {
  if (charactersMax === undefined) return atMost(TEXT_MAX, matching(/\S/, `${what}, a string that is not blank`));
  const error = `must be ${what}, a string of 1 to ${charactersMax} characters that is not blank`;
  return z.string({ error }).regex(/\S/, { error }).max(charactersMax, { error });
}

/** Text that matches a pattern. */
export function matching(pattern: RegExp, expected: string): z.ZodType<string, string> {
  const error = `must be ${expected}`;
  return z.string({ error }).regex(pattern, { error });
}

export const id = matching(/^[\w.-]{1,200}$/, "an id: 1 to 200 letters, digits, dots, dashes and underscores");

export const uuid = matching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "a UUID");

export const flag: z.ZodType<boolean, boolean> = z.boolean({ error: "must be true or false" });

/** One of some words. With `suggest` the message asks for the nearest one. */
export function word<const Word extends string>(
  words: readonly Word[],
  { suggest = false }: { readonly suggest?: boolean } = {},
): z.ZodType<Word, Word> {
  const error = `must be one of ${words.join(", ")}`;
  return z.enum(words, {
    error: ({ input }) => {
      const meant = suggest && typeof input === "string" ? nearest(input, words) : undefined;
      return meant === undefined ? error : `${error} (did you mean ${quote(meant)}?)`;
    },
  });
}

/** One of some values: `must be "conflict" or "allow"`. */
export function oneOf<const Value extends string | number | boolean>(
  ...values: readonly Value[]
): z.ZodType<Value, Value> {
  return z.literal(values, { error: `must be ${listing(values)}` });
}

/** `"conflict" or "allow"`. */
export function listing(values: readonly unknown[]): string {
  const written = values.map((value) => JSON.stringify(value));
  return [written.slice(0, -1).join(", "), written.at(-1)].filter(Boolean).join(" or ");
}

/** A safe whole number of `unit`, both bounds inclusive. */
export function wholeNumber(min: number, max?: number, unit?: string): z.ZodType<number, number> {
  const range = max === undefined ? `from ${min}` : `from ${min} to ${max}`;
  const error = `must be a whole number ${unit === undefined ? "" : `of ${unit} `}${range}`;
  const isWithin = (given: number): boolean =>
    Number.isSafeInteger(given) && given >= min && (max === undefined || given <= max);
  // Not z.int(): after a fraction zod skips the checks of the object around it.
  return z
    .number({ error })
    .refine(isWithin, { error })
    .meta({ type: "integer", minimum: min, ...(max === undefined ? {} : { maximum: max }) });
}

/** A number from 0 to `max`, with at most `decimals` digits after the point. */
export function decimal(max: number, decimals?: number): z.ZodType<number, number> {
  const digits = decimals === undefined ? "" : ` with at most ${decimals} decimals`;
  const error = `must be a number from 0 to ${max}${digits}`;
  const isExact = (value: number): boolean => decimals === undefined || Number(value.toFixed(decimals)) === value;
  return z.number({ error }).min(0, { error }).max(max, { error }).refine(isExact, { error });
}

const COUNT_MAX = 10 ** 14;
const countError = `must be a whole number from 0 to ${COUNT_MAX}`;

/** A number in the form that it has in memory, with a condition. */
export function numberWhere(isRight: (value: number) => boolean, expected: string): z.ZodType<number, number> {
  const error = `must be ${expected}`;
  return z.number({ error }).refine(isRight, { error });
}

/** The bound is twice {@link COUNT_MAX}, which no count reaches that began below it: so a sandbox can read again whatever it wrote. */
const isCount = (value: number): boolean => Number.isInteger(value) && value >= 0 && value <= COUNT_MAX * 2;

/**
 * What is wrong with a count of a state that is put in: too little room to count further. A state that began with {@link COUNT_MAX} and was used since is
 * accepted.
 */
export function problemOfCount(value: number): string | undefined {
  return value > COUNT_MAX * 1.5 ? `${countError}, got ${value}` : undefined;
}

/** A whole number from 0 in a stored state. */
export const count: z.ZodType<number, number> = z.number({ error: countError }).refine(isCount, { error: countError });

export const INSTANT_EXAMPLE = "an ISO 8601 time such as 2026-01-15T09:00:00Z";

/** An ISO 8601 time; the output is ms since the epoch. */
export const instant: z.ZodType<Instant, string> = z
  .string({ error: `must be ${INSTANT_EXAMPLE}` })
  .transform((given, context) => parseInstant(given) ?? report(context, [], `must be ${INSTANT_EXAMPLE}`));

const DURATION_FORMS = "a duration such as 10s, 1h30m, PT1H or a number of milliseconds";

/** A duration in any of its forms, both bounds inclusive and in ms; the output is ms. */
export function duration(minMs = 0, maxMs: number = MAX_DURATION_MS): z.ZodType<number, string | number> {
  return z
    .union([z.string(), z.number()], { error: `must be ${DURATION_FORMS}` })
    .transform((written, context) => {
      const parsed = tryParseDuration(written);
      if ("error" in parsed) return sentence(context, parsed.error);
      if (parsed.ms >= minMs && parsed.ms <= maxMs) return parsed.ms;
      const max = formatDuration(maxMs);
      const bound = minMs === 0 ? `is longer than ${max}` : `is not from ${formatDuration(minMs)} to ${max}`;
      return sentence(context, `${formatDuration(parsed.ms)} ${bound}`);
    })
    .meta({
      description: "A duration: 1d2h59m59.999s, ISO 8601 (PT1H), or a number of milliseconds",
      examples: ["10s", "1h"],
    });
}

const inside = (regex: RegExp) => regex.source.slice(1, -1);
const userInfo = String.raw`(?:[^\s\u0000-\u001F/\\?#@]*@)?`;
/** Excludes names whose last label is a number. The URL parser reads them as IPv4 addresses, in forms that nobody writes on purpose. */
const numberAtEnd = String.raw`(?![^/\\?#:]*?(?<![^.@/])(?:\d+|0[Xx][\dA-Fa-f]*)\.?(?:[:/\\?#]|$))`;
const name = String.raw`${numberAtEnd}[^\s\u0000-\u001F/\\?#@:[\]<>^|%]+`;
const host = String.raw`(?:\[(?:${inside(z.regexes.ipv6)})\]|${inside(z.regexes.ipv4)}(?=[:/\\?#]|$)|${name})`;
const port = String.raw`(?::(?:0*(?:[0-5]?\d{1,4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5]))?)?`;
/**
 * Requires a host after the slashes, and no white space or control characters: the URL parser would silently repair all of these. Only the parser knows
 * which names outside ASCII are invalid (UTS 46).
 */
const urlPattern = String.raw`^[Hh][Tt][Tt][Pp][Ss]?://${userInfo}${host}${port}(?:[/\\?#][^\s\u0000-\u001F]*)?$`;
const absoluteUrlPattern = new RegExp(urlPattern, "u");

const urlError = "must be an absolute http or https URL";

export const absoluteUrl: z.ZodType<string, string> = atMost(
  TEXT_MAX,
  z.string({ error: urlError }).refine(isAbsoluteHttpUrl, { error: urlError }),
).meta({ pattern: urlPattern });

/** Does not use `URL.canParse`: in Node.js 20 its optimised version refuses names outside ASCII. */
function isAbsoluteHttpUrl(url: string): boolean {
  return absoluteUrlPattern.test(url) && parseUrl(url) !== undefined;
}

export const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

const upTo = (latest: Instant): z.ZodType<Instant, number> =>
  numberWhere(
    (value) => Number.isInteger(value) && value >= 0 && value <= latest,
    "a whole number of milliseconds since 1970",
  );

/** A {@link storedInstant} and a {@link storedTimer} in the form that they have in memory. */
export const keptInstant = upTo(LATEST);
export const keptTimer = upTo(LATEST_TIMER);

const storedInstantError = "must be an ISO 8601 time such as 2026-01-15T09:00:00.000Z";

const writtenAs = (kept: z.ZodType<Instant, number>, latest: Instant): z.ZodType<Instant, string> =>
  z.codec(z.string({ error: storedInstantError }), kept, {
    decode: (text, context) => {
      const known = parseInstant(text);
      if (known !== undefined) return known;
      const late = Date.parse(text);
      if (!(late > LATEST) || toIso(late) !== text) return refuseCodec(context, text, storedInstantError);
      return late <= latest ? late : refuseCodec(context, text, `must be at most ${toIso(latest)}`);
    },
    encode: toIso,
  });

/** A time in a stored state at which something happened, read and written. */
export const storedInstant = writtenAs(keptInstant, LATEST);

/** A future time, such as a timer's. It may be later than the last time to which a clock can be set. */
export const storedTimer = writtenAs(keptTimer, LATEST_TIMER);

/** A value that is undefined in a record and null in JSON. */
export function orUndefined<T>(schema: z.ZodType<T, T>): z.ZodType<T | undefined> {
  return z.codec(schema.nullable(), z.union([schema, z.undefined()]), {
    decode: (value) => value ?? undefined,
    encode: (value) => value ?? null,
  });
}

/** A row that is stored in another form than it has in memory. */
export function storedAs<T>(
  row: z.ZodType<T>,
  { decode, encode }: { readonly decode: (stored: T) => T; readonly encode: (row: T) => T },
): z.ZodType<T> {
  return z.codec(row, z.custom<T>(), { decode, encode });
}

/** Reports a problem from a codec. */
export function refuseCodec(context: z.core.ParsePayload, input: unknown, message: string): never {
  context.issues.push({ code: "custom", input, message });
  return z.NEVER;
}

/** `companies[0].charges[2].amount`. */
export function renderPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === "number") return `${text}[${key}]`;
    const name = String(key);
    const shown = /^[\w$-]{1,60}$/.test(name) ? name : quote(name);
    return text === "" ? shown : `${text}.${shown}`;
  }, "");
}

/** The value at a path; undefined where there is none, or only an inherited member. */
export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => memberOf(at, key), value);
}
