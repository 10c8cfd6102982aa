import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import type { Instant } from "./instant.js";

/** The machine's time and timers. The only file of the project that may ask for either. */
export interface SystemClock {
  /** Milliseconds since the epoch. */
  now(): Instant;
  /** A reading that never decreases, for latencies, in milliseconds. */
  monotonic(): number;
  /** Runs `task` once after at least `delayMs`; the returned function cancels. Never keeps the process alive. */
  after(delayMs: number, task: () => void): () => void;
  /** Resolves after at least `delayMs`, and rejects as soon as the signal is aborted. Keeps the process alive. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
  /** Lets other work of the process (requests, receivers' answers) run. */
  yieldToEventLoop(): Promise<void>;
}

/** setTimeout counts in 32 bits; a longer wait would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Read once, at the start: tests that replace the global function with a fake, as Vitest and Jest do by default, would stop every request. */
const inNextTurn = setImmediate;

export const systemClock: SystemClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, Math.min(Math.max(0, delayMs), LONGEST_TIMER_MS));
    timer.unref();
    return () => clearTimeout(timer);
  },
  sleep: (delayMs, signal) => sleep(Math.min(Math.max(0, delayMs), LONGEST_TIMER_MS), undefined, { signal }),
  yieldToEventLoop: () => new Promise((resolve) => inNextTurn(resolve)),
};

/** The delays of the event loop since the last call. */
export type LoopDelay = () => { readonly p50Ms: number; readonly p99Ms: number; readonly maxMs: number };

/** Starts to measure, until the process ends. Does not keep the process alive. */
export function watchLoopDelay(): LoopDelay {
  const delays = monitorEventLoopDelay({ resolution: LOOP_TIMER_MS });
  delays.enable();
  // The histogram has the times between two runs of its timer.
  const delayOf = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - LOOP_TIMER_MS);
  return () => {
    const measured = {
      p50Ms: delayOf(delays.percentile(50)),
      p99Ms: delayOf(delays.percentile(99)),
      maxMs: delayOf(delays.max),
    };
    delays.reset();
    return measured;
  };
}

const LOOP_TIMER_MS = 10;
