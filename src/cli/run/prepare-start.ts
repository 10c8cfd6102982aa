import { assertReplacesNone, prepareOutput } from "../shared/output.js";
import { readText } from "../../adapters/files/read-text.js";
import { mergeOverrides } from "../../domain/profile/overrides.js";
import { acceptProfile } from "../../sandbox/state/profile.js";
import type { RuleOrder } from "../../domain/rules/change-rules.js";
import type { Instant } from "../../kernel/time/instant.js";
import { systemClock } from "../../kernel/time/system-clock.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";
import type { FileConfig } from "../../sandbox/config/config-schema.js";
import { findConfigFile } from "../../adapters/files/find-config.js";
import {
  type CompanyDefaults,
  DEFAULT_BALANCE,
  type ResolvedOptions,
  resolveOptions,
} from "../../sandbox/config/options.js";
import type { Scenario } from "../../scenarios/file/scenario.js";
import {
  type LoadedConfig,
  type StartFlags,
  type StartOptions,
  type Variables,
  readOption,
  resolveStartOptions,
} from "./start-options.js";
import { DEFAULT_LIMITS } from "../../sandbox/company/limits.js";
import { fromXof } from "../../domain/values/money.js";
import type { ServeOptions } from "../../http/server/listen.js";

export type PreparedStart = Awaited<ReturnType<typeof prepareStart>>;

/** Reads the options and their files, and makes the folder of the recording. Throws UsageError with all problems. */
export async function prepareStart(flags: StartFlags, variables: Variables) {
  const start = await readStart(flags, variables);
  if (start.record !== undefined) {
    await assertReplacesNone("--record", start.record.file, start.inputs);
    await prepareOutput("the recording", start.record.file);
  }
  return start;
}

/** Reads the options and their files. Throws UsageError with all problems. */
export async function readStart(flags: StartFlags, variables: Variables) {
  const config = await readConfig(flags, variables);
  const options = resolveStartOptions(flags, variables, config);
  const { port, host, tenancy, autoProvision, seed, publicUrl, adminToken, productionHeadersOnly } = options;
  const tls = await readTls(options);
  const worlds = await readWorlds(options, config?.values ?? {}, systemClock.now());
  const { limits = DEFAULT_LIMITS, findings = { allow: [] }, trustedProxies = [] } = config?.values ?? {};
  const reach = { tenancy, trustedProxies, autoProvision, publicUrl, adminToken };
  const chosen = { ...reach, seed, productionHeadersOnly, limits, allow: findings.allow };
  const resolved = resolveOptions({ ...chosen, ...worlds });
  const scenarios = await readScenarios(options.scenario);
  const { profile, fixtures, scenario, rules, tlsCert, tlsKey } = options;
  const inputs = [config?.file, profile, tlsCert, tlsKey, ...fixtures, ...scenario, ...rules];
  return {
    serve: { port, host, tls },
    /** The file of a file store; undefined for a store in memory. */
    store: options.store,
    drainMs: options.drain,
    options: {
      ...resolved,
      companies: applyGiven(resolved.companies, scenarios),
      // A stored clock takes precedence over the configuration, but not over the flag.
      ...(flags.clock === undefined ? {} : { clockOver: options.clock }),
    },
    log: { style: options.log, level: options.logLevel },
    /** Played in the default company while an application calls the API. */
    scenarios,
    open: options.open,
    /** The files that were read, which no output may replace. */
    inputs: inputs.filter((file) => typeof file === "string"),
    /** The file for the recorded session, and the session's fixtures that a scenario can have. */
    record: options.record === undefined ? undefined : { file: options.record, fixtures: await sharedOf(fixtures) },
  };
}

function applyGiven(
  [first, ...others]: ResolvedOptions["companies"],
  scenarios: readonly Scenario[],
): ResolvedOptions["companies"] {
  if (first === undefined) return [];
  const applied = scenarios.reduce<typeof first>((company, { given, givenKeys }) => {
    const balance = givenKeys.includes("balance") ? { balance: given.balance } : {};
    const clock = givenKeys.includes("clock") ? { frozenAt: given.frozenAt } : {};
    return {
      ...company,
      ...balance,
      ...clock,
      profile: acceptProfile(mergeOverrides(company.profile, given.profile), "file").overrides,
      fixtures: [...company.fixtures, ...given.fixtures],
      rules: [...(company.rules ?? []), ...given.rules],
    };
  }, first);
  return [applied, ...others];
}

async function readConfig(flags: StartFlags, variables: Variables): Promise<LoadedConfig | undefined> {
  const file = readOption("config", flags, variables) ?? findConfigFile(".");
  if (file === undefined) return undefined;
  const { loadConfig } = await import("../../sandbox/config/load-files.js");
  return { file, values: await loadConfig(file) };
}

/** Reads the initial state of companies. Companies in files replace the default one. */
async function readWorlds(
  { clock, profile = {}, fixtures: files, rules, seed }: StartOptions,
  config: FileConfig,
  now: Instant,
): Promise<Pick<ResolvedOptions, "defaults"> & Partial<Pick<ResolvedOptions, "companies">>> {
  const bare: CompanyDefaults = {
    balance: config.balance === undefined ? DEFAULT_BALANCE : fromXof(config.balance),
    frozenAt: clock.mode === "running" ? undefined : (clock.at ?? now),
    profile: typeof profile === "string" ? await readProfile(profile) : profile,
    fixtures: [],
    rules: [...(config.rules ?? []), ...(await readRules(rules))],
  };
  if (files.length === 0 && config.companies === undefined) return { defaults: bare };
  const { loadFixtureFiles } = await import("../../sandbox/config/load-files.js");
  const { setUpCompanies } = await import("../../sandbox/config/set-up.js");
  const fixtures = await loadFixtureFiles(files, now, { seed, company: bare });
  const defaults = { ...bare, fixtures: [fixtures.shared] };
  const configured = await setUpCompanies(config.companies ?? [], now, { seed, company: defaults });
  const companies = [...configured, ...fixtures.companies];
  return { defaults, ...(companies.length === 0 ? {} : { companies }) };
}

/** The files without companies: a scenario opens none from a file. */
async function sharedOf(files: readonly string[]): Promise<readonly string[]> {
  const { loadFixtureFiles } = await import("../../sandbox/config/load-files.js");
  const loaded = await Promise.all(files.map((file) => loadFixtureFiles([file], systemClock.now())));
  return files.filter((_, index) => loaded[index]?.companies.length === 0);
}

async function readProfile(file: string): Promise<ProfileOverrides> {
  const { loadProfileFile } = await import("../../sandbox/config/load-files.js");
  return loadProfileFile(file);
}

async function readRules(files: readonly string[]): Promise<readonly RuleOrder[]> {
  if (files.length === 0) return [];
  const { loadRuleFiles } = await import("../../sandbox/config/load-files.js");
  return loadRuleFiles(files);
}

async function readScenarios(files: readonly string[]): Promise<readonly Scenario[]> {
  if (files.length === 0) return [];
  const { loadScenario } = await import("../../scenarios/file/parse-scenario.js");
  return Promise.all(files.map((file) => loadScenario(file)));
}

async function readTls({ tlsCert, tlsKey }: StartOptions): Promise<ServeOptions["tls"]> {
  if (tlsCert === undefined || tlsKey === undefined) return undefined;
  return { cert: await readText(tlsCert), key: await readText(tlsKey) };
}
