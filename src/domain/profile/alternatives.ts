import { isDeepStrictEqual } from "node:util";
import { nest } from "./parse-profile.js";
import type { Setting } from "./setting.js";
import { type ProfileOverrides, groupOf, settings } from "./settings.js";
import type { Json } from "../../kernel/messages/json.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { didYouMean } from "../../kernel/messages/suggest.js";
import { quote } from "../../kernel/messages/text.js";

export interface ReadSetting {
  /** Such as `transfers.settlement`. */
  readonly path: string;
  readonly value: Json;
}

/** A setting with its value before and after. */
export interface Alternative {
  readonly setting: Setting;
  readonly before: Json;
  readonly after: Json;
  /** What the alternative means. */
  readonly effect: string;
}

/** Which settings to vary, by path (`transfers.settlement`) or group (`transfers`). */
export interface SettingSelection {
  readonly only: readonly string[];
  readonly skip: readonly string[];
}

/** Throws UsageError("command-line") for a name that no setting has. */
export function assertSettings({ only, skip }: SettingSelection): void {
  const known = settings.flatMap(({ path }) => [path, groupOf(path)]);
  for (const name of [...only, ...skip]) {
    if (known.includes(name)) continue;
    throw new UsageError("command-line", `Unknown setting ${quote(name)}.${didYouMean(name, known)}`);
  }
}

export function isSelected({ only, skip }: SettingSelection, path: string): boolean {
  const isNamed = (names: readonly string[]): boolean => names.includes(path) || names.includes(groupOf(path));
  return (only.length === 0 || isNamed(only)) && !isNamed(skip);
}

/** The default and the alternatives of each setting that was read, except for the value that it had. */
export function alternativesOf(read: readonly ReadSetting[]): Alternative[] {
  const values = new Map(read.toReversed().map(({ path, value }) => [path, value]));
  return settings.flatMap((setting): Alternative[] => {
    const before = values.get(setting.path);
    if (before === undefined) return [];
    const choices = [
      { value: setting.default, effect: "The default of the sandbox." },
      ...setting.alternatives.flatMap(({ value, effect, samples = [value] }) =>
        samples.map((sample) => ({ value: sample, effect })),
      ),
    ];
    const others = choices.filter(({ value }) => !isSame(setting, value, before));
    return others.map(({ value, effect }) => ({ setting, before, after: value, effect }));
  });
}

export function isSame({ schema }: Setting, one: Json, other: Json): boolean {
  return isDeepStrictEqual(schema.parse(one), schema.parse(other));
}

/** The alternatives as overrides, nested as in a profile file. */
export function profileOf(alternatives: readonly Alternative[]): ProfileOverrides {
  return nest(alternatives.map(({ setting, after }) => [setting.path, after]));
}

/** The settings of the table that were not read. */
export function unread(read: readonly ReadSetting[]): Setting[] {
  const paths = new Set(read.map(({ path }) => path));
  return settings.filter(({ path }) => !paths.has(path));
}
