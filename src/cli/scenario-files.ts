import { stat } from "node:fs/promises";
import { glob } from "tinyglobby";
import { UsageError } from "../kernel/problem.js";

/** The scenario files that paths name: a file itself, of a folder all below it, of a pattern what it matches. Each once, a folder's in the order of their names. */
export async function findScenarioFiles(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(paths.map(findAt));
  return [...new Set(found.flat())];
}

async function findAt(path: string): Promise<string[]> {
  const info = await stat(path).catch(() => undefined);
  if (info?.isFile()) return [path];
  if (info === undefined && !/[*?[\]{}()!]/.test(path)) {
    throw new UsageError("file", `Failed to replay ${path}: there is no such file or folder. Check its path.`);
  }
  const pattern = info?.isDirectory() === true ? `${path.replace(/\/+$/, "")}/**/*.{yaml,yml,json}` : path;
  const files = await glob(pattern, { expandDirectories: false });
  if (files.length === 0)
    throw new UsageError("file", `Failed to replay ${path}: no .yaml, .yml or .json file is there.`);
  return files.sort();
}
