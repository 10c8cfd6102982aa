import { statSync } from "node:fs";
import { join } from "node:path";
import type { RuleOrder } from "../../domain/rules/change-rules.js";
import type { ProfileOverrides } from "../../domain/profile/setting.js";
import type { Instant } from "../../kernel/instant.js";
import type { LogLevel } from "../../kernel/log.js";
import { UsageError } from "../../kernel/problem.js";
import { systemClock } from "../../kernel/system-clock.js";
import { type CompanySetup, emptyFixture, type WorldFixture } from "../state/fixture.js";
import { type CompanyDefaults, resolveOptions, type SandboxLimits } from "./options.js";
import type { CompanyEntry } from "./company-schema.js";
import type { FileKind } from "./guess-kind.js";

/**
 * The files that a user writes, YAML or JSON: configuration, profile and fixtures. Each function throws UsageError("file") with all that is wrong,
 * as `file:line:column: message`. What reads them is loaded with the first file: a start without one needs none of it.
 */

/** What a configuration file says, in the names of the flags of `sandbox start`. Paths are absolute; undefined is left to the default. */
export interface FileConfig {
  readonly port?: number | undefined;
  readonly host?: string | undefined;
  readonly publicUrl?: string | undefined;
  /** Nested settings, or the path of a profile file. */
  readonly profile?: ProfileOverrides | string | undefined;
  readonly fixtures?: readonly string[] | undefined;
  readonly scenario?: readonly string[] | undefined;
  readonly record?: string | undefined;
  readonly open?: boolean | undefined;
  /** `memory` or `file:PATH`. */
  readonly store?: string | undefined;
  /** `running`, `frozen`, or an ISO 8601 time. */
  readonly clock?: string | undefined;
  readonly autoProvision?: boolean | undefined;
  readonly seed?: number | undefined;
  readonly adminToken?: string | undefined;
  readonly tlsCert?: string | undefined;
  readonly tlsKey?: string | undefined;
  readonly productionHeadersOnly?: boolean | undefined;
  readonly log?: "pretty" | "json" | "silent" | undefined;
  readonly logLevel?: LogLevel | undefined;
  /** Bounds of what only grows. */
  readonly limits?: SandboxLimits | undefined;
  /** In XOF. */
  readonly balance?: number | undefined;
  /** How every company's world misbehaves from the start. */
  readonly rules?: readonly RuleOrder[] | undefined;
  /** Opened instead of the default company, as in fixtures: `setUpCompanies` makes them what a sandbox opens. */
  readonly companies?: readonly CompanyEntry[] | undefined;
}

export interface LoadedFixtures {
  /** Every company's. */
  readonly shared: WorldFixture;
  /** Opened at the start, ready with the shared fixtures and the defaults. */
  readonly companies: readonly CompanySetup[];
}

/** What files leave to the sandbox. */
export interface FileDefaults {
  /** Draws the persons of `generate`. */
  readonly seed?: number | undefined;
  /** What a company has without saying so. */
  readonly company?: CompanyDefaults | undefined;
}

export async function loadConfig(file: string): Promise<FileConfig> {
  const { readConfig } = await import("./read-files.js");
  return readConfig(file);
}

const configFiles = ["sandbox.config.yaml", "sandbox.config.yml", "sandbox.config.json"] as const;

/** The configuration file of a folder. Of two, neither is taken. */
export function findConfigFile(folder: string): string | undefined {
  const paths = configFiles.map((name) => join(folder, name));
  const [found, ...others] = paths.filter(exists);
  if (others.length > 0) {
    const files = [found, ...others].join(" and ");
    throw new UsageError(
      "file",
      `Failed to choose a configuration: ${files} are both there. Keep one, or name it with --config.`,
    );
  }
  return found;
}

export async function loadProfileFile(file: string): Promise<ProfileOverrides> {
  const { readProfile } = await import("./read-files.js");
  return readProfile(file);
}

/** All files together, in their order. `at`: where a company's clock stands that is `frozen` without saying when. */
export async function loadFixtureFiles(
  files: readonly string[],
  at: Instant | undefined,
  { seed, company = resolveOptions().defaults }: FileDefaults = {},
): Promise<LoadedFixtures> {
  if (files.length === 0) return { shared: emptyFixture, companies: [] };
  const [{ readFixtures }, { setUpWorld }] = await Promise.all([import("./read-files.js"), import("./set-up.js")]);
  const read = await readFixtures(files);
  const shared = await setUpWorld(
    read.map((file) => file.shared),
    seed,
    company.fixtures,
  );
  const defaults = { ...company, fixtures: [...company.fixtures, shared] };
  const entries = read.flatMap((file) => file.companies);
  return { shared, companies: await setUpCompanies(entries, at, { seed, company: defaults }) };
}

/** The companies of a configuration, over what every company has. */
export async function setUpCompanies(
  entries: readonly CompanyEntry[],
  at: Instant | undefined,
  { seed, company = resolveOptions().defaults }: FileDefaults = {},
): Promise<CompanySetup[]> {
  if (entries.length === 0) return [];
  const { setUpCompany } = await import("./set-up.js");
  const now = at ?? systemClock.now();
  return Promise.all(entries.map((entry) => setUpCompany(entry, { now, seed, defaults: company })));
}

/** What kind of file it is, by its name and keys, and everything that is wrong with it. Throws when it cannot be read, or is none of them. */
export async function validateFile(file: string): Promise<{ kind: FileKind; problems: readonly string[] }> {
  const { checkFile } = await import("./read-files.js");
  return checkFile(file);
}

/** Asked of three files by every start, before it serves anybody. */
function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Whatever is wrong with it is said when it is read.
    return true;
  }
}
