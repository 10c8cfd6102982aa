import { lstat, readlink, realpath } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { UsageError } from "../../kernel/problem.js";
import { isMissing } from "./file-system.js";

/**
 * The file that a path means: behind a link that file itself, so that the link stays, and whoever names it otherwise meets the same lock. Throws
 * UsageError("cannot-run") for what can be no store (a folder, a device, a pipe): reading one might never end.
 */
export async function findStore(path: string): Promise<string> {
  const found = await orMissing(lstat(path));
  if (found === undefined) return path;
  if (found.isSymbolicLink()) {
    const file = (await orMissing(realpath(path))) ?? resolve(dirname(path), await readlink(path));
    return findStore(file);
  }
  if (found.isFile()) return path;
  const what = found.isDirectory() ? "it is a folder. Name a file in it" : "it is no file. Name one, or a new one";
  throw new UsageError("cannot-run", `Failed to open the store ${path}: ${what}.`);
}

async function orMissing<T>(found: Promise<T>): Promise<T | undefined> {
  try {
    return await found;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
