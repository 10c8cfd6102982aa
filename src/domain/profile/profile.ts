import type { SettingDefinition } from "./setting.js";
import { chargeSettings, refundSettings, unknownBodySetting } from "./settings-charges.js";
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

/** Every open point of the contract, by group. `unknownBody` and `rateLimit` are settings without a group. */
interface Definitions {
  /** Statuses of successful answers. */
  readonly http: typeof httpSettings;
  readonly auth: typeof authSettings;
  readonly errors: typeof errorSettings;
  /** Money out. */
  readonly transfers: typeof transferSettings;
  readonly batch: typeof batchSettings;
  /** Money in. */
  readonly charges: typeof chargeSettings;
  readonly refunds: typeof refundSettings;
  /** What happens to a body of pay or refund that has members, but not the known one. Default `report`: a finding; `reject` is 400. */
  readonly unknownBody: typeof unknownBodySetting;
  readonly customers: typeof customerSettings;
  readonly webhooks: typeof webhookSettings;
  readonly paging: typeof pagingSettings;
  /** At most `requests` in the time `per` from the first of them, then 429 with `Retry-After`. Default `off`. */
  readonly rateLimit: typeof rateLimitSetting;
  readonly server: typeof serverSettings;
  /** Phone numbers that decide the outcome of a transfer, a payment or a check. */
  readonly testNumbers: typeof testNumberSettings;
}

export const definitions: Definitions = {
  http: httpSettings,
  auth: authSettings,
  errors: errorSettings,
  transfers: transferSettings,
  batch: batchSettings,
  charges: chargeSettings,
  refunds: refundSettings,
  unknownBody: unknownBodySetting,
  customers: customerSettings,
  webhooks: webhookSettings,
  paging: pagingSettings,
  rateLimit: rateLimitSetting,
  server: serverSettings,
  testNumbers: testNumberSettings,
};

type AnyDefinition = SettingDefinition<unknown, unknown>;
type OutputOf<Definition> = Definition extends SettingDefinition<infer Output, infer _> ? Output : never;
type InputOf<Definition> = Definition extends SettingDefinition<infer _, infer Input> ? Input : never;

/**
 * Every choice that the sandbox makes where the contract is silent, in the form that the rules read: what users write (`2s`, `manual`) is compiled.
 * Amounts are XOF, rates are fractions (0.01 is 1 %), times are milliseconds.
 */
export type Profile = {
  readonly [Group in keyof Definitions]: Definitions[Group] extends AnyDefinition
    ? OutputOf<Definitions[Group]>
    : { readonly [Name in keyof Definitions[Group]]: OutputOf<Definitions[Group][Name]> };
};

/**
 * Settings as a user writes them, nested: in a profile file, in PATCH /_sandbox/profile, in `createSandbox({ profile })`. A setting that is not
 * given, or is null, has its default. `sandbox profile` prints each one with its alternatives and the sentence of the contract that leaves it open.
 */
export type ProfileInput = {
  readonly [Group in keyof Definitions]?:
    | (Definitions[Group] extends AnyDefinition
        ? InputOf<Definitions[Group]>
        : { readonly [Name in keyof Definitions[Group]]?: InputOf<Definitions[Group][Name]> | null })
    | null;
};

/** `10s`, `1h30m`, `PT1H`, or a number of milliseconds. */
export type DurationInput = string | number;

/** The path of a setting, such as `charges.createdAtFormat`. A path that does not exist does not compile. */
export type SettingPath = {
  [Group in keyof Profile]: Definitions[Group] extends AnyDefinition
    ? Group
    : `${Group}.${keyof Profile[Group] & string}`;
}[keyof Profile];
