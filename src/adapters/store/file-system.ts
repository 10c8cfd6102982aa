import { lstat, open, readdir, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { makeFolder } from "../files/write-to.js";
import { codeOf, UsageError } from "../../kernel/messages/problem.js";

export interface WritableFile {
  /** Identifies the file even when its name was removed or given to another file. */
  readonly inode: number;
  append(text: string): Promise<void>;
  /** Resolves when everything appended is on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Two stamps of a name differ when the file was replaced or cut in between. Times are left out, because a file system may change them later. */
export interface Stamp {
  readonly inode: number;
  readonly bytes: number;
}

/** A file store's access to the disk. Tests use one that fails on demand. */
export interface FileSystem {
  create(path: string): Promise<WritableFile>;
  rename(from: string, to: string): Promise<void>;
  /** Flushes the names in the folder of a path. */
  syncFolderOf(path: string): Promise<void>;
  /** Undefined when there is no such file. */
  stampOf(path: string): Promise<Stamp | undefined>;
  /** Does nothing when there is no such file. */
  remove(path: string): Promise<void>;
  /** Names in the folder of a path. */
  listFolderOf(path: string): Promise<readonly string[]>;
  makeFolderOf(path: string): Promise<void>;
}

export const nodeFileSystem: FileSystem = {
  async create(path) {
    // The file contains access tokens and secret keys, so only its owner may read it. An existing file may still be open elsewhere, so it is replaced
    // and not overwritten.
    await rm(path, { force: true });
    // Appending leaves no hole in a file that somebody cut, so its length shows the cut.
    const handle = await open(path, "ax", 0o600);
    const { ino } = await handle.stat();
    return {
      inode: ino,
      append: (text) => handle.appendFile(text),
      sync: () => handle.datasync(),
      close: () => handle.close(),
    };
  },
  rename,
  async syncFolderOf(path) {
    // Windows cannot open folders, and makes a rename durable by itself.
    if (process.platform === "win32") return;
    const folder = await open(dirname(path), "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  },
  async stampOf(path) {
    // A link is another file: the next process would look for the journals beside its target.
    const found = await unlessMissing(lstat(path));
    return found && { inode: found.ino, bytes: found.size };
  },
  remove: (path) => rm(path, { force: true }),
  listFolderOf: (path) => readdir(dirname(path)),
  makeFolderOf: (path) => makeFolder(dirname(path)),
};

/** Undefined when the file does not exist. */
export async function unlessMissing<T>(result: Promise<T>): Promise<T | undefined> {
  try {
    return await result;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Throws UsageError("file") for a folder, a device or a pipe: reading one might never end. */
export async function assertRegular(path: string): Promise<void> {
  const found = await unlessMissing(stat(path));
  if (found === undefined || found.isFile()) return;
  const what = found.isDirectory() ? "a folder" : "a pipe or a device";
  throw new UsageError("file", `Failed to open the store: ${path} is ${what}. Remove it, or name another store.`);
}

/**
 * The file that a path names. A link is resolved, so that the link stays and every name of the file leads to the same lock. Throws
 * UsageError("cannot-run") for a folder, a device or a pipe: reading one might never end.
 */
export async function findStore(path: string): Promise<string> {
  const found = await unlessMissing(lstat(path));
  if (found === undefined || found.isFile()) return path;
  if (found.isSymbolicLink()) {
    // A link in a folder that is a link itself counts from where that folder really is.
    const folder = await realpath(dirname(path));
    return findStore((await unlessMissing(realpath(path))) ?? resolve(folder, await readlink(path)));
  }
  const what = found.isDirectory() ? "it is a folder. Name a file in it" : "it is not a file. Name one, or a new one";
  throw new UsageError("cannot-run", `Failed to open the store ${path}: ${what}.`);
}
