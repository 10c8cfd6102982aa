import { Low } from "lowdb";
import { basename } from "node:path";
import type { StoreEntry, StoreFormat } from "../store.js";
import { type Checkpoint, CheckpointFile, STORE_VERSION } from "./checkpoint-file.js";
import { refuseFile } from "./entries.js";
import type { FileSystem } from "./file-system.js";
import { readJournal } from "./journal-file.js";

/** Before the first. */
export const emptyCheckpoint: Checkpoint = { schemaVersion: STORE_VERSION, generation: 0, entries: [] };

/**
 * The checkpoint and the journals after it. `generation`: of the last journal. Throws UsageError("file") for what is damaged, missing or newer; nothing is
 * changed.
 */
export async function loadStore<Data>(
  path: string,
  format: StoreFormat<Data>,
  fs: FileSystem,
): Promise<{ readonly data: Data; readonly generation: number }> {
  const low = new Low<Checkpoint>(new CheckpointFile(fs, path), emptyCheckpoint);
  await low.read();
  const checkpoint = low.data;
  const journals = await journalsOf(fs, path);
  const data = format.createEmpty();
  if (checkpoint === emptyCheckpoint) {
    const [first] = journals;
    if (first !== undefined) refuseFile(path, 1, `it is missing, and ${first.path}, which goes on from it, is there`);
    return { data, generation: 0 };
  }
  const apply = (file: string) => (entry: StoreEntry, line: number) => {
    try {
      format.apply(data, entry);
    } catch (error) {
      refuseFile(file, line, `the store is damaged here: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  let line = 1;
  for (const entry of checkpoint.entries) apply(path)(entry, ++line);
  const after = journals.filter(({ generation }) => generation >= checkpoint.generation);
  if (after[0]?.generation !== checkpoint.generation) {
    refuseFile(path, 1, `its journal, ${journalPath(path, checkpoint.generation)}, is missing`);
  }
  for (const journal of after) await readJournal(journal.path, apply(journal.path));
  return { data, generation: after.at(-1)?.generation ?? checkpoint.generation };
}

export function journalPath(path: string, generation: number): string {
  return `${path}.journal-${generation}`;
}

export async function journalsOf(fs: FileSystem, path: string): Promise<{ path: string; generation: number }[]> {
  const prefix = `${basename(path)}.journal-`;
  const names = await fs.listFolderOf(path);
  return names
    .filter((name) => name.startsWith(prefix) && /^\d{1,15}$/.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)))
    .sort((a, b) => a - b)
    .map((generation) => ({ path: journalPath(path, generation), generation }));
}
