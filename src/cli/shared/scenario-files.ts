import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { glob } from "tinyglobby";
import { readSource } from "../../adapters/files/source.js";
import { UsageError } from "../../kernel/problem.js";
import { parseScenario } from "../../scenarios/file/parse-scenario.js";
import type { Scenario } from "../../scenarios/file/scenario.js";
import { findKind } from "../../sandbox/config/load-files.js";

/**
 * The stories of the files that paths name: a file itself, of a folder all below it, of a pattern what it matches. Each once, a folder's in the order
 * of their names.
 *
 * Throws UsageError("file") with all problems of all files at once: nothing is to run while one of them is wrong.
 */
export async function loadScenarioFiles(paths: readonly string[]): Promise<Scenario[]> {
  const found = (await Promise.all(paths.map(findAt))).flat();
  const named = new Set(found.filter(({ isNamed }) => isNamed).map(({ file }) => file));
  const files = [...new Set(found.map(({ file }) => file))];
  const loaded = await Promise.all(files.map((file) => load(file, named.has(file))));
  const scenarios = loaded.flatMap(({ scenario }) => scenario ?? []);
  // A part of another story may lean on what that one has saved. What is wrong with it by itself is said there.
  const used = new Set(scenarios.flatMap(({ uses }) => [...uses]));
  const isPart = (file: string): boolean => !named.has(file) && used.has(resolve(file));
  const problems = loaded.flatMap((each) => (isPart(each.file) ? [] : each.problems));
  if (problems.length > 0) throw new UsageError("file", problems);
  return scenarios;
}

/** No other file has steps; and one that has a `given` was meant to have them. */
export function isScenario(value: unknown): boolean {
  return typeof value === "object" && value !== null && ("steps" in value || "given" in value);
}

interface FoundFile {
  readonly file: string;
  /** Whether it was named itself: then it has to be a story. */
  readonly isNamed: boolean;
}

async function findAt(path: string): Promise<FoundFile[]> {
  const info = await stat(path).catch(() => undefined);
  if (info?.isFile()) return [{ file: path, isNamed: true }];
  if (info === undefined && !/[*?[\]{}()!]/.test(path)) {
    throw new UsageError("file", `Failed to replay ${path}: there is no such file or folder. Check its path.`);
  }
  const pattern = info?.isDirectory() === true ? `${path.replace(/\/+$/, "")}/**/*.{yaml,yml,json}` : path;
  const files = await glob(pattern, { expandDirectories: false, ignore: "**/node_modules/**" });
  if (files.length === 0)
    throw new UsageError("file", `Failed to replay ${path}: no .yaml, .yml or .json file is there.`);
  return files.sort().map((file) => ({ file, isNamed: false }));
}

interface LoadedFile {
  readonly file: string;
  /** Undefined when it has problems, or is another kind of file. */
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
