import type { SystemClock } from "../../src/kernel/time/system-clock.js";

/** A machine whose clock and timers a test controls. */
export interface FakeSystem extends SystemClock {
  /** Lets real time pass. Due timers fire in order, unless they are late. */
  pass(ms: number, timers?: "fire" | "late"): void;
  /** Corrects the machine's clock, without effect on timers. */
  correctTo(instant: number): void;
  /** The remaining time of each timer that has neither fired nor been cancelled. */
  readonly pending: readonly number[];
}

export function createFakeSystem(start = Date.UTC(2026, 0, 15, 9)): FakeSystem {
  let now = start;
  let elapsed = 0;
  const timers = new Set<{ readonly at: number; readonly task: () => void }>();
  const fireDue = (): void => {
    for (const timer of [...timers].sort((a, b) => a.at - b.at)) {
      if (timer.at > elapsed || !timers.delete(timer)) continue;
      timer.task();
    }
  };
  return {
    now: () => now,
    monotonic: () => elapsed,
    after(delayMs, task) {
      const timer = { at: elapsed + Math.max(0, delayMs), task };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    sleep(delayMs) {
      return new Promise((resolve) => this.after(delayMs, resolve));
    },
    yieldToEventLoop: () => new Promise((resolve) => setImmediate(resolve)),
    pass(ms, mode = "fire") {
      now += ms;
      elapsed += ms;
      if (mode === "fire") fireDue();
    },
    correctTo: (instant) => (now = instant),
    get pending() {
      return [...timers].map(({ at }) => at - elapsed);
    },
  };
}
