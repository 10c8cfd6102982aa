/** Where the companies' records live. `data` is the truth; a store that keeps it on disk is notified of each change. */
export interface Store<Data> {
  readonly data: Data;
  /** Grows with each change. Compare it before and after some work to see whether the work changed anything. */
  readonly position: number;
  /** How many groups of changes were flushed to the disk. */
  readonly flushes: number;
  /** Aborted when another process has taken over the store. Its reason is the UsageError to end with; nothing can be kept any more. */
  readonly lost: AbortSignal;
  /** Keeps a change that `data` already contains. The values in it must not change later. */
  note(entry: StoreEntry): void;
  /**
   * Resolves once everything noted so far is kept; undefined when it already is. Rejects with StoreUnavailable when it cannot be kept, but only for a
   * caller that has `changed` something (default): reading goes on, unless the store is lost.
   */
  durable(changed?: boolean): Promise<void> | undefined;
  /** Call this before a change. Rejects with StoreUnavailable while nothing can be kept, so that no change is done by halves. */
  writable(): Promise<void> | undefined;
  /** Throws UsageError("cannot-run") when something could not be kept, or the store is lost. */
  close(): Promise<void>;
  /** Closes the store without keeping what was noted since it was opened. Only allowed before anything else has run. */
  discard(): Promise<void>;
}

/** One change, as JSON. Applying it twice has the effect of applying it once. */
export type StoreEntry = readonly [kind: string, ...rest: unknown[]];

/** How a store reads and writes its data. */
export interface StoreFormat<Data> {
  createEmpty(): Data;
  /** Throws when the entry does not belong to this format. */
  apply(data: Data, entry: StoreEntry): void;
  /** All data as it is at the time of the call. */
  dump(data: Data): readonly StoreEntry[];
}

/** A change could not be kept: the disk is full, the folder is gone or another process has the store. The message names the failure and what to do. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
}

/** Resolves when the current change is stored. A failure to store it is reported elsewhere. */
export async function whenStored(store: Pick<Store<unknown>, "durable">): Promise<void> {
  // Wait until the commit is over.
  await Promise.resolve();
  await store.durable()?.catch(() => undefined);
}

/** Rejects with the refusal of a request once everything that it may report is stored, or with StoreUnavailable when the store is lost. */
export async function rejectOnceStored(store: Pick<Store<unknown>, "durable">, refused: unknown): Promise<never> {
  await store.durable(false);
  throw refused;
}

/** Keeps nothing: the data ends with the process. */
export function createMemoryStore<Data>(data: Data): Store<Data> {
  return {
    data,
    position: 0,
    flushes: 0,
    lost: new AbortController().signal,
    note: () => undefined,
    durable: () => undefined,
    writable: () => undefined,
    close: async () => undefined,
    discard: async () => undefined,
  };
}
