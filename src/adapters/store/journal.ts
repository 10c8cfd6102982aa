import { basename } from "node:path";
import type { FileSystem } from "./file-system.js";
import { assertEntry, checksum, type Line, parseLine, readLines, refuseFile, renderChecksum } from "./lines.js";
import type { StoreEntry } from "./store.js";

/**
 * What has changed since a document was written: `PATH.journal-GENERATION`, with one line for each group of changes that was flushed together, after its
 * checksum. Only the last line may be torn: it was never acknowledged.
 */
export interface Journal {
  readonly bytes: number;
  /** Resolves when the group is on disk. `entries` are JSON texts. Throws when the file was removed or replaced. */
  append(entries: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

/** Creates an empty journal and flushes its name. */
export async function createJournal(fs: FileSystem, path: string): Promise<Journal> {
  const file = await fs.create(path);
  let bytes = 0;
  try {
    await fs.syncFolderOf(path);
  } catch (error) {
    await file.close();
    throw error;
  }
  return {
    get bytes() {
      return bytes;
    },
    async append(entries) {
      const json = `[${entries.join(",")}]`;
      const line = `${renderChecksum(checksum(json))} ${json}\n`;
      await file.append(line);
      const [, inode] = await Promise.all([file.sync(), fs.inodeOf(path)]);
      // A file without a name would be lost with this process.
      if (inode !== file.inode) throw new Error(`${path} was removed or replaced`);
      bytes += Buffer.byteLength(line);
    },
    close: () => file.close(),
  };
}

export function journalPath(path: string, generation: number): string {
  return `${path}.journal-${generation}`;
}

/** The journals of a store, oldest first. */
export async function listJournals(fs: FileSystem, path: string) {
  const prefix = `${basename(path)}.journal-`;
  const names = await fs.listFolderOf(path);
  return names
    .filter((name) => name.startsWith(prefix) && /^\d{1,15}$/.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)))
    .sort((a, b) => a - b)
    .map((generation) => ({ path: journalPath(path, generation), generation }));
}

/** Calls `apply` with each entry, oldest first. Ignores a torn last line. Throws UsageError("file") for any other damage. */
export async function readJournal(path: string, apply: (entry: StoreEntry, line: number) => void): Promise<void> {
  let torn: number | undefined;
  for await (const line of readLines(path)) {
    if (torn === undefined && isWhole(line.text)) applyGroup(path, line, apply);
    else if (torn === undefined && isTorn(line)) torn = line.number;
    else refuseFile(path, torn ?? line.number, "the store is damaged here: the line does not have its checksum");
  }
}

/** After a power loss the file may be longer than what was written: the rest is zeros. */
function isTorn({ text, ended }: Line): boolean {
  return !ended || text.includes("\0");
}

function isWhole(text: string): boolean {
  return text[8] === " " && text.slice(0, 8) === renderChecksum(checksum(text.slice(9)));
}

function applyGroup(path: string, line: Line, apply: (entry: StoreEntry, line: number) => void): void {
  const group = parseLine(path, { ...line, text: line.text.slice(9) });
  if (!Array.isArray(group)) refuseFile(path, line.number, "the store is damaged here: this is no group of entries");
  for (const entry of group) {
    assertEntry(path, line.number, entry);
    apply(entry, line.number);
  }
}
