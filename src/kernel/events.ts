import type { SystemClock } from "./time/system-clock.js";

type Listener<Event> = (event: Event) => void;

/** How long to wait for an event. */
export interface WaitLimits {
  readonly system: Pick<SystemClock, "after">;
  /** Real time, ms. */
  readonly maxMs: number;
  /** Ends the wait early. */
  readonly abort?: AbortSignal | undefined;
}

/**
 * A typed event emitter: `Events` maps each event's name to its payload. Listeners run synchronously, in the order in which they subscribed. They must
 * not throw, because events are emitted in the middle of other work.
 */
export class EventEmitter<Events extends object> {
  readonly #listeners: { [Name in keyof Events]?: Set<Listener<Events[Name]>> } = {};

  /** Calls `listener` at every such event until the returned function is called. */
  on<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): () => void {
    const listeners = (this.#listeners[name] ??= new Set());
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }

  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    // Copied, so that a listener that is added by another one gets the next event and not this one.
    const listeners = [...(this.#listeners[name] ?? [])];
    for (const listener of listeners) listener(event);
  }

  listenerCount(name: keyof Events): number {
    return this.#listeners[name]?.size ?? 0;
  }

  /** Resolves to true at the first event that `matches`, and to false when a limit is reached before. */
  waitFor<Name extends keyof Events>(
    name: Name,
    matches: (event: Events[Name]) => boolean,
    limits?: WaitLimits,
  ): Promise<boolean> {
    const { system, maxMs, abort } = limits ?? {};
    return new Promise((resolve) => {
      const end = (found: boolean): void => {
        unsubscribe();
        cancel?.();
        abort?.removeEventListener("abort", giveUp);
        resolve(found);
      };
      const giveUp = (): void => end(false);
      const unsubscribe = this.on(name, (event) => {
        if (matches(event)) end(true);
      });
      const cancel = maxMs === undefined ? undefined : system?.after(maxMs, giveUp);
      abort?.addEventListener("abort", giveUp);
    });
  }
}

/** Runs `run`, but rejects with the signal's reason as soon as it is aborted, without waiting for `run`. */
export async function unlessAborted<T>(signal: AbortSignal | undefined, run: () => Promise<T>): Promise<T> {
  if (signal === undefined) return run();
  signal.throwIfAborted();
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    const listener = (): void => reject(signal.reason);
    signal.addEventListener("abort", listener);
    stop = () => signal.removeEventListener("abort", listener);
  });
  try {
    return await Promise.race([aborted, run()]);
  } finally {
    stop();
  }
}

export type Deferred = ReturnType<typeof createDeferred>;

/** A promise and the function that resolves it. */
export function createDeferred() {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
