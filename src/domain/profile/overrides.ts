import { isObject, memberOf } from "../../kernel/messages/json.js";
import { type ProfileProblem, notAGroup, show, unknownSetting } from "./setting-problems.js";
import { findSetting, settingGroups } from "./settings.js";

/**
 * Applies a patch to overrides of the same nested form, for PATCH /_sandbox/profile. Each setting in the patch replaces the earlier value as a whole.
 *
 * Nothing is checked here. `parseProfile` takes null for the default, and refuses unknown keys together with the other problems.
 */
export function mergeOverrides(base: unknown, patch: unknown): unknown {
  if (!isObject(patch) || !isObject(base)) return patch;
  const entries = Object.entries(patch).map(([name, value]): [string, unknown] => {
    const before = settingGroups.has(name) && isObject(value) ? memberOf(base, name) : undefined;
    return [name, isObject(before) && isObject(value) ? { ...before, ...value } : value];
  });
  return { ...base, ...Object.fromEntries(entries) };
}

/**
 * The settings that a nested profile names, by path, and the problems of its other keys. Keys are only looked up in the table, so `__proto__` and
 * `constructor` are unknown names like any other. Null means the default.
 */
export function readOverrides(overrides: unknown): { written: Map<string, unknown>; problems: ProfileProblem[] } {
  const written = new Map<string, unknown>();
  if (!isObject(overrides)) {
    const example = '{"transfers": {"settlement": "manual"}}';
    const message = `A profile must be an object such as ${example}, not ${show(overrides)}`;
    return { written, problems: [{ path: [], message }] };
  }
  const unknown: string[][] = [];
  const problems: ProfileProblem[] = [];
  for (const [name, value] of Object.entries(overrides)) {
    if (findSetting(name) !== undefined && !name.includes(".")) written.set(name, value);
    else if (settingGroups.has(name)) readGroup(name, value);
    else if (isObject(value) && Object.keys(value).length > 0) {
      for (const inner of Object.keys(value)) unknown.push([name, inner]);
    } else unknown.push([name]);
  }
  return { written, problems: [...problems, ...unknownSettings(unknown)] };

  function readGroup(group: string, members: unknown): void {
    if (members === null || members === undefined) return;
    if (!isObject(members)) {
      problems.push(notAGroup(group, members));
      return;
    }
    for (const [name, value] of Object.entries(members)) {
      const path = `${group}.${name}`;
      if (findSetting(path) === undefined) unknown.push([group, name]);
      else if (value !== null && value !== undefined) written.set(path, value);
    }
  }
}

/** Finding a suggestion compares the key with every setting, so a body with many unknown keys gets at most this many. */
const UNKNOWN_MAX = 100;

function unknownSettings(paths: readonly (readonly string[])[]): ProfileProblem[] {
  const problems = paths.slice(0, UNKNOWN_MAX).map(unknownSetting);
  const more = paths.length - problems.length;
  return more > 0 ? [...problems, { path: [], message: `${more} more keys are not settings` }] : problems;
}
