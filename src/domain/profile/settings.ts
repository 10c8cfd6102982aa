import type { Json } from "../../kernel/messages/json.js";
import { definitions } from "./profile.js";
import { isDefinition, placeSetting, type Setting } from "./setting.js";

/**
 * The one table of the contract's open points. It validates profile files, and fills `sandbox profile`, GET
 * /_sandbox/profile, docs/profile.md and the API description, all in this order.
 */
export const settings: readonly Setting[] = Object.entries<object>({ ...definitions }).flatMap(([group, member]) =>
  isDefinition(member)
    ? [placeSetting(group, member)]
    : Object.entries<object>({ ...member }).flatMap(([name, definition]) =>
        isDefinition(definition) ? [placeSetting(`${group}.${name}`, definition)] : [],
      ),
);

const settingsByPath: ReadonlyMap<string, Setting> = new Map(settings.map((setting) => [setting.path, setting]));

/** The setting at a path such as `transfers.settlement`; undefined for everything else, `__proto__` included. */
export function findSetting(path: string): Setting | undefined {
  return settingsByPath.get(path);
}

/** The names of the groups: `http`, `auth`, … `unknownBody` and `rateLimit` are settings without a group and are not among them. */
export const settingGroups: ReadonlySet<string> = new Set(
  settings.flatMap(({ path }) => (path.includes(".") ? [groupOf(path)] : [])),
);

/** The part of a path before the dot. A setting without a group is its own group. */
export function groupOf(path: string): string {
  return path.split(".", 1)[0] ?? path;
}

/** Every setting as a user would write it, nested: the defaults with the overrides applied. This is what is displayed. */
export type ProfileValues = { readonly [groupOrSetting: string]: Json };

/** Only what a user changed from the defaults, nested and plain JSON. This is what is stored. */
export type ProfileOverrides = { readonly [groupOrSetting: string]: Json };
