import { isObject } from "./read-overrides.js";
import { findSetting, settingGroups } from "./settings.js";

/**
 * Overrides with a patch of the same nested form over them, for PATCH /_sandbox/profile: each setting in the patch
 * replaces the earlier value whole, and `null` returns a setting, or a whole group, to the default.
 *
 * Nothing is judged here. What is no setting is passed on as it is, so that `parseProfile` refuses it with the other
 * problems.
 */
export function mergeOverrides(base: unknown, patch: unknown): unknown {
  if (!isObject(patch) || !isObject(base)) return patch;
  const merged = new Map(Object.entries(base));
  for (const [name, value] of Object.entries(patch)) {
    if (value === null && isKnown(name)) merged.delete(name);
    else if (isObject(value) && settingGroups.has(name))
      setOrDelete(merged, name, mergeGroup(name, merged.get(name), value));
    else merged.set(name, value);
  }
  // fromEntries defines properties and never assigns them: a key `__proto__` stays a key.
  return Object.fromEntries(merged);
}

function mergeGroup(group: string, base: unknown, patch: Readonly<Record<string, unknown>>): Map<string, unknown> {
  const merged = new Map(isObject(base) ? Object.entries(base) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null && isKnown(`${group}.${name}`)) merged.delete(name);
    else merged.set(name, value);
  }
  return merged;
}

function setOrDelete(target: Map<string, unknown>, name: string, members: ReadonlyMap<string, unknown>): void {
  if (members.size === 0) target.delete(name);
  else target.set(name, Object.fromEntries(members));
}

function isKnown(name: string): boolean {
  return settingGroups.has(name) || findSetting(name) !== undefined;
}
