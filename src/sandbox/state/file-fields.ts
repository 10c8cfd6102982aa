import * as z from "zod";
import { parseProfile } from "../../domain/profile/parse-profile.js";
import type { ProfileProblem } from "../../domain/profile/setting-problems.js";
import { type ProfileOverrides, findSetting, settingGroups } from "../../domain/profile/settings.js";
import { tryParseDuration } from "../../kernel/time/duration.js";
import { INSTANT_EXAMPLE, matching, object, report } from "../../kernel/fields.js";
import { type Instant, parseInstant } from "../../kernel/time/instant.js";
import { didYouMean } from "../../kernel/messages/suggest.js";
import { decimalXof, wholeXof } from "../../domain/values/fields.js";
import { type Money, fromXof } from "../../domain/values/money.js";

/** Fields that only the files of users have: configuration, fixtures, profiles and scenarios. */

/** A mapping with these keys and no others. `expected`: "a company such as { companyId: company_shop }". */
export function mapping<const Shape extends z.core.$ZodLooseShape>(shape: Shape, expected: string) {
  return object(
    shape,
    expected,
    (key, names) => `is not known here.${didYouMean(key, names) || ` Known are ${names.join(", ")}`}`,
  );
}

/** For checks across fields (`superRefine`): runs them even when a field is wrong, but only on an object. */
export const onObjects = {
  when: ({ value }: { readonly value: unknown }): boolean => typeof value === "object" && value !== null,
};

/** An access token or the id of a company: it fits into a header and into a URL. */
export function credential(what: string): z.ZodType<string> {
  return matching(/^[\x21-\x7e]{1,200}$/, `${what}: 1 to 200 visible ASCII characters without spaces`);
}

/** An account's balance in XOF, with decimals. */
export const balance = decimalXof(100_000_000_000);

/** Whole XOF. The contract says of amounts: "Integers appear for requests". */
export const amount: z.ZodType<Money> = wholeXof(1, 1_000_000_000).transform(fromXof);

/** An instant, or an offset from the company's start: `-30m` in a file keeps its meaning from day to day. */
export type FixtureTime = Instant | { readonly beforeStartMs: number };

const createdAtError = `must be ${INSTANT_EXAMPLE}, or a duration before the company begins such as -30m`;

export const createdAt: z.ZodType<FixtureTime> = z.string({ error: createdAtError }).transform((given, context) => {
  const at = parseInstant(given);
  if (at !== undefined) return at;
  const duration = tryParseDuration(given.replace(/^-/, ""));
  if ("error" in duration) return report(context, [], createdAtError);
  if (given.startsWith("-")) return { beforeStartMs: duration.ms };
  return report(context, [], `${createdAtError}; with the minus sign, -${given}`);
});

/** A company's clock: it runs, or it is frozen at the start or at an instant. */
export type ClockChoice = "running" | "frozen" | { readonly frozenAt: Instant };

const clockError = `must be running, frozen, or ${INSTANT_EXAMPLE}`;

export const clock: z.ZodType<ClockChoice> = z.string({ error: clockError }).transform((given, context) => {
  if (given === "running" || given === "frozen") return given;
  const frozenAt = parseInstant(given);
  return frozenAt === undefined ? report(context, [], clockError, { words: ["running", "frozen"] }) : { frozenAt };
});

/** The contract says: "opaque string, UUID-like". */
export const chargeId = matching(/^[\w.-]{1,100}$/, "an id: 1 to 100 letters, digits, dots, dashes and underscores");

/** The output has no prefix, as in the store. */
export const transactionId: z.ZodType<string> = matching(
  /^(?:txn_)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
  "a UUID, with or without txn_ before it",
).transform((given) => given.replace(/^txn_/, "").toLowerCase());

/** Nested settings. The output is the checked settings as they were written. */
export const profile: z.ZodType<ProfileOverrides> = z.unknown().transform((given, context) => {
  const parsed = parseProfile(given ?? {});
  if (parsed.ok) return parsed.overrides;
  for (const { path, message } of parsed.problems) {
    report(context, path, message, { sentence: true, ...(isSetting(path) ? {} : { key: true }) });
  }
  return z.NEVER;
});

/** Whether the problem is in the value; otherwise the key is wrong. */
function isSetting(path: ProfileProblem["path"]): boolean {
  const [group = "", name] = path.map(String);
  if (findSetting(group) !== undefined || path.length === 0) return true;
  return name === undefined ? settingGroups.has(group) : findSetting(`${group}.${name}`) !== undefined;
}
