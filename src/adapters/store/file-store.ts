import { Low } from "lowdb";
import type { Log } from "../../kernel/log.js";
import { UsageError } from "../../kernel/problem.js";
import type { SystemClock } from "../../kernel/system-clock.js";
import { type Store, type StoreEntry, type StoreFormat, StoreUnavailable } from "./store.js";
import { type Checkpoint, CheckpointFile, STORE_VERSION } from "./checkpoint-file.js";
import { type FileSystem, nodeFileSystem } from "./file-system.js";
import { findStore } from "./find-store.js";
import { createJournal, type JournalFile } from "./journal-file.js";
import { emptyCheckpoint, journalPath, journalsOf, loadStore } from "./load-store.js";
import { acquireLock, type Lock } from "./lock-file.js";

export interface FileStoreOptions<Data> {
  readonly path: string;
  readonly format: StoreFormat<Data>;
  readonly system: SystemClock;
  readonly log: Log;
  /** What this process is called, for whoever finds its lock. */
  readonly name?: string;
  readonly fs?: FileSystem;
  /** A journal of so many bytes becomes a checkpoint, unless the last checkpoint was larger. */
  readonly journalBytes?: number;
}

const JOURNAL_BYTES = 8 * 1024 * 1024;

/**
 * A store that a kill at any instant leaves whole: a checkpoint (lowdb's file) of everything, and journals beside it (`PATH.journal-N`) of what has
 * changed since. A change costs one line in a journal, however much there is; changes of many clients become durable together. A
 * checkpoint is written beside the traffic and takes the old one's place when it is durable.
 *
 * Throws UsageError("cannot-run") when another process has it or the folder cannot be used, UsageError("file") for what is damaged or newer: that is left as
 * it is.
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
  readonly keeps = true;
  readonly #options: FileStoreOptions<Data>;
  readonly #fs: FileSystem;
  readonly #lock: Lock;
  readonly #low: Low<Checkpoint>;
  #generation: number;
  #journal: JournalFile | undefined;
  #position = 0;
  #kept = 0;
  /** Noted and not written yet, as JSON. */
  #pending: string[] = [];
  #waiters: Waiter[] = [];
  #working: Promise<void> | undefined;
  #checkpointing: Promise<void> | undefined;
  #largestJournal = 0;
  /** Why nothing can be kept at present. */
  #failure: unknown;
  #closed = false;

  constructor(options: FileStoreOptions<Data>, fs: FileSystem, lock: Lock, data: Data, generation: number) {
    this.#options = options;
    this.#fs = fs;
    this.#lock = lock;
    this.#low = new Low<Checkpoint>(new CheckpointFile(fs, options.path), emptyCheckpoint);
    this.#generation = generation;
    this.data = data;
  }

  get position(): number {
    return this.#position;
  }

  note(entry: StoreEntry): void {
    if (this.#closed) return;
    this.#position++;
    // While nothing can be kept all of it is written anew once something can.
    if (this.#failure === undefined) this.#pending.push(JSON.stringify(entry));
    this.#work();
  }

  durable(changed: boolean): Promise<void> | undefined {
    if (this.#kept === this.#position) return undefined;
    if (changed) return this.#wait(this.#position);
    return this.#failure === undefined ? this.#wait(this.#position).catch(() => undefined) : undefined;
  }

  writable(): Promise<void> | undefined {
    return this.#failure === undefined ? undefined : this.#wait(this.#position);
  }

  async close(): Promise<void> {
    if (this.#pending.length > 0) this.#work();
    await this.#working;
    this.#closed = true;
    await this.#checkpointing;
    await this.#journal?.close();
    await this.#lock.release();
    if (this.#failure !== undefined) throw this.#unavailable();
  }

  /** Everything as a new checkpoint, with a new journal after it; nothing older is needed any more. */
  async rewrite(): Promise<void> {
    await this.#checkpointing;
    const journal = await this.#createJournal();
    try {
      // So little has to go through before all of it is written.
      await journal.append([]);
      const cut = this.#position;
      const entries = this.#options.format.dump(this.data);
      // From here on changes are pending again, for the new journal.
      this.#pending = [];
      this.#failure = undefined;
      await this.#writeCheckpoint(this.#generation + 1, entries);
      this.#kept = cut;
    } catch (error) {
      // The file stays: the checkpoint that needs it may have taken its place before the failure, and without that one it holds nothing.
      await journal.close();
      throw error;
    }
    await this.#begin(journal);
  }

  #wait(position: number): Promise<void> {
    const waiting = new Promise<void>((resolve, reject) => {
      this.#waiters.push({ position, resolve, reject });
    });
    this.#work();
    return waiting;
  }

  #work(): void {
    this.#working ??= this.#workOn().finally(() => {
      this.#working = undefined;
      // Noted, or waited for, in the very moment in which the work ended.
      if (this.#pending.length > 0 || this.#waiters.length > 0) this.#work();
    });
  }

  /** Group after group, until nothing is pending: what comes while one is written is the next. */
  async #workOn(): Promise<void> {
    // Requests that came together become durable together.
    await this.#options.system.yieldToEventLoop();
    do {
      try {
        if (this.#failure === undefined) await this.#append();
        if (this.#isLarge()) await this.#beginCheckpoint();
      } catch (error) {
        this.#note(error);
      }
      try {
        // A file that was taken away is simply written again.
        if (this.#failure !== undefined) await this.#recover();
      } catch (error) {
        this.#note(error);
        this.#giveUp();
        return;
      }
      this.#resolve();
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

  #note(error: unknown): void {
    if (this.#failure === undefined) {
      this.#options.log.write("error", "store", { message: `the state cannot be kept: ${reasonOf(error)}` });
    }
    this.#failure = error;
    this.#pending = [];
  }

  #giveUp(): void {
    for (const { reject } of this.#waiters.splice(0)) reject(this.#unavailable());
  }

  #unavailable(): StoreUnavailable {
    const { path } = this.#options;
    const failed = `The state could not be written to ${path}: ${reasonOf(this.#failure)}`;
    return new StoreUnavailable(`${failed}. Make room there, or bring the folder back`);
  }

  #resolve(): void {
    const kept = this.#waiters.filter(({ position }) => position <= this.#kept);
    if (kept.length === 0) return;
    this.#waiters = this.#waiters.filter(({ position }) => position > this.#kept);
    for (const { resolve } of kept) resolve();
  }

  #createJournal(): Promise<JournalFile> {
    return createJournal(this.#fs, journalPath(this.#options.path, this.#generation + 1));
  }

  /** From now on changes go into that journal. */
  async #begin(journal: JournalFile): Promise<void> {
    const before = this.#journal;
    this.#journal = journal;
    this.#generation++;
    // It may have been taken away.
    await before?.close().catch(() => undefined);
  }

  async #writeCheckpoint(generation: number, entries: Iterable<StoreEntry>): Promise<void> {
    this.#low.data = { schemaVersion: STORE_VERSION, generation, entries };
    await this.#low.write();
    this.#low.data = emptyCheckpoint;
    const older = await journalsOf(this.#fs, this.#options.path);
    for (const journal of older) if (journal.generation < generation) await this.#fs.remove(journal.path);
  }

  #isLarge(): boolean {
    if (this.#checkpointing !== undefined || this.#failure !== undefined) return false;
    const { journalBytes = JOURNAL_BYTES } = this.#options;
    return (this.#journal?.bytes ?? 0) > Math.max(journalBytes, this.#largestJournal);
  }

  /** The new journal at once, the checkpoint beside the traffic. When that fails, the journals so far hold everything. */
  async #beginCheckpoint(): Promise<void> {
    // The larger the state, the rarer: its cost is spread over as much as was written.
    this.#largestJournal = Math.max(this.#largestJournal, this.#journal?.bytes ?? 0);
    await this.#begin(await this.#createJournal());
    const entries = this.#options.format.dump(this.data);
    this.#checkpointing = this.#writeCheckpoint(this.#generation, entries)
      .catch((error: unknown) => {
        this.#options.log.write("warn", "store", { message: `a checkpoint could not be written: ${reasonOf(error)}` });
      })
      .finally(() => {
        this.#checkpointing = undefined;
      });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
