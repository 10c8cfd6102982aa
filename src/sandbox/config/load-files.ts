import { basename, dirname, resolve } from "node:path";
import type { RuleOrder } from "../../domain/rules/change-rules.js";
import type * as z from "zod";
import { type Source, readSource } from "../../adapters/files/source.js";
import { type ProfileOverrides, findSetting, settingGroups } from "../../domain/profile/settings.js";
import type { Instant } from "../../kernel/time/instant.js";
import { isObject } from "../../kernel/messages/json.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { profile } from "../state/file-fields.js";
import { type CompanySetup, type WorldFixture, worldLists } from "../state/fixture.js";
import { type FileConfig, configFields, configSchema, fixturesSchema, rulesField } from "./config-schema.js";
import { findDuplicates } from "./duplicates.js";
import { FileProblems } from "./file-problems.js";
import { resolveOptions } from "./options.js";
import { type FileDefaults, setUpCompanies, setUpWorld } from "./set-up.js";

/**
 * Reads the YAML or JSON files that a user writes: configuration, profile, fixtures and rules. Each function throws UsageError("file") with everything that
 * is wrong, as `file:line:column: message`.
 */

export async function loadConfig(file: string): Promise<FileConfig> {
  const [config] = await readAll([file], schemas.config);
  return config ?? {};
}

export async function loadProfileFile(file: string): Promise<ProfileOverrides> {
  const [overrides] = await readAll([file], schemas.profile);
  return overrides ?? {};
}

/** The rules of all files, in the order of the files. */
export async function loadRuleFiles(files: readonly string[]): Promise<readonly RuleOrder[]> {
  return (await readAll(files, schemas.rules)).flat();
}

export interface LoadedFixtures {
  readonly shared: WorldFixture;
  /** Opened at the start, complete with the shared fixtures and the defaults. */
  readonly companies: readonly CompanySetup[];
}

/** Loads all files in their order, each once. `at`: the time of a company's clock that is `frozen` without a time of its own. */
export async function loadFixtureFiles(
  files: readonly string[],
  at: Instant | undefined,
  { seed, company = resolveOptions().defaults }: FileDefaults = {},
): Promise<LoadedFixtures> {
  const unique = [...new Map(files.map((file) => [resolve(file), file])).values()];
  const read = await readAll(unique, schemas.fixtures);
  const worlds = read.map((file) => file.shared);
  const shared = await setUpWorld(worlds, seed, company.fixtures);
  const defaults = { ...company, fixtures: [...company.fixtures, shared] };
  const entries = read.flatMap((file) => file.companies);
  return { shared, companies: await setUpCompanies(entries, at, { seed, company: defaults }) };
}

/** The kind of a file by its keys and name, and everything that is wrong with it. Throws when it cannot be read or has no kind. */
export async function validateFile(file: string): Promise<{ kind: FileKind; problems: readonly string[] }> {
  const source = await readSource(file);
  const kind = findKind(file, source.value);
  if (kind === undefined) {
    const why = "neither its name nor its keys say whether it is a configuration, a profile or fixtures";
    const what = `Name it sandbox.config.yaml, or with "profile" or "fixtures" in its name`;
    throw new UsageError("file", `Failed to validate ${file}: ${why}. ${what}.`);
  }
  const problems = new FileProblems();
  parseAll<unknown>([source], schemas[kind], problems);
  return { kind, problems: problems.messages };
}

export type FileKind = KeyedKind | "rules";

/** The kinds of files that are mappings, and can be recognised by their keys. */
type KeyedKind = "config" | "profile" | "fixtures";

/** The kind that most keys of the file belong to. If the keys do not decide, the name does. */
export function findKind(file: string, value: unknown): FileKind | undefined {
  if (basename(file).startsWith("sandbox.config.")) return "config";
  if (Array.isArray(value)) return "rules";
  const named = kindOfName(file);
  const entries = isObject(value) ? Object.entries(value) : [];
  const score = (kind: KeyedKind): number =>
    entries.filter(([key, member]) => belongs[kind](key, member)).length + (kind === named ? 0.5 : 0);
  // Of equal scores the first kind wins.
  const best = (["config", "fixtures", "profile"] as const).reduce((a, b) => (score(b) > score(a) ? b : a));
  return score(best) > 0 ? best : undefined;
}

function kindOfName(file: string): KeyedKind | undefined {
  const name = basename(file);
  if (/\bconfig\b/i.test(name)) return "config";
  if (/profile/i.test(name)) return "profile";
  return /fixture/i.test(file) ? "fixtures" : undefined;
}

const configKeys: ReadonlySet<string> = new Set(Object.keys(configFields("")));
const fixtureKeys: ReadonlySet<string> = new Set(["companies", ...Object.keys(worldLists)]);

/** `charges` and `customers` are lists in fixtures, and groups of settings in a profile. */
const belongs: Readonly<Record<KeyedKind, (key: string, member: unknown) => boolean>> = {
  config: (key) => configKeys.has(key),
  fixtures: (key, member) => fixtureKeys.has(key) && !isObject(member),
  profile: (key, member) => (settingGroups.has(key) || findSetting(key) !== undefined) && !Array.isArray(member),
};

type SchemaOf<T> = (source: Source) => z.ZodType<T>;

const schemas = {
  config: ({ file }) => configSchema(dirname(resolve(file))),
  profile: () => profile,
  fixtures: () => fixturesSchema,
  rules: () => rulesField,
} satisfies Readonly<Record<FileKind, SchemaOf<unknown>>>;

/** The parsed content of each file that has no problems. */
function parseAll<T>(sources: readonly Source[], schemaOf: SchemaOf<T>, problems: FileProblems): T[] {
  findDuplicates(sources, problems);
  return sources.flatMap((source) => problems.parse(source, schemaOf(source)) ?? []);
}

/** Throws UsageError("file") with everything that is wrong in any of the files. */
async function readAll<T>(files: readonly string[], schemaOf: SchemaOf<T>): Promise<T[]> {
  const read = await Promise.allSettled(files.map(readSource));
  const sources = read.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const unreadable = read.flatMap((result) => (result.status === "rejected" ? messagesOf(result.reason) : []));
  const problems = new FileProblems();
  const parsed = parseAll(sources, schemaOf, problems);
  const messages = [...unreadable, ...problems.messages];
  if (messages.length > 0) throw new UsageError("file", messages);
  return parsed;
}

function messagesOf(reason: unknown): readonly string[] {
  if (reason instanceof UsageError) return reason.messages;
  throw reason;
}
