import { fromXof, isExactXof } from "../domain/values/money.js";
import { parseProfile } from "../domain/profile/parse-profile.js";
import { isObject } from "../kernel/json.js";
import type { RuleOrder } from "../domain/rules/change-rules.js";
import type { Instant } from "../kernel/instant.js";
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

/** What can be chosen for one company. */
export interface CompanyOptions {
  /**
   * Names it: company id `company_<name>`, access token `at_<name>`, secret key `secret_<name>`. Letters, digits, `.`, `_`, `~` and `-`. Made up unless
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

/** What can be chosen for a sandbox in this process. Nothing is read from files or the environment unless it is named here. */
export interface SandboxOptions {
  /** `running` (default), `frozen` (at the machine's now), or frozen at an ISO 8601 instant or a date. */
  readonly clock?: Clock;
  /** XOF, at least 0. Default 10 000 000. */
  readonly balance?: number;
  /** What the contract leaves open: settings, or the path of a profile file. */
  readonly profile?: ProfileInput | string;
  /** A whole number that makes identifiers and names repeat: the same story gives the same bytes. */
  readonly seed?: number;
  /** How its world misbehaves from the start, and again after a reset; of every company. */
  readonly rules?: readonly RuleInput[];
  /** Paths of fixtures files: customers, charges and so on to begin with. */
  readonly fixtures?: string | readonly string[];
  /** Any unseen access token opens a company of its own on first use. Default false. */
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

/** What a value must be; undefined when it is. */
export type OptionCheck = (value: unknown) => string | undefined;

/** Each option that is wrong, and each that is none, in a sentence. */
export function findOptionProblems(options: object, checks: Readonly<Record<string, OptionCheck>>): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (!Object.hasOwn(checks, name)) return [`${name} is not an option.${didYouMean(name, Object.keys(checks))}`];
    const wanted = checks[name]?.(value);
    return wanted === undefined ? [] : [`${name} must be ${wanted}, got ${show(value)}.`];
  });
}

export interface ParsedOptions {
  readonly resolved: ResolvedOptions;
  readonly port: number;
  readonly host: string;
}

/** Throws UsageError("input") with everything that is wrong with the options, UsageError("file") for a file that they name. */
export async function parseSandboxOptions(options: SandboxOptions): Promise<ParsedOptions> {
  const wanted = typeof options.profile === "string" ? await readProfile(options.profile) : options.profile;
  const overrides = check("create the sandbox", options, sandboxChecks, { base: {}, profile: wanted });
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

async function readProfile(file: string): Promise<ProfileOverrides> {
  const { loadProfileFile } = await import("../sandbox/config/load-files.js");
  return loadProfileFile(file);
}

async function readWorlds(
  files: readonly string[],
  bare: CompanyDefaults,
  seed: number | undefined,
): Promise<Pick<ResolvedOptions, "defaults"> & Partial<Pick<ResolvedOptions, "companies">>> {
  const { loadFixtureFiles } = await import("../sandbox/config/load-files.js");
  const { shared, companies } = await loadFixtureFiles(files, bare.frozenAt, { seed, company: bare });
  return { defaults: { ...bare, fixtures: [shared] }, ...(companies.length === 0 ? {} : { companies }) };
}

/** What is not given is the sandbox's. Throws UsageError("input") with everything that is wrong. */
export function parseCompanyOptions(options: CompanyOptions, defaults: CompanyDefaults): CompanyDefaults {
  const { profile } = options;
  const overrides = check("open the company", options, companyChecks, { base: defaults.profile, profile });
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

/** What a balance must be; undefined when it is. */
export function checkBalance(value: unknown): string | undefined {
  const right = typeof value === "number" && value >= 0 && isExactXof(value);
  return right ? undefined : "a number of XOF, at least 0, with at most four decimals";
}

const companyChecks: Readonly<Record<keyof CompanyOptions, OptionCheck>> = {
  name: (value) =>
    typeof value === "string" && /^[\w.~-]{1,100}$/.test(value)
      ? undefined
      : "1 to 100 letters, digits, dots, underscores, tildes and dashes",
  clock: (value) =>
    value === "running" || value === "frozen" || instantOf(value) !== undefined
      ? undefined
      : '"running", "frozen", an ISO 8601 instant such as "2026-01-15T09:00:00Z", or a Date',
  balance: checkBalance,
  profile: (value) => (isObject(value) ? undefined : "an object of settings"),
  rules: checkList,
};

const sandboxChecks: Readonly<Record<keyof SandboxOptions, OptionCheck>> = {
  clock: companyChecks.clock,
  balance: checkBalance,
  profile: (value) =>
    typeof value === "string" || isObject(value) ? undefined : "settings, or the path of a profile file",
  rules: checkList,
  seed: (value) => (Number.isSafeInteger(value) ? undefined : "a whole number"),
  fixtures: (value) =>
    typeof value === "string" || (Array.isArray(value) && value.every((file) => typeof file === "string"))
      ? undefined
      : "the path of a fixtures file, or a list of them",
  autoProvision: checkFlag,
  port: (value) =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535 ? undefined : "a port from 0 to 65535",
  host: checkText,
  publicUrl: (value) =>
    typeof value === "string" && /^https?:\/\//.test(value) && URL.canParse(value)
      ? undefined
      : "an absolute http or https URL",
  adminToken: checkText,
  productionHeadersOnly: checkFlag,
};

/** The settings that the options make, or all that is wrong at once. */
function check(
  what: string,
  options: object,
  checks: Readonly<Record<string, OptionCheck>>,
  { base, profile = {} }: { readonly base: ProfileOverrides; readonly profile: unknown },
): ProfileOverrides {
  const problems = findOptionProblems(options, checks);
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

function checkFlag(value: unknown): string | undefined {
  return typeof value === "boolean" ? undefined : "true or false";
}

function checkList(value: unknown): string | undefined {
  return Array.isArray(value) ? undefined : "a list of rules";
}

function checkText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? undefined : "a text that is not empty";
}
