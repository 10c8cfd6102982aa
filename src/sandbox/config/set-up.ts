import { msisdnKey } from "../../domain/values/msisdn.js";
import { createDrawPerson } from "../state/load-faker.js";
import { mergeOverrides } from "../../domain/profile/overrides.js";
import { acceptProfile } from "../state/profile.js";
import type { CompanySetup, CustomerFixture, WorldEntry, WorldFixture } from "../state/fixture.js";
import type { CompanyEntry } from "./config-schema.js";
import { type CompanyDefaults, resolveOptions } from "./options.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";
import type { Instant } from "../../kernel/time/instant.js";
import { systemClock } from "../../kernel/time/system-clock.js";
import { quote } from "../../kernel/messages/text.js";

export interface FileDefaults {
  /** The seed for the customers of `generate`; default 0. */
  readonly seed?: number | undefined;
  /** What a company has by default, including the shared fixtures. */
  readonly company?: CompanyDefaults | undefined;
}

/**
 * The companies of files, complete with the defaults. `at`: the time of a clock that is `frozen` without a time of its own. Throws UsageError("file") when
 * a profile does not fit the defaults.
 */
export function setUpCompanies(
  entries: readonly CompanyEntry[],
  at: Instant | undefined,
  { seed, company: defaults = resolveOptions().defaults }: FileDefaults = {},
): Promise<CompanySetup[]> {
  const now = at ?? systemClock.now();
  return Promise.all(
    entries.map(async ({ id, name, tokens, secretKey, balance, clock, profile, rules, world }) => ({
      id,
      name,
      tokens,
      secretKey,
      balance: balance ?? defaults.balance,
      frozenAt: frozenAtOf(clock, defaults.frozenAt, now),
      profile: mergeProfiles(id, defaults.profile, profile),
      fixtures: [...defaults.fixtures, await setUpWorld([world], seed, defaults.fixtures)],
      rules: [...(defaults.rules ?? []), ...rules],
    })),
  );
}

/** Merges the records of several files. Generated customers get numbers that no other customer has there or in `beside`. */
export async function setUpWorld(
  entries: readonly WorldEntry[],
  seed: number | undefined,
  beside: readonly WorldFixture[] = [],
): Promise<WorldFixture> {
  const customers = entries.flatMap((entry) => entry.customers);
  return {
    customers: await drawGenerated(customers, seed, beside),
    charges: entries.flatMap(({ charges }) => charges),
    transactions: entries.flatMap(({ transactions }) => transactions),
    subscriptions: entries.flatMap(({ subscriptions }) => subscriptions),
  };
}

/** Generated customers get the numbers after this one, in order. They are far from the test numbers and from numbers that people write by hand. */
const GENERATED_AFTER = 2_250_700_100_000;

async function drawGenerated(
  customers: WorldEntry["customers"],
  seed: number | undefined,
  beside: readonly WorldFixture[],
): Promise<CustomerFixture[]> {
  const written = customers.filter((customer) => "msisdn" in customer);
  if (written.length === customers.length) return written;
  const drawPerson = await createDrawPerson(seed ?? 0);
  const others = [...beside.flatMap((world) => world.customers), ...written];
  const taken = new Set(others.map(({ msisdn }) => msisdnKey(msisdn)));
  let last = GENERATED_AFTER;
  const nextNumber = (): string => {
    do last++;
    while (taken.has(msisdnKey(String(last))));
    return `+${last}`;
  };
  return customers.flatMap((customer) => {
    if ("msisdn" in customer) return [customer];
    return Array.from({ length: customer.generate }, () => {
      const msisdn = nextNumber();
      return { msisdn, ...drawPerson(msisdnKey(msisdn)) };
    });
  });
}

function frozenAtOf(clock: CompanyEntry["clock"], byDefault: Instant | undefined, now: Instant): Instant | undefined {
  if (clock === undefined) return byDefault;
  if (clock === "running") return undefined;
  return clock === "frozen" ? (byDefault ?? now) : clock.frozenAt;
}

/** Merges two profiles that are valid by themselves, but perhaps not together: one may have a minimum above the other's maximum. */
function mergeProfiles(companyId: string, base: ProfileOverrides, own: ProfileOverrides): ProfileOverrides {
  const failed = `Failed to set up the company ${quote(companyId)}: with the profile of the sandbox, `;
  return acceptProfile(mergeOverrides(base, own), "file", failed).overrides;
}
