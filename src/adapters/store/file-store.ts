import type { Log } from "../../kernel/log.js";
import { UsageError } from "../../kernel/messages/problem.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import { STORE_VERSION } from "./document.js";
import { type FileSystem, findStore, nodeFileSystem } from "./file-system.js";
import { createJournal, type Journal, journalPath, listJournals } from "./journal.js";
import { loadStore, openDocument } from "./load-store.js";
import { acquireLock, type Lock } from "./lock.js";
import { type Store, type StoreEntry, type StoreFormat, StoreUnavailable } from "./store.js";

export interface FileStoreOptions<Data> {
  readonly path: string;
  readonly format: StoreFormat<Data>;
  readonly system: SystemClock;
  readonly log: Log;
  /** The name of this process in the lock. */
  readonly name?: string;
  readonly fs?: FileSystem;
  /** A journal of more bytes is followed by a new document, unless an earlier journal was larger. */
  readonly journalBytes?: number;
}

const JOURNAL_BYTES = 8 * 1024 * 1024;

/**
 * A store that stays whole when the process is killed at any instant: a document of everything, and journals beside it with the changes since then. A
 * change costs one line in a journal, however large the state is. Changes of many clients are flushed together. A new document is written while changes
 * go on, and replaces the old one when it is durable.
 *
 * Throws UsageError("cannot-run") when another process holds the store or the folder cannot be used, UsageError("file") when a file is damaged or newer:
 * then nothing is changed.
 */
export async function openFileStore<Data>(options: FileStoreOptions<Data>): Promise<Store<Data>> {
  const { fs = nodeFileSystem, format, system, name = "sandbox" } = options;
  const { path, lock } = await explain(options.path, async () => {
    await fs.makeFolderOf(options.path);
    const file = await findStore(options.path);
    await fs.makeFolderOf(file);
    return { path: file, lock: await acquireLock(`${file}.lock`, name, system) };
  });
  try {
    const { data, generation } = await loadStore(path, format, fs);
    const store = new FileStore({ ...options, path }, fs, lock, data, generation);
    await explain(path, () => store.rewrite());
    return store;
  } catch (error) {
    await lock.release();
    throw error;
  }
}

async function explain<T>(path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError("cannot-run", `Failed to open the store ${path}: ${reasonOf(error)}.`, { cause: error });
  }
}

interface Waiter {
  readonly position: number;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

class FileStore<Data> implements Store<Data> {
  readonly data: Data;
  readonly #options: FileStoreOptions<Data>;
  readonly #fs: FileSystem;
  readonly #lock: Lock;
  /** Of the journal. */
  #generation: number;
  #journal: Journal | undefined;
  #position = 0;
  /** Changes up to this position are on disk. */
  #kept = 0;
  /** Noted and not written yet, as JSON. */
  #pending: string[] = [];
  #waiters: Waiter[] = [];
  #working: Promise<void> | undefined;
  #writingDocument: Promise<void> | undefined;
  #largestJournal: number;
  /** Why nothing can be kept at present. */
  #failure: unknown;
  #closed = false;

  constructor(options: FileStoreOptions<Data>, fs: FileSystem, lock: Lock, data: Data, generation: number) {
    this.#options = options;
    this.#fs = fs;
    this.#lock = lock;
    this.#generation = generation;
    this.#largestJournal = options.journalBytes ?? JOURNAL_BYTES;
    this.data = data;
  }

  get position(): number {
    return this.#position;
  }

  note(entry: StoreEntry): void {
    if (this.#closed) return;
    this.#position++;
    // After a failure everything is written again, so single changes are not needed.
    if (this.#failure === undefined) this.#pending.push(JSON.stringify(entry));
    this.#work();
  }

  durable(changed = true): Promise<void> | undefined {
    if (this.#kept === this.#position) return undefined;
    if (changed) return this.#wait();
    return this.#failure === undefined ? this.#wait().catch(() => undefined) : undefined;
  }

  writable(): Promise<void> | undefined {
    return this.#failure === undefined ? undefined : this.#wait();
  }

  async close(): Promise<void> {
    if (this.#pending.length > 0) this.#work();
    await this.#working;
    this.#closed = true;
    await this.#writingDocument;
    await this.#journal?.close();
    await this.#lock.release();
    if (this.#failure !== undefined) throw this.#unavailable();
  }

  /** Writes everything as a new document, followed by an empty journal. Older files are not needed any more. */
  async rewrite(): Promise<void> {
    await this.#writingDocument;
    const journal = await this.#createJournal();
    try {
      // If this small write fails, the document need not be tried.
      await journal.append([]);
      const upTo = this.#position;
      const entries = this.#options.format.dump(this.data);
      // Changes from here on are not in the dump: they are pending for the new journal.
      this.#pending = [];
      this.#failure = undefined;
      await this.#writeDocument(this.#generation + 1, entries);
      this.#kept = upTo;
    } catch (error) {
      // The journal file stays: the document that needs it may be in place already.
      await journal.close();
      throw error;
    }
    await this.#switchTo(journal);
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
      // Something may have been noted at the moment at which the work ended.
      if (this.#pending.length > 0 || this.#waiters.length > 0) this.#work();
    });
  }

  /** Writes one group after another until nothing is pending. Changes that come during a write form the next group. */
  async #writePending(): Promise<void> {
    // Requests that arrived together are flushed together.
    await this.#options.system.yieldToEventLoop();
    do {
      try {
        if (this.#failure === undefined) await this.#append();
        if (this.#isJournalLarge()) await this.#beginDocument();
      } catch (error) {
        this.#fail(error);
      }
      try {
        // Also rewrites files that somebody removed.
        if (this.#failure !== undefined) await this.#recover();
      } catch (error) {
        this.#fail(error);
        for (const { reject } of this.#waiters.splice(0)) reject(this.#unavailable());
        return;
      }
      this.#resolveWaiters();
    } while (this.#pending.length > 0);
  }

  async #append(): Promise<void> {
    const upTo = this.#position;
    const group = this.#pending.splice(0);
    const { path } = this.#options;
    await this.#journal?.append(group);
    if ((await this.#fs.inodeOf(path)) === undefined) throw new Error(`${path} was removed`);
    this.#kept = upTo;
  }

  async #recover(): Promise<void> {
    await this.#fs.makeFolderOf(this.#options.path);
    await this.rewrite();
    this.#options.log.write("info", "store", { message: `the state is kept again in ${this.#options.path}` });
  }

  #fail(error: unknown): void {
    if (this.#failure === undefined) {
      this.#options.log.write("error", "store", { message: `the state cannot be kept: ${reasonOf(error)}` });
    }
    this.#failure = error;
    this.#pending = [];
  }

  #unavailable(): StoreUnavailable {
    const { path } = this.#options;
    const failed = `The state could not be written to ${path}: ${reasonOf(this.#failure)}`;
    return new StoreUnavailable(`${failed}. Make room there, or bring the folder back`);
  }

  #resolveWaiters(): void {
    const waiters = this.#waiters;
    this.#waiters = waiters.filter(({ position }) => position > this.#kept);
    for (const { position, resolve } of waiters) if (position <= this.#kept) resolve();
  }

  #createJournal(): Promise<Journal> {
    return createJournal(this.#fs, journalPath(this.#options.path, this.#generation + 1));
  }

  async #switchTo(journal: Journal): Promise<void> {
    const before = this.#journal;
    this.#journal = journal;
    this.#generation++;
    // The old file may have been removed.
    await before?.close().catch(() => undefined);
  }

  async #writeDocument(generation: number, entries: readonly StoreEntry[]): Promise<void> {
    const { path } = this.#options;
    const low = openDocument(path, this.#fs);
    low.data = { schemaVersion: STORE_VERSION, generation, entries };
    await low.write();
    for (const journal of await listJournals(this.#fs, path)) {
      if (journal.generation < generation) await this.#fs.remove(journal.path);
    }
  }

  /** Each journal may grow as large as the largest before it, so that a large state is not written all the time. */
  #isJournalLarge(): boolean {
    const isBusy = this.#writingDocument !== undefined || this.#failure !== undefined;
    return !isBusy && (this.#journal?.bytes ?? 0) > this.#largestJournal;
  }

  /** Changes go to a new journal at once, while the document is being written. If that fails, the journals so far contain everything. */
  async #beginDocument(): Promise<void> {
    this.#largestJournal = this.#journal?.bytes ?? 0;
    await this.#switchTo(await this.#createJournal());
    const entries = this.#options.format.dump(this.data);
    this.#writingDocument = this.#writeDocument(this.#generation, entries)
      .catch((error: unknown) => {
        this.#options.log.write("warn", "store", { message: `a checkpoint could not be written: ${reasonOf(error)}` });
      })
      .finally(() => {
        this.#writingDocument = undefined;
      });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
