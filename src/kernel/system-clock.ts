import type { Instant } from "./instant.js";

/** The machine's time and timers. The only file of the project that may ask for either. */
export interface SystemClock {
  /** Milliseconds since the epoch. */
  now(): Instant;
  /** A reading that only ever grows, for latencies, in milliseconds. */
  monotonic(): number;
  /** Runs `task` once after at least `delayMs`; the returned function cancels. Never keeps the process alive. */
  after(delayMs: number, task: () => void): () => void;
  /** Resolves after at least `delayMs`. Keeps the process alive: somebody waits for it. */
  sleep(delayMs: number): Promise<void>;
  /** Gives other work of the process (requests, answers of receivers) its turn. */
  yieldToEventLoop(): Promise<void>;
}

/** setTimeout counts in 32 bits; a longer wait would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: SystemClock = {
  now: () => Date.now(),
  monotonic() {
    // Not `performance.now()`: the first mention of `performance` has Node 20 load all of node:perf_hooks, a millisecond of every start.
    const [seconds, nanoseconds] = process.hrtime();
    return seconds * 1000 + nanoseconds / 1_000_000;
  },
  after(delayMs, task) {
    const timer = setTimeout(task, Math.min(Math.max(0, delayMs), LONGEST_TIMER_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
  sleep: (delayMs) => new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(0, delayMs), LONGEST_TIMER_MS))),
  yieldToEventLoop: () => new Promise((resolve) => setImmediate(resolve)),
};
