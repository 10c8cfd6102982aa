import * as z from "zod";
import { fromXof, isExactXof } from "../domain/values/money.js";
import { parseProfile } from "../domain/profile/parse-profile.js";
import { isObject } from "../kernel/json.js";
import type { RuleOrder } from "../domain/rules/change-rules.js";
import type { Instant } from "../kernel/instant.js";
import { flag, matching } from "../kernel/fields.js";
import { UsageError } from "../kernel/problem.js";
import { systemClock } from "../kernel/system-clock.js";
import {
  type CompanyDefaults,
  DEFAULT_BALANCE,
  type ResolvedOptions,
  resolveOptions,
} from "../sandbox/config/options.js";
import { instantOf } from "./clock-handle.js";
import { type RuleInput, parseRule } from "./rules-handle.js";
import { show } from "../domain/profile/setting-problems.js";
import { didYouMean } from "../kernel/suggest.js";
import { mergeOverrides } from "../domain/profile/overrides.js";
import type { ProfileOverrides } from "../domain/profile/settings.js";
import type { ProfileInput } from "../domain/profile/profile.js";

/** The options of a company. */
export interface CompanyOptions {
  /**
   * Company id `company_<name>`, access token `at_<name>`, secret key `secret_<name>`. Letters, digits, `.`, `_`, `~` and `-`. Generated unless
   * given.
   */
  readonly name?: string;
  /** `running`, `frozen` (at the machine's now), or frozen at an ISO 8601 instant or a date. */
  readonly clock?: Clock;
  /** XOF, at least 0. */
  readonly balance?: number;
  /** Settings over the sandbox's own. */
  readonly profile?: ProfileInput;
  /** Rules beside the sandbox's own. */
  readonly rules?: readonly RuleInput[];
}

/** The options of a sandbox in this process, which reads no other files and no environment variables. */
export interface SandboxOptions {
  /** `running` (default), `frozen` (at the machine's now), or frozen at an ISO 8601 instant or a date. */
  readonly clock?: Clock;
  /** XOF, at least 0. Default 10 000 000. */
  readonly balance?: number;
  /** What the contract leaves open: settings, or the path of a profile file. */
  readonly profile?: ProfileInput | string;
  /** A whole number that makes identifiers and names repeat: the same requests give the same bytes. */
  readonly seed?: number;
  /** Rules of every company, from the start and again after a reset. */
  readonly rules?: readonly RuleInput[];
  /** Paths of fixtures files: customers, charges and so on to begin with. */
  readonly fixtures?: string | readonly string[];
  /** An unknown access token opens a new company on first use. Default false. */
  readonly autoProvision?: boolean;
  /** Default 0: a free one. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Where others reach it, an absolute http or https URL; payment links begin with it. */
  readonly publicUrl?: string;
  /** The bearer token that the control API asks for. Default none. */
  readonly adminToken?: string;
  /** Answers without the `x-sandbox` headers. Default false. */
  readonly productionHeadersOnly?: boolean;
}

type Clock = "running" | "frozen" | (string & {}) | Date;

/** A value of an option: `must be <expected>` when the test fails. */
export function valueThat(expected: string, test: (value: unknown) => boolean): z.ZodType {
  return z.custom(test, { error: `must be ${expected}` });
}

/** One sentence for each wrong value and each unknown option. */
export function findOptionProblems(options: object, fields: Readonly<Record<string, z.ZodType>>): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field === undefined) return [`${name} is not an option.${didYouMean(name, Object.keys(fields))}`];
    const [issue] = field.safeParse(value).error?.issues ?? [];
    return issue === undefined ? [] : [`${name} ${issue.message}, got ${show(value)}.`];
  });
}

/** Throws UsageError("input") with everything that is wrong with the options, UsageError("file") for a file that they name. */
export async function parseSandboxOptions(options: SandboxOptions) {
  const wanted =
    typeof options.profile === "string" ? await (await loadFiles()).loadProfileFile(options.profile) : options.profile;
  const overrides = check("create the sandbox", options, sandboxFields, { base: {}, profile: wanted });
  const { clock = "running", seed, port = 0, host = "127.0.0.1", fixtures = [] } = options;
  const bare: CompanyDefaults = {
    balance: options.balance === undefined ? DEFAULT_BALANCE : fromXof(options.balance),
    frozenAt: frozenAtOf(clock),
    profile: overrides,
    fixtures: [],
    rules: rulesOf(options.rules, "create the sandbox"),
  };
  const files = typeof fixtures === "string" ? [fixtures] : fixtures;
  const resolved = resolveOptions({
    ...(files.length === 0 ? { defaults: bare } : await readWorlds(files, bare, seed)),
    seed,
    autoProvision: options.autoProvision ?? false,
    publicUrl: options.publicUrl?.replace(/\/+$/, ""),
    adminToken: options.adminToken,
    productionHeadersOnly: options.productionHeadersOnly ?? false,
  });
  return { resolved, port, host };
}

/** The readers of files, which a sandbox without files does not need. */
const loadFiles = () => import("../sandbox/config/load-files.js");

async function readWorlds(
  files: readonly string[],
  bare: CompanyDefaults,
  seed: number | undefined,
): Promise<Pick<ResolvedOptions, "defaults"> & Partial<Pick<ResolvedOptions, "companies">>> {
  const { shared, companies } = await (
    await loadFiles()
  ).loadFixtureFiles(files, bare.frozenAt, { seed, company: bare });
  return { defaults: { ...bare, fixtures: [shared] }, ...(companies.length === 0 ? {} : { companies }) };
}

/** The options over the defaults of the sandbox. Throws UsageError("input") with everything that is wrong. */
export function parseCompanyOptions(options: CompanyOptions, defaults: CompanyDefaults): CompanyDefaults {
  const { profile } = options;
  const overrides = check("open the company", options, companyFields, { base: defaults.profile, profile });
  return {
    ...defaults,
    ...(options.balance === undefined ? {} : { balance: fromXof(options.balance) }),
    ...(options.clock === undefined ? {} : { frozenAt: frozenAtOf(options.clock, defaults.frozenAt) }),
    profile: overrides,
    rules: [...(defaults.rules ?? []), ...rulesOf(options.rules, "open the company")],
  };
}

function rulesOf(rules: readonly unknown[] = [], what: string): readonly RuleOrder[] {
  return rules.map((rule, index) => parseRule(rule, `${what}: rules[${index}]`));
}

export const balanceField = valueThat(
  "a number of XOF, at least 0, with at most four decimals",
  (value) => typeof value === "number" && value >= 0 && isExactXof(value),
);
const clock = valueThat(
  '"running", "frozen", an ISO 8601 instant such as "2026-01-15T09:00:00Z", or a Date',
  (value) => value === "running" || value === "frozen" || instantOf(value) !== undefined,
);
const rules = valueThat("a list of rules", Array.isArray);
const text = valueThat("a text that is not empty", (value) => typeof value === "string" && value !== "");

const companyFields: Readonly<Record<keyof CompanyOptions, z.ZodType>> = {
  name: matching(/^[\w.~-]{1,100}$/, "1 to 100 letters, digits, dots, underscores, tildes and dashes"),
  clock,
  balance: balanceField,
  profile: valueThat("an object of settings", isObject),
  rules,
};

const sandboxFields: Readonly<Record<keyof SandboxOptions, z.ZodType>> = {
  clock,
  balance: balanceField,
  profile: valueThat(
    "settings, or the path of a profile file",
    (value) => typeof value === "string" || isObject(value),
  ),
  rules,
  seed: valueThat("a whole number", Number.isSafeInteger),
  fixtures: valueThat("the path of a fixtures file, or a list of them", (value) =>
    [value].flat().every((file) => typeof file === "string"),
  ),
  autoProvision: flag,
  port: valueThat("a port from 0 to 65535", (value) => z.int().min(0).max(65_535).safeParse(value).success),
  host: text,
  publicUrl: valueThat(
    "an absolute http or https URL",
    (value) => typeof value === "string" && /^https?:\/\//.test(value) && URL.canParse(value),
  ),
  adminToken: text,
  productionHeadersOnly: flag,
};

/** The settings of the options. Throws UsageError("input") with everything that is wrong. */
function check(
  what: string,
  options: object,
  fields: Readonly<Record<string, z.ZodType>>,
  { base, profile = {} }: { readonly base: ProfileOverrides; readonly profile: unknown },
): ProfileOverrides {
  const problems = findOptionProblems(options, fields);
  const parsed = parseProfile(isObject(profile) ? mergeOverrides(base, profile) : base);
  if (!parsed.ok) problems.push(...parsed.problems.map(({ message }) => message));
  if (parsed.ok && problems.length === 0) return parsed.overrides;
  throw new UsageError(
    "input",
    problems.map((problem) => `Failed to ${what}: ${problem}`),
  );
}

function frozenAtOf(clock: NonNullable<SandboxOptions["clock"]>, base?: Instant): Instant | undefined {
  if (clock === "running") return undefined;
  return instantOf(clock) ?? base ?? systemClock.now();
}
