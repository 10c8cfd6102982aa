import { Low } from "lowdb";
import { DocumentFile, STORE_VERSION, type StoreDocument } from "./document.js";
import { type EndMark, endMarkPath, readEndMark } from "./end-mark.js";
import { assertRegular } from "./file-system.js";
import { isOpening, journalPath, listJournals, type Opening, readJournal } from "./journal.js";
import { refuseFile } from "./lines.js";
import type { Place } from "./place-file.js";
import type { StoreEntry, StoreFormat } from "./store.js";
import { messageOf } from "../../kernel/messages/problem.js";

export interface LoadedStore<Data> {
  readonly data: Data;
  /** The generation of the last journal. */
  readonly generation: number;
  /** The largest epoch in any of the store's files. */
  readonly epoch: number;
  /** Whether there is no store yet. */
  readonly isNew: boolean;
}

/** The document of a store, read and written by lowdb. Generation 0 means that there is no file yet. */
export function openDocument(place: Place): Low<StoreDocument> {
  return new Low<StoreDocument>(new DocumentFile(place), {
    schemaVersion: STORE_VERSION,
    epoch: 0,
    holder: "",
    generation: 0,
    entries: [],
  });
}

/**
 * Reads the document and the journals after it. Throws UsageError("file") when a file is damaged, missing, cut, newer, or from another moment than
 * the others, and changes nothing.
 */
export async function loadStore<Data>(place: Place, format: StoreFormat<Data>): Promise<LoadedStore<Data>> {
  const { path } = place;
  const low = openDocument(place);
  await low.read();
  const journals = await listJournals(place.fs, path);
  const data = format.createEmpty();
  const { generation: first, entries } = low.data;
  const last = journals.at(-1)?.generation ?? 0;
  // Older journals are not read, but will be removed.
  for (const { generation, path: old } of journals) if (generation < first) await assertRegular(old);
  const end = await readEndMark(path);
  if (first === 0) return { data, generation: last, epoch: await assertUnused(path, journals, end), isNew: true };
  const apply = (file: string, line: number, entry: StoreEntry): void => {
    try {
      format.apply(data, entry);
    } catch (error) {
      refuseFile(file, line, `the store is damaged here: ${messageOf(error)}`);
    }
  };
  for (const [at, entry] of entries.entries()) apply(path, at + 2, entry);
  assertNotOlder(path, low.data, end);
  const reader = new JournalReader(path, low.data, apply);
  for (let generation = first; generation <= Math.max(first, last, endOf(low.data, end)); generation++) {
    const file = journalPath(path, generation);
    if (!journals.some((journal) => journal.generation === generation))
      refuseFile(path, 1, `its journal, ${file}, is missing`);
    const lines = await reader.read(file, generation);
    if (end?.epoch === low.data.epoch && end.generation === generation && end.lines !== lines)
      refuseCut(file, lines, `${endMarkPath(path)} says that it had ${end.lines}`);
  }
  return { data, generation: Math.max(first, last), epoch: reader.epoch, isNew: false };
}

/** Reads one journal after another, and checks that each of them continues the one before. */
class JournalReader {
  readonly #path: string;
  readonly #document: StoreDocument;
  readonly #apply: (file: string, line: number, entry: StoreEntry) => void;
  /** The largest epoch so far. */
  epoch: number;
  /** The number of lines of the journal before. */
  #lines = 0;

  constructor(path: string, document: StoreDocument, apply: (file: string, line: number, entry: StoreEntry) => void) {
    this.#path = path;
    this.#document = document;
    this.#apply = apply;
    this.epoch = document.epoch;
  }

  /** Returns the number of lines of the journal. */
  async read(file: string, generation: number): Promise<number> {
    let isContinuation = true;
    let lines = 0;
    for await (const { line, epoch, content } of readJournal(file)) {
      if (epoch < this.epoch)
        refuseFile(file, line, `epoch ${epoch} wrote this line, but epoch ${this.epoch} had the store before`);
      this.epoch = epoch;
      lines = line;
      if (isOpening(content)) isContinuation = this.#isContinuation(file, generation, epoch, content);
      const isEmpty = isOpening(content) || content.length === 0;
      // The next process may have begun a later journal before it was killed, but not the document's own.
      if (!isContinuation && (!isEmpty || generation === this.#document.generation))
        refuseFile(
          file,
          line,
          `this does not follow from ${this.#path}, which is older than this journal or of another store`,
        );
      if (!isOpening(content)) for (const entry of content) this.#apply(file, line, entry);
    }
    // A journal gets its name once its first line is on the disk. Journals of version 0.1 had no such line.
    if (lines === 0 && this.#document.epoch > 0)
      refuseFile(file, 1, "the store is damaged here: the first line of the journal is missing");
    this.#lines = lines;
    return lines;
  }

  /** Whether the journal may have changes. If not, its document was not written, because the process was killed before. */
  #isContinuation(file: string, generation: number, epoch: number, opening: Opening): boolean {
    const { after, holder, generation: own = generation } = opening;
    if (own !== generation) refuseFile(file, 1, `this is the journal ${own} under another name`);
    if (epoch !== this.#document.epoch || holder !== this.#document.holder) return false;
    if (generation === this.#document.generation) return true;
    if (after === null) return false;
    if (after > this.#lines)
      refuseCut(journalPath(this.#path, generation - 1), this.#lines, `${file} goes on after line ${after}`);
    return after === this.#lines;
  }
}

function refuseCut(file: string, lines: number, why: string): never {
  refuseFile(file, lines + 1, `the journal does not end as it was written: it has ${lines} lines, and ${why}`);
}

/** Refuses a copy of the store from an earlier moment beside a later end mark. */
function assertNotOlder(path: string, { epoch }: StoreDocument, end: EndMark | undefined): void {
  if (end === undefined || end.epoch <= epoch) return;
  refuseFile(path, 1, `epoch ${epoch} wrote it, and ${endMarkPath(path)} is of epoch ${end.epoch}, which came later`);
}

/** The generation of the journal that the end mark calls the last one; 0 when it says nothing about this document. */
function endOf({ epoch }: StoreDocument, end: EndMark | undefined): number {
  return end?.epoch === epoch ? end.generation : 0;
}

/** A process that is killed before its first document is complete leaves journals with nothing but a first line. Returns their epoch. */
async function assertUnused(
  path: string,
  journals: Awaited<ReturnType<typeof listJournals>>,
  end: EndMark | undefined,
): Promise<number> {
  if (end !== undefined)
    refuseFile(path, 1, `it is missing, and ${endMarkPath(path)}, which says how it ended, is there`);
  let last = 0;
  const [first] = journals;
  for (const journal of journals) {
    let isUsed = first?.generation !== 1;
    let lines = 0;
    for await (const { line, epoch, content } of readJournal(journal.path)) {
      lines = line;
      isUsed ||= !isOpening(content) && content.length > 0;
      last = Math.max(last, epoch);
    }
    if (isUsed || lines === 0)
      refuseFile(path, 1, `it is missing, and ${journal.path}, which goes on from it, is there`);
  }
  return last;
}
