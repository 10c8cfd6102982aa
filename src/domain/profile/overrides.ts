import { isObject } from "../../kernel/messages/json.js";
import { type ProfileProblem, notAGroup, show, unknownSetting } from "./setting-problems.js";
import { findSetting, settingGroups } from "./settings.js";

/**
 * Applies a patch to overrides of the same nested form, for PATCH /_sandbox/profile. Each setting in the patch replaces the earlier value as a whole;
 * `null` returns a setting, or a whole group, to the default.
 *
 * Nothing is checked here. Unknown keys are passed on unchanged, so that `parseProfile` refuses them together with the other problems.
 */
export function mergeOverrides(base: unknown, patch: unknown): unknown {
  if (!isObject(patch) || !isObject(base)) return patch;
  return merge(base, patch, "");
}

function merge(base: unknown, patch: Readonly<Record<string, unknown>>, group: string): object {
  const merged = new Map(isObject(base) ? Object.entries(base) : []);
  for (const [name, value] of Object.entries(patch)) {
    const isGroup = group === "" && settingGroups.has(name) && isObject(value);
    const result = isGroup ? merge(merged.get(name), value, `${name}.`) : value;
    const isEmpty = isGroup && Object.keys(Object(result)).length === 0;
    if (isEmpty || (value === null && isKnown(group + name))) merged.delete(name);
    else merged.set(name, result);
  }
  // fromEntries defines properties and never assigns them: a key `__proto__` stays a key.
  return Object.fromEntries(merged);
}

function isKnown(name: string): boolean {
  return settingGroups.has(name) || findSetting(name) !== undefined;
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
