import type * as z from "zod";
import type { Profile } from "./profile.js";
import { defineSetting, type GroupDefinition, type Setting, type SettingDefinition } from "./setting.js";
import { chargeSettings, refundSettings } from "./settings-charges.js";
import { customerSettings, testNumberSettings } from "./settings-customers.js";
import {
  authSettings,
  errorSettings,
  httpSettings,
  pagingSettings,
  rateLimitSetting,
  serverSettings,
} from "./settings-http.js";
import { batchSettings, transferSettings } from "./settings-transfers.js";
import { webhookSettings } from "./settings-webhooks.js";

/** The definitions, in the shape of the profile: a member without one does not compile. */
const definitions = {
  http: httpSettings,
  auth: authSettings,
  errors: errorSettings,
  transfers: transferSettings,
  batch: batchSettings,
  charges: chargeSettings,
  refunds: refundSettings,
  customers: customerSettings,
  webhooks: webhookSettings,
  paging: pagingSettings,
  rateLimit: rateLimitSetting,
  server: serverSettings,
  testNumbers: testNumberSettings,
} satisfies {
  readonly [Group in keyof Profile]: Group extends "rateLimit"
    ? SettingDefinition<Profile[Group]>
    : GroupDefinition<Profile[Group]>;
};

/**
 * The one table of the contract's open points. It validates profile files, fills `sandbox profile`, GET
 * /_sandbox/profile, docs/profile.md and the API description, in this order.
 */
export const settings: readonly Setting[] = Object.entries<object>(definitions).flatMap(([group, members]) =>
  isDefinition(members)
    ? [defineSetting(group, members)]
    : Object.entries<SettingDefinition<unknown>>({ ...members }).map(([name, definition]) =>
        defineSetting(`${group}.${name}`, definition),
      ),
);

const settingsByPath: ReadonlyMap<string, Setting> = new Map(settings.map((setting) => [setting.path, setting]));

/** The setting at a path such as `transfers.settlement`; undefined for everything else, `__proto__` included. */
export function findSetting(path: string): Setting | undefined {
  return settingsByPath.get(path);
}

/** The names of the groups: `http`, `auth`, … `rateLimit` is a setting without a group and is not among them. */
export const settingGroups: ReadonlySet<string> = new Set(
  settings.flatMap(({ path }) => (path.includes(".") ? [groupOf(path)] : [])),
);

/** The part of a path before the dot; a setting without a group stands in one of its own. */
export function groupOf(path: string): string {
  return path.split(".", 1)[0] ?? path;
}

/**
 * What the schemas take, inferred: every setting optional, null for its default. A test holds `ProfileInput`, which
 * users see, against it.
 */
export type AcceptedProfile = {
  readonly [Group in keyof Definitions]?:
    | (Definitions[Group] extends HasSchema ? InputOf<Definitions[Group]> : GroupInput<Definitions[Group]>)
    | null;
};

/**
 * What the schemas make of it. A test compares it with `Profile`, so that neither knows a value that the other does
 * not.
 */
export type CompiledProfile = {
  readonly [Group in keyof Definitions]: Definitions[Group] extends HasSchema
    ? OutputOf<Definitions[Group]>
    : { readonly [Name in keyof Definitions[Group]]: OutputOf<Definitions[Group][Name]> };
};

type GroupInput<Group> = { readonly [Name in keyof Group]?: InputOf<Group[Name]> | null };
type InputOf<Definition> = Definition extends { readonly schema: () => z.ZodType<unknown, infer Input> }
  ? Input
  : never;
type OutputOf<Definition> = Definition extends { readonly schema: () => z.ZodType<infer Output> } ? Output : never;
type HasSchema = { readonly schema: () => z.ZodType };
type Definitions = typeof definitions;

function isDefinition(value: object): value is SettingDefinition<unknown> {
  return "schema" in value && typeof value.schema === "function";
}
