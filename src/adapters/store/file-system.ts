import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** A file that is written. */
export interface WritableFile {
  /** Which file it is, whatever its name has come to mean since. */
  readonly inode: number;
  append(text: string): Promise<void>;
  /** Resolves when what was appended is on the disk. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** What a file store does to the disk; a test has one that fails when it is told to. */
export interface FileSystem {
  create(path: string): Promise<WritableFile>;
  rename(from: string, to: string): Promise<void>;
  /** Makes the names in a folder durable. */
  syncFolderOf(path: string): Promise<void>;
  /** Undefined when there is none. */
  inodeOf(path: string): Promise<number | undefined>;
  /** Does nothing when there is none. */
  remove(path: string): Promise<void>;
  /** Names in the folder of a path. */
  listFolderOf(path: string): Promise<readonly string[]>;
  makeFolderOf(path: string): Promise<void>;
}

export const nodeFileSystem: FileSystem = {
  async create(path) {
    // Nobody else's: it holds access tokens and secret keys.
    const handle = await open(path, "w", 0o600);
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
    // Windows opens no folders; a rename is durable there by itself.
    if (process.platform === "win32") return;
    const folder = await open(dirname(path), "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  },
  async inodeOf(path) {
    try {
      return (await stat(path)).ino;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  },
  remove: (path) => rm(path, { force: true }),
  listFolderOf: (path) => readdir(dirname(path)),
  makeFolderOf: async (path) => void (await mkdir(dirname(path), { recursive: true })),
};

export function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
