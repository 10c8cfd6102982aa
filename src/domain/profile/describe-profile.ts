import { isObject } from "./read-overrides.js";
import type { Json } from "../../kernel/json.js";
import type { ProfileValues } from "./setting.js";
import { settings } from "./settings.js";

/** One row of `sandbox profile` and of GET /_sandbox/profile. */
export interface DescribedSetting {
  readonly setting: string;
  readonly summary: string;
  readonly value: Json;
  readonly default: Json;
  readonly alternatives: readonly { readonly value: Json; readonly effect: string }[];
  readonly contract: string;
}

/** Every open point of the contract with its choice, in the table's order. */
export function describeProfile(values: ProfileValues): readonly DescribedSetting[] {
  return settings.map((setting) => ({
    setting: setting.path,
    summary: setting.summary,
    value: valueAt(values, setting.path) ?? setting.default,
    default: setting.default,
    alternatives: setting.alternatives.map(({ value, effect }) => ({ value, effect })),
    contract: setting.contract,
  }));
}

function valueAt(values: ProfileValues, path: string): Json | undefined {
  return path.split(".").reduce<Json | undefined>((value, name) => (isObject(value) ? value[name] : undefined), values);
}
