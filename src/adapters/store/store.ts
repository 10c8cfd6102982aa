/**
 * Where the companies' records live. What is in `data` is the truth; a store that keeps it elsewhere too is told of each change, and says with
 * `durable` when it has it.
 */
export interface Store<Data> {
  readonly data: Data;
  /** Whether it keeps anything: otherwise nobody has to describe what changes. */
  readonly keeps: boolean;
  /** Another after each change it was told of: taken before and after a stretch of work it tells whether that changed anything. */
  readonly position: number;
  /** A change that `data` has seen already. What it holds must not change any more. */
  note(entry: StoreEntry): void;
  /**
   * Resolves once everything noted so far is kept. Undefined when nothing has to be waited for. Rejects with StoreUnavailable when it cannot be
   * kept, unless the caller has `changed` nothing: reading goes on.
   */
  durable(changed: boolean): Promise<void> | undefined;
  /** Before a change: rejects with StoreUnavailable while nothing can be kept, so that nothing is half done. Undefined: go on. */
  writable(): Promise<void> | undefined;
  close(): Promise<void>;
}

/** One change, as JSON. Applied again to what has it already it changes nothing. */
export type StoreEntry = readonly [kind: string, ...rest: unknown[]];

/** How a store reads and writes its data. */
export interface StoreFormat<Data> {
  createEmpty(): Data;
  /** Throws when the entry is none of this format. */
  apply(data: Data, entry: StoreEntry): void;
  /** All of it, as it is at the time of the call; the entries are made as they are asked for. */
  dump(data: Data): Iterable<StoreEntry>;
}

/** The disk is full, the folder is gone: what was changed could not be kept. Says what failed, and what to do. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
}
