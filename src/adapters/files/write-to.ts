import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { UsageError } from "../../kernel/messages/problem.js";

/**
 * Throws UsageError("cannot-run") when `file` exists and is a folder, a pipe or a device: writing to one might never end. `what` names what is to be
 * written.
 */
export async function assertWritable(what: string, file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found === undefined || found.isFile()) return;
  const why = found.isDirectory() ? "it is a folder. Name a file in it" : "it is a pipe or a device. Name a file";
  throw new UsageError("cannot-run", `Failed to write ${what} to ${file}: ${why}.`);
}

/** Makes the folder and its parents. Node's own `recursive` never ends when a folder refuses new ones, as in /proc. */
export async function makeFolder(path: string): Promise<void> {
  const failure = await makeOne(path);
  if (failure === undefined) return;
  if (failure.code !== "ENOENT" || dirname(path) === path) throw failure;
  await makeFolder(dirname(path));
  const again = await makeOne(path);
  if (again !== undefined) throw again;
}

/** Undefined when the folder exists afterwards. */
async function makeOne(path: string): Promise<NodeJS.ErrnoException | undefined> {
  try {
    await mkdir(path);
    return undefined;
  } catch (error) {
    const isThere = (await stat(path).catch(() => undefined))?.isDirectory() === true;
    if (isThere) return undefined;
    if (error instanceof Error) return error;
    throw error;
  }
}
