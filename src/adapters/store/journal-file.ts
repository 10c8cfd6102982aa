import type { StoreEntry } from "./store.js";
import { assertEntry, checksum, type Line, parseLine, readLines, refuseFile, renderChecksum } from "./entries.js";
import type { FileSystem, WritableFile } from "./file-system.js";

/**
 * What has changed since a checkpoint: a line for each group of changes that became durable together, its checksum before
 * it. Only the last line may be torn: then nobody was told that it was kept.
 */
export interface JournalFile {
  readonly path: string;
  readonly bytes: number;
  /** Resolves when the group is on the disk. Throws when it is not, or when somebody has taken the file away. */
  append(entries: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** An empty one, whose name is durable. */
export async function createJournal(fs: FileSystem, path: string): Promise<JournalFile> {
  const file = await fs.create(path);
  try {
    await fs.syncFolderOf(path);
  } catch (error) {
    await file.close();
    throw error;
  }
  return openJournal(fs, path, file);
}

function openJournal(fs: FileSystem, path: string, file: WritableFile): JournalFile {
  let bytes = 0;
  return {
    path,
    get bytes() {
      return bytes;
    },
    async append(entries) {
      const line = renderGroup(entries);
      await file.append(line);
      const [, inode] = await Promise.all([file.sync(), fs.inodeOf(path)]);
      // Written into a file that has no name any more, it would be gone with this process.
      if (inode !== file.inode) throw new Error(`${path} was removed or replaced`);
      bytes += Buffer.byteLength(line);
    },
    close: () => file.close(),
  };
}

/** Each entry as JSON. */
function renderGroup(entries: readonly string[]): string {
  const json = `[${entries.join(",")}]`;
  return `${renderChecksum(checksum(json))} ${json}\n`;
}

/**
 * Calls `apply` with each entry, oldest first. A last line without an end is passed over: nobody was told that it was kept. Throws
 * UsageError("file") for any other damage.
 */
export async function readJournal(path: string, apply: (entry: StoreEntry, line: number) => void): Promise<void> {
  let damaged: Line | undefined;
  for await (const line of readLines(path)) {
    // It was not the last one.
    if (damaged !== undefined) refuseDamage(path, damaged);
    if (isWhole(line.text)) applyGroup(path, line, apply);
    else damaged = line;
  }
  if (damaged !== undefined && !isTorn(damaged)) refuseDamage(path, damaged);
}

/** A machine that lost its power may have made the file longer before it wrote what goes there. */
function isTorn({ text, ended }: Line): boolean {
  return !ended || text.includes("\0");
}

function applyGroup(path: string, line: Line, apply: (entry: StoreEntry, line: number) => void): void {
  const group = parseLine(path, { ...line, text: line.text.slice(9) });
  if (!Array.isArray(group)) refuseFile(path, line.number, "the store is damaged here: this is no group of entries");
  for (const entry of group) {
    assertEntry(path, line.number, entry);
    apply(entry, line.number);
  }
}

function refuseDamage(path: string, { number }: Line): never {
  return refuseFile(path, number, "the store is damaged here: the line does not have its checksum");
}

function isWhole(text: string): boolean {
  return text[8] === " " && text.slice(0, 8) === renderChecksum(checksum(text.slice(9)));
}
