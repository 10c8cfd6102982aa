import { Low } from "lowdb";
import { DocumentFile, STORE_VERSION, type StoreDocument } from "./document.js";
import type { FileSystem } from "./file-system.js";
import { journalPath, listJournals, readJournal } from "./journal.js";
import { refuseFile } from "./lines.js";
import type { StoreEntry, StoreFormat } from "./store.js";

/** How entries of an older version become entries of the next one. */
export type Migrations = Readonly<Record<number, (entry: StoreEntry) => StoreEntry>>;

const migrations: Migrations = Object.freeze({});

/** The document of a store, read and written by lowdb. Generation 0: there is no file yet. */
export function openDocument(path: string, fs: FileSystem): Low<StoreDocument> {
  return new Low<StoreDocument>(new DocumentFile(fs, path), {
    schemaVersion: STORE_VERSION,
    generation: 0,
    entries: [],
  });
}

/**
 * Reads the document and the journals after it. `generation`: of the last journal. Throws UsageError("file") when a file is damaged, missing or newer, and
 * changes nothing.
 */
export async function loadStore<Data>(
  path: string,
  format: StoreFormat<Data>,
  fs: FileSystem,
  given: Migrations = migrations,
): Promise<{ readonly data: Data; readonly generation: number }> {
  const low = openDocument(path, fs);
  await low.read();
  const { schemaVersion, generation: first, entries } = low.data;
  const journals = await listJournals(fs, path);
  const data = format.createEmpty();
  if (first === 0) {
    await assertUnused(path, journals);
    return { data, generation: journals.at(-1)?.generation ?? 0 };
  }
  const migrate = migrationFrom(schemaVersion, given);
  const apply = (file: string) => (entry: StoreEntry, line: number) => {
    try {
      format.apply(data, migrate(entry));
    } catch (error) {
      refuseFile(file, line, `the store is damaged here: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  let line = 1;
  for (const entry of entries) apply(path)(entry, ++line);
  const last = Math.max(first, journals.at(-1)?.generation ?? 0);
  for (let generation = first; generation <= last; generation++) {
    const journal = journals.find((other) => other.generation === generation);
    if (journal === undefined) refuseFile(path, 1, `its journal, ${journalPath(path, generation)}, is missing`);
    await readJournal(journal.path, apply(journal.path));
  }
  return { data, generation: last };
}

/** A process that was killed before its first document was complete leaves an empty first journal. */
async function assertUnused(path: string, journals: Awaited<ReturnType<typeof listJournals>>): Promise<void> {
  const [first] = journals;
  if (first === undefined) return;
  let entries = 0;
  for (const journal of journals) await readJournal(journal.path, () => void entries++);
  if (first.generation === 1 && entries === 0) return;
  refuseFile(path, 1, `it is missing, and ${first.path}, which goes on from it, is there`);
}

function migrationFrom(version: number, given: Migrations): (entry: StoreEntry) => StoreEntry {
  const steps = Object.entries(given)
    .filter(([from]) => Number(from) >= version)
    .toSorted(([a], [b]) => Number(a) - Number(b));
  return (entry) => steps.reduce((migrated, [, step]) => step(migrated), entry);
}
