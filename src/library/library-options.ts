import { fromXof, isExactXof } from "../domain/accounts/money.js";
import { parseProfile } from "../domain/profile/parse-profile.js";
import type { ProfileInput } from "../domain/profile/settings.js";
import { parseInstant, toIso } from "../kernel/instant.js";
import { UsageError } from "../kernel/problem.js";
import { didYouMean } from "../kernel/suggest.js";
import { systemClock } from "../kernel/system-clock.js";
import { loadFixtureFiles, loadProfileFile } from "../sandbox/config/load-config.js";
import { type CompanyDefaults, DEFAULT_BALANCE, type ResolvedOptions, resolveOptions } from "../sandbox/options.js";

/** What can be chosen for a sandbox in this process. Nothing is read from files or the environment unless it is named here. */
export interface SandboxOptions {
  /** `running` (default), `frozen` (at the machine's now), or frozen at an ISO 8601 instant or a date. */
  readonly clock?: "running" | "frozen" | (string & {}) | Date;
  /** Makes identifiers and names repeat. */
  readonly seed?: number;
  /** Settings, nested as in a profile file, or the path of one. */
  readonly profile?: ProfileInput | string;
  /** XOF. Default 10 000 000. */
  readonly balance?: number;
  /** Paths of fixtures files. */
  readonly fixtures?: string | readonly string[];
  /** Any unseen access token opens a company of its own. */
  readonly autoProvision?: boolean;
  /** Default 0: a free one. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Where others reach it; payment links begin with it. */
  readonly publicUrl?: string;
  /** The bearer token that the control API asks for. */
  readonly adminToken?: string;
  /** Answers without the `x-sandbox` headers. */
  readonly productionHeadersOnly?: boolean;
}

export interface LibraryOptions {
  readonly resolved: ResolvedOptions;
  readonly port: number;
  readonly host: string;
}

const checks: Readonly<Record<keyof SandboxOptions, (value: unknown) => string | undefined>> = {
  clock: (value) =>
    value === "running" || value === "frozen" || instantOf(value) !== undefined
      ? undefined
      : '"running", "frozen", an ISO 8601 instant such as "2026-01-15T09:00:00Z", or a Date',
  seed: (value) => (Number.isSafeInteger(value) ? undefined : "a whole number"),
  profile: (value) =>
    typeof value === "string" || isPlainObject(value) ? undefined : "settings, or the path of a profile file",
  balance: (value) =>
    typeof value === "number" && value >= 0 && isExactXof(value)
      ? undefined
      : "a number of XOF, at least 0, with at most four decimals",
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

/** Throws UsageError("input") with everything that is wrong with the options, UsageError("file") for a file that they name. */
export async function parseLibraryOptions(options: SandboxOptions): Promise<LibraryOptions> {
  const problems = Object.entries(options).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if (!isOption(name)) return [`${name} is not an option.${didYouMean(name, Object.keys(checks))}`];
    const wanted = checks[name](value);
    return wanted === undefined ? [] : [`${name} must be ${wanted}, got ${JSON.stringify(value)}.`];
  });
  const profile =
    typeof options.profile === "string" ? await loadProfileFile(options.profile) : (options.profile ?? {});
  const parsed = parseProfile(profile);
  if (!parsed.ok) problems.push(...parsed.problems.map(({ message }) => message));
  if (problems.length > 0 || !parsed.ok)
    throw new UsageError(
      "input",
      problems.map((problem) => `Failed to create the sandbox: ${problem}`),
    );

  const { clock = "running", seed, port = 0, host = "127.0.0.1" } = options;
  const bare: CompanyDefaults = {
    balance: options.balance === undefined ? DEFAULT_BALANCE : fromXof(options.balance),
    frozenAt: clock === "running" ? undefined : (instantOf(clock) ?? systemClock.now()),
    profile: parsed.overrides,
    fixtures: [],
  };
  const files = typeof options.fixtures === "string" ? [options.fixtures] : (options.fixtures ?? []);
  const { shared, companies } = await loadFixtureFiles(files, bare.frozenAt, { seed, company: bare });
  const resolved = resolveOptions({
    defaults: { ...bare, fixtures: [shared] },
    ...(companies.length === 0 ? {} : { companies }),
    seed,
    autoProvision: options.autoProvision ?? false,
    publicUrl: options.publicUrl?.replace(/\/+$/, ""),
    adminToken: options.adminToken,
    productionHeadersOnly: options.productionHeadersOnly ?? false,
  });
  return { resolved, port, host };
}

function isOption(name: string): name is keyof SandboxOptions {
  return Object.hasOwn(checks, name);
}

function instantOf(value: unknown): number | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? undefined : parseInstant(toIso(value.getTime()));
  return parseInstant(value);
}

function checkFlag(value: unknown): string | undefined {
  return typeof value === "boolean" ? undefined : "true or false";
}

function checkText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? undefined : "a text that is not empty";
}

function isPlainObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
