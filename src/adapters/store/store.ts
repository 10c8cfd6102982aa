/** Where the companies' records live. `data` is the truth. A store that keeps it on disk is notified of each change. */
export interface Store<Data> {
  readonly data: Data;
  /** Grows with each change. Compare it before and after some work to see whether the work changed anything. */
  readonly position: number;
  /** Keeps a change that `data` already contains. The values in it must not change later. */
  note(entry: StoreEntry): void;
  /**
   * Resolves once everything noted so far is kept; undefined when it already is. Rejects with StoreUnavailable when it cannot be kept, but only for a
   * caller that has `changed` something (default): reading goes on.
   */
  durable(changed?: boolean): Promise<void> | undefined;
  /** Call it before a change: rejects with StoreUnavailable while nothing can be kept, so that nothing is done by halves. */
  writable(): Promise<void> | undefined;
  close(): Promise<void>;
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

/** The disk is full or the folder is gone: a change could not be kept. The message names the failure and what to do. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
}

/** Keeps nothing: the data ends with the process. */
export function createMemoryStore<Data>(data: Data): Store<Data> {
  return {
    data,
    position: 0,
    note: () => undefined,
    durable: () => undefined,
    writable: () => undefined,
    close: async () => undefined,
  };
}
