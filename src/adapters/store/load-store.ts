import { Low } from "lowdb";
import { basename } from "node:path";
import type { StoreEntry, StoreFormat } from "./store.js";
import { type Checkpoint, CheckpointFile, STORE_VERSION } from "./checkpoint-file.js";
import { refuseFile } from "./entries.js";
import type { FileSystem } from "./file-system.js";
import { readJournal } from "./journal-file.js";
import { type Migrations, migrationFrom, migrations } from "./migrations.js";

/** Before the first. */
export const emptyCheckpoint: Checkpoint = { schemaVersion: STORE_VERSION, generation: 0, entries: [] };

/** The number of the first checkpoint, which is written before anything can change: it holds nothing. */
const FIRST = 1;

interface Journal {
  readonly path: string;
  readonly generation: number;
}

/**
 * The checkpoint and the journals after it. `generation`: of the last journal. Throws UsageError("file") for what is damaged, missing or newer; nothing is
 * changed.
 */
export async function loadStore<Data>(
  path: string,
  format: StoreFormat<Data>,
  fs: FileSystem,
  given: Migrations = migrations,
): Promise<{ readonly data: Data; readonly generation: number }> {
  const low = new Low<Checkpoint>(new CheckpointFile(fs, path), emptyCheckpoint);
  await low.read();
  const checkpoint = low.data;
  const journals = await journalsOf(fs, path);
  const data = format.createEmpty();
  if (checkpoint === emptyCheckpoint) {
    await assertUnused(path, journals);
    return { data, generation: journals.at(-1)?.generation ?? 0 };
  }
  const migrate = migrationFrom(checkpoint.schemaVersion, given);
  const apply = (file: string) => (entry: StoreEntry, line: number) => {
    try {
      format.apply(data, migrate(entry));
    } catch (error) {
      refuseFile(file, line, `the store is damaged here: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  let line = 1;
  for (const entry of checkpoint.entries) apply(path)(entry, ++line);
  const after = journals.filter(({ generation }) => generation >= checkpoint.generation);
  const last = after.at(-1)?.generation ?? checkpoint.generation;
  for (let generation = checkpoint.generation; generation <= last; generation++) {
    const journal = after.find((other) => other.generation === generation);
    if (journal === undefined) refuseFile(path, 1, `its journal, ${journalPath(path, generation)}, is missing`);
    await readJournal(journal.path, apply(journal.path));
  }
  return { data, generation: last };
}

/** A process that was killed before its first checkpoint stood leaves a journal in which nothing is. */
async function assertUnused(path: string, journals: readonly Journal[]): Promise<void> {
  const [first] = journals;
  if (first === undefined) return;
  let entries = 0;
  for (const journal of journals) await readJournal(journal.path, () => void entries++);
  if (first.generation === FIRST && entries === 0) return;
  refuseFile(path, 1, `it is missing, and ${first.path}, which goes on from it, is there`);
}

export function journalPath(path: string, generation: number): string {
  return `${path}.journal-${generation}`;
}

/** Oldest first. */
export async function journalsOf(fs: FileSystem, path: string): Promise<Journal[]> {
  const prefix = `${basename(path)}.journal-`;
  const names = await fs.listFolderOf(path);
  return names
    .filter((name) => name.startsWith(prefix) && /^\d{1,15}$/.test(name.slice(prefix.length)))
    .map((name) => Number(name.slice(prefix.length)))
    .sort((a, b) => a - b)
    .map((generation) => ({ path: journalPath(path, generation), generation }));
}
