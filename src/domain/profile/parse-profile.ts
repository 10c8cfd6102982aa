import { msisdnKey } from "../values/msisdn.js";
import type { Profile } from "./profile.js";
import { type ProfileProblem, problemsOfValue } from "./setting-problems.js";
import { Bug } from "../../kernel/messages/problem.js";
import { isObject } from "../../kernel/messages/json.js";
import { readOverrides } from "./overrides.js";
import type { Json } from "../../kernel/messages/json.js";
import { type ProfileOverrides, type ProfileValues, settings } from "./settings.js";

export type ParsedProfile =
  | {
      readonly ok: true;
      readonly profile: Profile;
      readonly values: ProfileValues;
      readonly overrides: ProfileOverrides;
    }
  | { readonly ok: false; readonly problems: readonly ProfileProblem[] };

/**
 * Applies nested overrides to the defaults. Returns the profile, or all problems of the overrides. A setting that is given replaces its default as a
 * whole; a fee keeps the default's members where none are given. A setting or group that is null has its default.
 */
export function parseProfile(overrides: unknown = {}): ParsedProfile {
  const { written, problems } = readOverrides(overrides);
  const compiled = new Map<string, unknown>();
  const values = new Map<string, Json>();
  const cleaned = new Map<string, Json>();
  const refused = new Set<string>();
  const isWritten = (path: string): boolean => written.has(path);

  for (const setting of settings) {
    const { path } = setting;
    const given = written.get(path) ?? undefined;
    const parsed = given === undefined ? undefined : setting.schema.safeParse(given);
    compiled.set(path, parsed?.success === true ? parsed.data : setting.compiledDefault);
    values.set(path, setting.default);
    if (parsed?.success === true) {
      // A copy, so that a later change of the caller's object does not change a company. The schemas accept only JSON.
      const override = JSON.parse(JSON.stringify(given)) as Json;
      cleaned.set(path, override);
      const isPartial = setting.partial && isObject(override) && isObject(setting.default);
      values.set(path, isPartial ? { ...setting.default, ...override } : override);
    } else if (parsed !== undefined) {
      problems.push(...problemsOfValue(setting, given, parsed.error));
      refused.add(path);
    }
  }

  // The only cast of the profile: the compiler has checked the table and each of its schemas against `Profile` (settings.ts), but it cannot follow a
  // loop.
  const assembled: object = nest(compiled);
  const profile = assembled as Profile;
  if (written.size > 0) problems.push(...crossCheck(profile, isWritten, (path) => !refused.has(path)));
  if (problems.length > 0) return { ok: false, problems };
  return { ok: true, profile, values: nest(values), overrides: nest(cleaned) };
}

/** The profile without overrides. */
export function defaultProfile(): Profile {
  const parsed = parseProfile();
  if (!parsed.ok) throw new Bug(`The default profile is wrong: ${JSON.stringify(parsed.problems)}`);
  return parsed.profile;
}

/** `{"transfers.min": 1}` becomes `{transfers: {min: 1}}`. Paths come from the table, so no key of a user's is ever written. */
export function nest<Value>(byPath: Iterable<readonly [path: string, value: Value]>): {
  readonly [groupOrSetting: string]: Value | { [name: string]: Value };
} {
  const nested: { [groupOrSetting: string]: Value | { [name: string]: Value } } = {};
  for (const [path, value] of byPath) {
    const [group = path, name] = path.split(".");
    if (name === undefined) nested[group] = value;
    else nested[group] = Object.assign(nested[group] ?? {}, { [name]: value });
  }
  return nested;
}

/**
 * Checks that involve several settings. Each check names the settings that it compares, with the one at fault last. `canCheck` excludes settings that
 * are wrong by themselves.
 */
export function crossCheck(
  profile: Profile,
  isOverridden: (path: string) => boolean,
  canCheck: (path: string) => boolean,
): ProfileProblem[] {
  return [...boundChecks(profile), ...nameChecks(profile), ...testNumberChecks(profile)].flatMap(
    ({ first, second, isWrong, message }) => {
      if (!canCheck(first) || !canCheck(second) || !isWrong) return [];
      // Report the setting that the user wrote.
      const culprit = isOverridden(second) ? second : first;
      return [{ path: culprit.split("."), message }];
    },
  );
}

interface CrossCheck {
  readonly first: string;
  readonly second: string;
  readonly isWrong: boolean;
  readonly message: string;
}

function boundChecks(profile: Profile): CrossCheck[] {
  return (["transfers", "charges"] as const).map((group) => {
    const { min, max } = profile[group];
    return {
      first: `${group}.min`,
      second: `${group}.max`,
      isWrong: min > max,
      message: `${group}.min (${min}) must not be above ${group}.max (${max})`,
    };
  });
}

function nameChecks({ webhooks: { signatureHeader, topicHeader }, paging }: Profile): CrossCheck[] {
  return [
    {
      first: "webhooks.signatureHeader",
      second: "webhooks.topicHeader",
      isWrong: topicHeader?.toLowerCase() === signatureHeader.toLowerCase(),
      message: `webhooks.topicHeader must differ from webhooks.signatureHeader: both are ${signatureHeader}`,
    },
    {
      first: "paging.limitParameter",
      second: "paging.cursorParameter",
      isWrong: paging.cursorParameter === paging.limitParameter,
      message: `paging.cursorParameter must differ from paging.limitParameter: both are ${paging.limitParameter}`,
    },
  ];
}

function testNumberChecks({ testNumbers }: Profile): CrossCheck[] {
  const roles = Object.entries<string>(testNumbers);
  return roles.flatMap(([role, number], index) =>
    roles.slice(0, index).map(([earlierRole, earlier]) => ({
      first: `testNumbers.${earlierRole}`,
      second: `testNumbers.${role}`,
      isWrong: msisdnKey(number) === msisdnKey(earlier),
      message:
        `testNumbers.${role} (${number}) must differ from testNumbers.${earlierRole} (${earlier}): ` +
        "they are the same number without +, 00 and country prefix 225",
    })),
  );
}
