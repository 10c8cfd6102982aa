import { isDeepStrictEqual } from "node:util";
import type { Log } from "../../kernel/log.js";
import { messageOf, UsageError } from "../../kernel/messages/problem.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import { STORE_VERSION } from "./document.js";
import { readEpoch, writeEndMark } from "./end-mark.js";
import { type FileSystem, findStore, nodeFileSystem, type Stamp, unlessMissing } from "./file-system.js";
import { createJournal, type Journal, listJournals } from "./journal.js";
import { readFirstLine } from "./lines.js";
import { type LoadedStore, loadStore, openDocument } from "./load-store.js";
import { acquireLock, LockLost, readLockEpoch } from "./lock.js";
import { type Place, removeUnfinished } from "./place-file.js";
import { type Store, type StoreEntry, type StoreFormat, StoreUnavailable } from "./store.js";

export interface FileStoreOptions<Data> {
  readonly path: string;
  readonly format: StoreFormat<Data>;
  readonly system: SystemClock;
  readonly log: Log;
  /** The name of this process in the lock. */
  readonly name?: string;
  readonly fs?: FileSystem;
  /** A new document is written when a journal has more bytes than this, and more than every journal before it. */
  readonly journalBytes?: number;
}

const JOURNAL_BYTES = 8 * 1024 * 1024;

/**
 * A store that stays whole when the process is killed at any instant. It consists of a document with everything, and of journals with the changes
 * since then. A change costs one line in a journal, however large the state is. Changes of many clients are flushed together. A new document is
 * written while changes go on, and replaces the old one when it is durable.
 *
 * A process that another one took for dead must not write any more. It checks its lock after each flush before it acknowledges the changes, and
 * before it replaces a file. The next holder reads after it has taken the lock, so it reads everything that was acknowledged.
 *
 * Throws UsageError("cannot-run") when another process holds the store or the folder cannot be used, and UsageError("file") when a file is damaged or
 * newer. It changes nothing then. On a full disk an existing store can be opened and read.
 */
export async function openFileStore<Data>(options: FileStoreOptions<Data>): Promise<Store<Data>> {
  const { fs = nodeFileSystem } = options;
  const path = await explain(options.path, async () => {
    await fs.makeFolderOf(options.path);
    const file = await findStore(options.path);
    await fs.makeFolderOf(file);
    return file;
  });
  const epochs = await explain(path, () => Promise.all([readEpoch(path), readLockEpoch(`${path}.lock`)]));
  // Another process may have held the store since its epoch was read.
  for (let epoch = Math.max(...epochs); ;) {
    const { place, loaded } = await takeStore(options, fs, path, epoch + 1);
    epoch = loaded.epoch;
    if (epoch < place.lock.epoch) return beginStore(options, place, loaded);
    await place.lock.release();
  }
}

async function takeStore<Data>(
  { name = "sandbox", system, format }: FileStoreOptions<Data>,
  fs: FileSystem,
  path: string,
  epoch: number,
): Promise<{ readonly place: Place; readonly loaded: LoadedStore<Data> }> {
  const held = { name, epoch, system, readEpoch: () => readEpoch(path) };
  const lock = await explain(path, () => acquireLock(`${path}.lock`, held));
  const place = { fs, path, lock };
  try {
    const loaded = await explain(path, async () => {
      await removeUnfinished(place);
      return loadStore(place, format);
    });
    return { place, loaded };
  } catch (error) {
    // The next owner may have changed the files while they were read.
    const lost = await lock.assertHeld().catch((why: unknown) => why);
    await lock.release();
    return explain(path, () => Promise.reject(lost instanceof LockLost ? lost : error));
  }
}

async function beginStore<Data>(
  options: FileStoreOptions<Data>,
  place: Place,
  loaded: LoadedStore<Data>,
): Promise<Store<Data>> {
  const store = new FileStore(options, place, loaded);
  try {
    await explain(place.path, () => store.begin(loaded.isNew));
    return store;
  } catch (error) {
    await place.lock.release();
    throw error;
  }
}

async function explain<T>(path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError("cannot-run", `Failed to open the store ${path}: ${messageOf(error)}.`, { cause: error });
  }
}

/** The first line of a document names the process that wrote it, and the generation. */
type DocumentStamp = Stamp & { readonly firstLine: string | undefined };

interface Waiter {
  readonly position: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

class FileStore<Data> implements Store<Data> {
  readonly data: Data;
  readonly #options: FileStoreOptions<Data>;
  readonly #place: Place;
  /** The generation of the journal. */
  #generation: number;
  #journal: Journal | undefined;
  /** The journals before that one that no document contains yet: a checkpoint is being written, or could not be. */
  #earlier: Journal[] = [];
  /** The document that this process wrote last; undefined until it has written one. */
  #document: DocumentStamp | undefined;
  #position = 0;
  /** Changes up to this position are on disk. */
  #kept = 0;
  #flushes = 0;
  /** Changes that are noted but not yet written. */
  #pending: StoreEntry[] = [];
  #waiters: Waiter[] = [];
  #working: Promise<void> | undefined;
  #writingDocument: Promise<void> | undefined;
  #largestJournal: number;
  /** Why nothing can be kept at present; undefined when it can. */
  #failure: unknown;
  /** Whether a document is being written that does not contain what is noted now. */
  #isRewriting = false;
  /** Whether the log has reported the failure. */
  #isReported = false;
  readonly #lost = new AbortController();
  #closing: Promise<void> | undefined;
  #closed = false;

  constructor(options: FileStoreOptions<Data>, place: Place, { data, generation }: LoadedStore<Data>) {
    this.#options = options;
    this.#place = place;
    this.#generation = generation;
    this.#largestJournal = options.journalBytes ?? JOURNAL_BYTES;
    this.data = data;
  }

  /** Throws when the store is new and cannot be written. An existing store can be read while it is written anew, before the first change is kept. */
  async begin(isNew: boolean): Promise<void> {
    if (isNew) await this.#rewrite();
    else this.#work();
    this.#place.lock.watch((error) => this.#lose(error));
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  get position(): number {
    return this.#position;
  }

  get flushes(): number {
    return this.#flushes;
  }

  note(entry: StoreEntry): void {
    if (this.#closed) return;
    this.#position++;
    // After a failure everything is written again, so single changes are not needed.
    if (this.#failure === undefined || this.#isRewriting) this.#pending.push(entry);
    this.#work();
  }

  durable(changed = true): Promise<void> | undefined {
    if (this.lost.aborted) return Promise.reject(this.#unavailable());
    const isKept = this.#kept === this.#position;
    if (!isKept && changed) return this.#wait();
    if (!isKept && this.#failure === undefined) return this.#wait().catch(() => this.#assertHeld());
    return this.#place.lock.isFresh ? undefined : this.#assertHeld();
  }

  writable(): Promise<void> | undefined {
    const isReady = this.#journal !== undefined && this.#failure === undefined && !this.lost.aborted;
    return isReady ? undefined : this.#wait();
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#end());
  }

  async discard(): Promise<void> {
    const why = new UsageError("cannot-run", `The store ${this.#place.path} was closed`);
    this.#failure = why;
    this.#pending = [];
    this.#lost.abort(why);
    this.#closed = true;
    await this.#working;
    await this.#journal?.close();
    await this.#place.lock.release();
  }

  async #end(): Promise<void> {
    // This is also the last chance to write what could not be written before, or was removed since.
    if (this.#failure !== undefined || !(await this.#isKept())) await this.#wait().catch(() => undefined);
    // A change may have been noted just when the work ended.
    while (this.#working !== undefined) await this.#working;
    this.#closed = true;
    await this.#writingDocument;
    if (this.#failure === undefined) await this.#markEnd();
    const isKept = await this.#isKept();
    // Everything in the journal was flushed.
    await this.#journal?.close().catch(() => undefined);
    await this.#place.lock.release();
    if (this.lost.aborted) throw this.lost.reason;
    if (this.#failure === undefined || isKept) return;
    const failed = `Failed to write the last changes to ${this.#place.path}: ${messageOf(this.#failure)}`;
    throw new UsageError("cannot-run", `${failed}. Everything that was answered with success is there.`);
  }

  /** Whether all changes are in the files, and nobody has removed or changed the files. If this cannot be determined, they count as unchanged. */
  async #isKept(): Promise<boolean> {
    if (this.#kept !== this.#position) return false;
    try {
      return (await this.#journal?.isInPlace()) !== false && (await this.#areOthersInPlace());
    } catch {
      return true;
    }
  }

  /** Whether nobody else removed, replaced or changed the document and the journals between it and the present one. */
  async #areOthersInPlace(): Promise<boolean> {
    // While a new document is written, it may already have replaced this one.
    const expected = this.#writingDocument === undefined ? this.#document : undefined;
    const found = await this.#stampDocument();
    if (expected === undefined ? found === undefined : !isDeepStrictEqual(found, expected)) return false;
    const earlier = this.#earlier;
    const areInPlace = await Promise.all(earlier.map((journal) => journal.isInPlace()));
    // When a new document is in place by now, this process has removed them.
    return earlier !== this.#earlier || !areInPlace.includes(false);
  }

  async #stampDocument(): Promise<DocumentStamp | undefined> {
    const { fs, path } = this.#place;
    const stamp = await fs.stampOf(path);
    return stamp && { ...stamp, firstLine: await unlessMissing(readFirstLine(path)) };
  }

  async #markEnd(): Promise<void> {
    const { epoch } = this.#place.lock;
    const lines = this.#journal?.lines ?? 0;
    try {
      await writeEndMark(this.#place, { epoch, generation: this.#generation, lines });
    } catch (error) {
      if (error instanceof LockLost) return this.#lose(error);
      // Everything is kept, but later cuts of the journal would not be noticed.
      this.#options.log.write("warn", "store", { message: `the end could not be marked: ${messageOf(error)}` });
    }
  }

  /** Writes everything as a new document, followed by an empty journal. Older files are no longer needed. */
  async #rewrite(): Promise<void> {
    await this.#writingDocument;
    const journal = await this.#createJournal(null);
    try {
      const upTo = this.#position;
      const entries = this.#options.format.dump(this.data);
      // Changes from here on are not in the dump: they are pending for the new journal.
      this.#pending = [];
      this.#isRewriting = true;
      await this.#writeDocument(this.#generation + 1, entries);
      this.#failure = undefined;
      this.#kept = upTo;
    } catch (error) {
      // The journal file stays, because the document that needs it may be in place already.
      await journal.close();
      throw error;
    } finally {
      this.#isRewriting = false;
    }
    await this.#switchTo(journal);
  }

  /** Rejects when the lock was lost. If this cannot be determined, reading goes on. */
  async #assertHeld(): Promise<void> {
    try {
      await this.#place.lock.assertHeld();
    } catch (error) {
      if (!(error instanceof LockLost)) return;
      this.#lose(error);
      throw this.#unavailable();
    }
  }

  #lose(error: LockLost): void {
    if (this.lost.aborted) return;
    const message = `Failed to keep the store ${this.#place.path}: ${error.message}. This process stops, because only one may write to it.`;
    this.#failure = error;
    this.#pending = [];
    this.#options.log.write("error", "store-lost", { message });
    this.#lost.abort(new UsageError("cannot-run", message, { cause: error }));
    this.#work();
  }

  #wait(): Promise<void> {
    const position = this.#position;
    const waiting = new Promise<void>((resolve, reject) => {
      this.#waiters.push({ position, resolve, reject });
    });
    this.#work();
    return waiting;
  }

  #work(): void {
    this.#working ??= this.#writePending().finally(() => {
      this.#working = undefined;
      // Something may have been noted just when the work ended.
      if (this.#pending.length > 0 || this.#waiters.length > 0) this.#work();
    });
  }

  /** Writes one group after another until nothing is pending. Changes that arrive during a write form the next group. */
  async #writePending(): Promise<void> {
    // Requests that arrived together are flushed together.
    await this.#options.system.yieldToEventLoop();
    do {
      try {
        if (this.#failure === undefined) await (this.#journal === undefined ? this.#rewrite() : this.#append());
        if (this.#isJournalLarge()) await this.#beginDocument();
      } catch (error) {
        this.#fail(error);
      }
      try {
        if (this.lost.aborted) throw this.#failure;
        // This also writes files again that somebody removed or changed.
        if (this.#failure !== undefined) await this.#recover();
      } catch (error) {
        this.#fail(error);
        this.#report();
        for (const { reject } of this.#waiters.splice(0)) reject(this.#unavailable());
        return;
      }
      this.#resolveWaiters();
    } while (this.#pending.length > 0);
  }

  async #append(): Promise<void> {
    const upTo = this.#position;
    const group = this.#pending.splice(0);
    await this.#journal?.append(group);
    this.#flushes++;
    if (!(await this.#areOthersInPlace())) throw new Error(`${this.#place.path} or a journal was removed or changed`);
    this.#kept = upTo;
  }

  async #recover(): Promise<void> {
    await this.#rewrite();
    if (!this.#isReported) return;
    this.#isReported = false;
    this.#options.log.write("info", "store", { message: `the state is kept again in ${this.#place.path}` });
  }

  #fail(error: unknown): void {
    if (this.lost.aborted) return;
    if (error instanceof LockLost) return this.#lose(error);
    this.#failure = error;
    this.#pending = [];
  }

  #report(): void {
    if (this.#isReported || this.lost.aborted) return;
    this.#isReported = true;
    this.#options.log.write("error", "store", { message: `the state cannot be kept: ${messageOf(this.#failure)}` });
  }

  #unavailable(): StoreUnavailable {
    if (this.lost.aborted) return new StoreUnavailable(messageOf(this.lost.reason));
    const failed = `The state could not be written to ${this.#place.path}: ${messageOf(this.#failure)}`;
    return new StoreUnavailable(`${failed}. Make room there, or bring the folder back`);
  }

  #resolveWaiters(): void {
    const waiters = this.#waiters;
    this.#waiters = waiters.filter(({ position }) => position > this.#kept);
    for (const { position, resolve } of waiters) if (position <= this.#kept) resolve();
  }

  #createJournal(after: number | null): Promise<Journal> {
    return createJournal(this.#place, this.#generation + 1, { after });
  }

  async #switchTo(journal: Journal): Promise<void> {
    const before = this.#journal;
    this.#journal = journal;
    this.#generation++;
    // The old file may have been removed.
    await before?.close().catch(() => undefined);
  }

  async #writeDocument(generation: number, entries: readonly StoreEntry[]): Promise<void> {
    const { fs, path, lock } = this.#place;
    const low = openDocument(this.#place);
    low.data = { schemaVersion: STORE_VERSION, epoch: lock.epoch, holder: lock.id, generation, entries };
    await low.write();
    this.#document = await this.#stampDocument();
    this.#earlier = [];
    for (const journal of await listJournals(fs, path)) {
      if (journal.generation < generation) await fs.remove(journal.path);
    }
  }

  /** Each journal may grow as large as the largest one before it, so that a large state is not written again and again. */
  #isJournalLarge(): boolean {
    const isBusy = this.#writingDocument !== undefined || this.#failure !== undefined;
    return !isBusy && (this.#journal?.bytes ?? 0) > this.#largestJournal;
  }

  /** Begins to write a new document, while changes go to a new journal. If the document cannot be written, the journals so far contain everything. */
  async #beginDocument(): Promise<void> {
    this.#largestJournal = this.#journal?.bytes ?? 0;
    const entries = this.#options.format.dump(this.data);
    // The dump contains what is pending, so that must go to the old journal: a change of a company cannot be applied after the company's removal.
    await this.#append();
    const next = await this.#createJournal(this.#journal?.lines ?? 0);
    if (this.#journal !== undefined) this.#earlier.push(this.#journal);
    await this.#switchTo(next);
    this.#writingDocument = this.#writeDocument(this.#generation, entries)
      .catch((error: unknown) => {
        this.#options.log.write("warn", "store", { message: `a checkpoint could not be written: ${messageOf(error)}` });
      })
      .finally(() => {
        this.#writingDocument = undefined;
      });
  }
}
