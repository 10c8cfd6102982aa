import { msisdnKey } from "../../domain/values/msisdn.js";
import { mergeOverrides } from "../../domain/profile/merge-overrides.js";
import { parseProfile } from "../../domain/profile/parse-profile.js";
import type { ProfileOverrides } from "../../domain/profile/setting.js";
import type { Instant } from "../../kernel/instant.js";
import { UsageError } from "../../kernel/problem.js";
import { quote } from "../../kernel/quote.js";
import type { CompanySetup, CustomerFixture, WorldEntry, WorldFixture } from "../state/fixture.js";
import type { CompanyDefaults } from "./options.js";
import { createDrawPerson } from "../company/people.js";
import type { CompanyEntry } from "./company-schema.js";

/** What files leave to the sandbox. */
export interface SetUpContext {
  /** The start: where a clock stands that is `frozen` without saying when. */
  readonly now: Instant;
  /** Draws the generated persons; as without a seed, 0. */
  readonly seed: number | undefined;
  /** What a company has without saying so, the shared fixtures among it. */
  readonly defaults: CompanyDefaults;
}

/** A company as it is opened: what its file says, over what every company has. Throws UsageError("file") when the settings of both do not fit. */
export async function setUpCompany(entry: CompanyEntry, context: SetUpContext): Promise<CompanySetup> {
  const { id, tokens, secretKey, balance, profile, rules, world } = entry;
  const { defaults, seed } = context;
  const own = await setUpWorld([world], seed, defaults.fixtures);
  return {
    id,
    tokens,
    secretKey,
    balance: balance ?? defaults.balance,
    frozenAt: frozenAtOf(entry, context),
    profile: mergeProfiles(id, defaults.profile, profile),
    fixtures: [...defaults.fixtures, own],
    rules: [...(defaults.rules ?? []), ...rules],
  };
}

/** One world of what several files say. Generated persons get numbers that nobody of it, and of `beside`, has. */
export async function setUpWorld(
  entries: readonly WorldEntry[],
  seed: number | undefined,
  beside: readonly WorldFixture[] = [],
): Promise<WorldFixture> {
  return {
    customers: await drawGenerated(
      entries.flatMap(({ customers }) => customers),
      seed,
      beside,
    ),
    charges: entries.flatMap(({ charges }) => charges),
    transactions: entries.flatMap(({ transactions }) => transactions),
    subscriptions: entries.flatMap(({ subscriptions }) => subscriptions),
  };
}

/** Generated persons have the numbers after this one, in order: far from the test numbers and from those that people write by hand. */
const GENERATED_AFTER = 2_250_700_100_000;

async function drawGenerated(
  customers: WorldEntry["customers"],
  seed: number | undefined,
  beside: readonly WorldFixture[],
): Promise<CustomerFixture[]> {
  if (!customers.some((customer) => "generate" in customer))
    return customers.filter((customer) => "msisdn" in customer);
  const drawPerson = await createDrawPerson(seed ?? 0);
  const others = [...beside.flatMap((world) => world.customers), ...customers];
  const taken = new Set(others.flatMap((customer) => ("msisdn" in customer ? [msisdnKey(customer.msisdn)] : [])));
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

function frozenAtOf({ clock }: CompanyEntry, { now, defaults }: SetUpContext): Instant | undefined {
  if (clock === undefined) return defaults.frozenAt;
  if (clock === "running") return undefined;
  return clock === "frozen" ? (defaults.frozenAt ?? now) : clock.frozenAt;
}

/** Each fits by itself; together they may not: a smallest amount of the one above a largest amount of the other. */
function mergeProfiles(companyId: string, base: ProfileOverrides, own: ProfileOverrides): ProfileOverrides {
  const parsed = parseProfile(mergeOverrides(base, own));
  if (parsed.ok) return parsed.overrides;
  const failed = `Failed to set up the company ${quote(companyId)}`;
  throw new UsageError(
    "file",
    parsed.problems.map(({ message }) => `${failed}: with the profile of the sandbox, ${message}`),
  );
}
