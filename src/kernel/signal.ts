import type { SystemClock } from "./system-clock.js";

/** Wakes everybody who waits for something to change. Carries nothing: who wakes looks for themselves. */
export class Signal {
  readonly #listeners = new Set<() => void>();

  /** Resolves at the next `raise`. Who may stop waiting first takes `nextRaise`, `waitUntil` or `listen`, which leave nothing behind. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      const stop = this.listen(() => {
        stop();
        resolve();
      });
    });
  }

  /** Calls `listener` at every raise until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  raise(): void {
    if (this.#listeners.size === 0) return;
    // As they stand now: who listens again from here waits for the next one.
    const listeners = [...this.#listeners];
    for (const listener of listeners) listener();
  }
}

/** Resolves at the next raise, or after `maxMs` of real time, or when `abort` says so; leaves nothing behind. Who wakes looks for themselves. */
export function nextRaise(
  signal: Signal,
  system: Pick<SystemClock, "after">,
  maxMs: number,
  abort?: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      stop();
      cancel();
      abort?.removeEventListener("abort", done);
      resolve();
    };
    const stop = signal.listen(done);
    const cancel = system.after(maxMs, done);
    abort?.addEventListener("abort", done);
  });
}

/** Looks whether `holds`, now and at every raise. True as soon as it does; false when that took longer than `maxMs` of real time. */
export async function waitUntil(
  signal: Signal,
  holds: () => boolean,
  system: Pick<SystemClock, "after">,
  maxMs: number,
): Promise<boolean> {
  if (holds()) return true;
  if (maxMs <= 0) return false;
  return new Promise((resolve) => {
    const end = (held: boolean): void => {
      stop();
      cancel();
      resolve(held);
    };
    const stop = signal.listen(() => {
      if (holds()) end(true);
    });
    const cancel = system.after(maxMs, () => end(holds()));
  });
}
