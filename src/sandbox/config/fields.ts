import * as z from "zod";
import type { SourcePath } from "../../adapters/files/source.js";
import { fromXof, isExactXof, type Money } from "../../domain/accounts/money.js";
import type { ProfileProblem } from "../../domain/profile/setting-problems.js";
import { parseProfile } from "../../domain/profile/parse-profile.js";
import type { ProfileOverrides } from "../../domain/profile/setting.js";
import { findSetting, settingGroups } from "../../domain/profile/settings.js";
import { tryParseDuration } from "../../kernel/duration.js";
import { type Instant, parseInstant } from "../../kernel/instant.js";
import { didYouMean } from "../../kernel/suggest.js";
import type { FixtureTime } from "../state/fixture.js";

/**
 * The fields of the files that a user writes. As in the contract's schemas a message completes "<path> …" and says what would be right.
 */
export interface IssueParams {
  /** The message stands by itself. */
  readonly sentence?: true;
  /** It is about the key, and not its value. */
  readonly key?: true;
  /** It is about what stands beside it, so that the value says nothing. */
  readonly beside?: true;
  /** What may have been meant: the nearest is asked for. */
  readonly words?: readonly string[];
}

/** Says in a refinement or a transformation what is wrong. */
export function report(context: z.RefinementCtx, path: SourcePath, message: string, params: IssueParams = {}): void {
  context.addIssue({ code: "custom", path: [...path], message, params: { ...params } });
}

/** An object with these keys and no others. Of several unknown keys each has its line in the message. */
export function object<const Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
  what: string,
): z.ZodObject<Shape, z.core.$strict> {
  const names = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === "unrecognized_keys"
        ? issue.keys
            .map((key) => `is not known here.${didYouMean(key, names) || ` Known are ${names.join(", ")}`}`)
            .join("\n")
        : `must be ${what}`,
  });
}

export function listOf<T>(item: z.ZodType<T>, what: string, min = 0): z.ZodType<T[]> {
  const error = `must be a list of ${what}`;
  return z.array(item, { error }).min(min, { error: `${error}, with at least ${min}` });
}

export function word<const Word extends string>(words: readonly Word[]): z.ZodType<Word> {
  return z.enum(words, { error: `must be one of ${words.join(", ")}` });
}

export const flag: z.ZodType<boolean> = z.boolean({ error: "must be true or false" });

export function wholeNumber(min: number, max: number, unit = ""): z.ZodType<number> {
  const error = `must be a whole number ${unit}from ${min} to ${max}`;
  const isWithin = (given: number): boolean => Number.isSafeInteger(given) && given >= min && given <= max;
  // Not z.int(): after a fraction zod would leave out the checks of the object around it.
  return z.number({ error }).refine(isWithin, { error }).meta({ type: "integer", minimum: min, maximum: max });
}

const BALANCE_XOF_MAX = 100_000_000_000;
const balanceError = `must be a number of XOF from 0 to ${BALANCE_XOF_MAX} with at most 4 decimals`;

/** In XOF. */
export const balance: z.ZodType<number> = z
  .number({ error: balanceError })
  .min(0, { error: balanceError })
  .max(BALANCE_XOF_MAX, { error: balanceError })
  .refine(isExactXof, { error: balanceError });

/** Whole XOF: "Integers appear for requests". */
export const amount: z.ZodType<Money> = wholeNumber(1, 1_000_000_000, "of XOF ").transform(fromXof);

const instantExample = "an ISO 8601 time such as 2026-01-15T09:00:00Z";

export const instant: z.ZodType<Instant> = z
  .string({ error: `must be ${instantExample}` })
  .transform((given, context) => parseInstant(given) ?? fail(context, `must be ${instantExample}`));

const createdAtError = `must be ${instantExample}, or a duration before the company begins such as -30m`;

export const createdAt: z.ZodType<FixtureTime> = z.string({ error: createdAtError }).transform((given, context) => {
  const read = parseInstant(given);
  if (read !== undefined) return read;
  const duration = tryParseDuration(given.replace(/^-/, ""));
  if ("error" in duration) return fail(context, createdAtError);
  if (given.startsWith("-")) return { beforeStartMs: duration.ms };
  return fail(context, `${createdAtError}; with the minus sign, -${given}`);
});

/** A company's clock: it runs, or stands still at the start, or at an instant. */
export type ClockChoice = "running" | "frozen" | { readonly frozenAt: Instant };

const clockError = `must be running, frozen, or ${instantExample}`;

export const clock: z.ZodType<ClockChoice> = z.string({ error: clockError }).transform((given, context) => {
  if (given === "running" || given === "frozen") return given;
  const frozenAt = parseInstant(given);
  return frozenAt === undefined ? fail(context, clockError, { words: ["running", "frozen"] }) : { frozenAt };
});

const VISIBLE_MAX = 200;

/** What fits into a header, and into a URL: an access token, the id of a company. */
export function visible(what: string): z.ZodType<string> {
  const error = `must be ${what}: 1 to ${VISIBLE_MAX} visible ASCII characters without spaces`;
  return z
    .string({ error })
    .regex(/^[\x21-\x7E]*$/, { error })
    .min(1, { error })
    .max(VISIBLE_MAX, { error });
}

const chargeIdError = "must be an id: 1 to 100 letters, digits, dots, dashes and underscores";

/** The contract: "opaque string, UUID-like". */
export const chargeId: z.ZodType<string> = z
  .string({ error: chargeIdError })
  .regex(/^[\w.-]{1,100}$/, { error: chargeIdError });

const transactionIdError = "must be a UUID, with or without txn_ before it";

/** As it is stored: without its prefix. */
export const transactionId: z.ZodType<string> = z
  .string({ error: transactionIdError })
  .regex(/^(?:txn_)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, { error: transactionIdError })
  .transform((given) => given.replace(/^txn_/, "").toLowerCase());

/** Nested settings, checked; what stands in the file for them. */
export const profile: z.ZodType<ProfileOverrides> = z.unknown().transform((given, context) => {
  const parsed = parseProfile(given ?? {});
  if (parsed.ok) return parsed.overrides;
  for (const { path, message } of parsed.problems) {
    report(context, path, message, { sentence: true, ...(isSetting(path) ? {} : { key: true }) });
  }
  return z.NEVER;
});

/** Whether the problem is in the value; otherwise the key is the mistake. */
function isSetting(path: ProfileProblem["path"]): boolean {
  const [group = "", name] = path.map(String);
  if (findSetting(group) !== undefined || path.length === 0) return true;
  return name === undefined ? settingGroups.has(group) : findSetting(`${group}.${name}`) !== undefined;
}

function fail(context: z.RefinementCtx, message: string, params?: IssueParams): never {
  report(context, [], message, params);
  return z.NEVER;
}
