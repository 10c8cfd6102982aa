import { stat } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { glob } from "tinyglobby";
import { readSource } from "../../adapters/files/source.js";
import { isObject } from "../../kernel/messages/json.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { didYouMean } from "../../kernel/messages/suggest.js";
import { parseScenario } from "../../scenarios/file/parse-scenario.js";
import type { Scenario } from "../../scenarios/file/scenario.js";
import { findKind } from "../../sandbox/config/load-files.js";
import { programFolder } from "./name.js";

/** The prefix of the names of scenarios that are part of the package. */
export const SHIPPED = "@shipped/";

/** Loads the scenarios of files, folders, patterns and `@shipped/NAME`, each once, sorted within a folder. Throws UsageError("file") with all problems. */
export async function loadScenarioFiles(paths: readonly string[]): Promise<Scenario[]> {
  const found = (await Promise.all(paths.map(findAt))).flat();
  const named = new Set(found.filter(({ isNamed }) => isNamed).map(({ file }) => file));
  const files = [...new Set(found.map(({ file }) => file))];
  const loaded = await Promise.all(files.map((file) => load(file, named.has(file))));
  const scenarios = loaded.flatMap(({ scenario }) => scenario ?? []);
  // A file that another scenario uses may need values which that scenario saves, so its problems are reported there.
  const used = new Set(scenarios.flatMap(({ uses }) => [...uses]));
  const isPart = (file: string): boolean => !named.has(file) && used.has(resolve(file));
  const problems = loaded.flatMap((each) => (isPart(each.file) ? [] : each.problems));
  if (problems.length > 0) throw new UsageError("file", problems);
  return scenarios;
}

/** Only scenarios have `steps` or `given`. */
export function isScenario(value: unknown): boolean {
  return isObject(value) && ("steps" in value || "given" in value);
}

/** Finds files. A file that is named must be a scenario; one that is found in a folder need not be. */
async function findAt(path: string) {
  if (path.startsWith(SHIPPED)) return findShipped(path);
  const info = await stat(path).catch(() => undefined);
  if (info?.isFile()) return [{ file: path, isNamed: true }];
  if (info !== undefined && !info.isDirectory())
    throw new UsageError("file", `Failed to replay ${path}: it is a pipe or a device. Name a file or a folder.`);
  if (info === undefined && !IN_PATTERNS.test(path)) {
    throw new UsageError(
      "file",
      `Failed to replay ${path === "" ? '""' : path}: there is no such file or folder. Check its path.`,
    );
  }
  const files = info === undefined ? await globAt(path) : await globIn(path, "**/*.{yaml,yml,json}");
  if (files.length === 0)
    throw new UsageError("file", `Failed to replay ${path}: no .yaml, .yml or .json file is there.`);
  return files.map((file) => ({ file, isNamed: false }));
}

const IN_PATTERNS = /[*?[\]{}()!]/;

/** Looks in the folder that the pattern begins with. In a search from the current folder, `../**\/*.yaml` would not match the current folder's own files. */
function globAt(pattern: string): Promise<string[]> {
  const parts = pattern.split("/");
  const first = parts.findIndex((part) => IN_PATTERNS.test(part));
  const folder = first === 0 ? "." : `${parts.slice(0, first).join("/")}/`;
  return globIn(folder, parts.slice(first).join("/"));
}

/** Finds shipped scenarios by their name, or by a pattern of names. */
async function findShipped(path: string) {
  const folder = join(programFolder(), "scenarios");
  const name = path.slice(SHIPPED.length).replace(/\.yaml$/, "");
  const files = await globIn(folder, `${name === "" ? "**/*" : name}.yaml`);
  if (files.length > 0) return files.map((file) => ({ file, isNamed: true }));
  const known = (await globIn(folder, "**/*.yaml")).map(nameOfFile);
  throw new UsageError(
    "file",
    `Failed to replay ${path}: no such scenario is shipped.${didYouMean(path, known)} \`sandbox replay --list\` lists them.`,
  );
}

/** The name by which `replay` finds this file. */
export function nameOfFile(file: string): string {
  const shipped = relative(join(programFolder(), "scenarios"), file);
  return shipped.startsWith("..") || isAbsolute(shipped) ? file : SHIPPED + shipped.replace(/\.yaml$/, "");
}

/** The files in a folder, sorted. Packages installed below it are left out, unless the pattern names their folder. */
async function globIn(folder: string, pattern: string): Promise<string[]> {
  const ignore = /(?:^|\/)node_modules\//.test(pattern) ? [] : "**/node_modules/**";
  const files = await glob(pattern, { cwd: folder, expandDirectories: false, ignore });
  return files.sort().map((file) => (isAbsolute(file) ? file : join(folder, file)));
}

interface LoadedFile {
  readonly file: string;
  /** Undefined for a file with problems, and for other kinds of files. */
  readonly scenario?: Scenario;
  readonly problems: readonly string[];
}

async function load(file: string, isNamed: boolean): Promise<LoadedFile> {
  try {
    const source = await readSource(file);
    const isOther = !isNamed && !isScenario(source.value) && findKind(file, source.value) !== undefined;
    return isOther ? { file, problems: [] } : { file, scenario: await parseScenario(source), problems: [] };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { file, problems: error.messages };
  }
}
