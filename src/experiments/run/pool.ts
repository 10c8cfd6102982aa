import type { SystemClock } from "../../kernel/time/system-clock.js";

export type StopReason = "time" | "max-runs" | "signal";

export interface Budget {
  readonly system: SystemClock;
  readonly workers: number;
  /** How many tasks may begin; undefined: all. */
  readonly maxRuns: number | undefined;
  /** Real time in which tasks may begin, ms; undefined: without end. */
  readonly timeMs: number | undefined;
  /** Aborted: nothing more begins, and what runs ends. */
  readonly signal: AbortSignal;
}

/** Runs tasks side by side, in their order, until the budget is used up. */
export class Pool {
  /** Why not all tasks were begun; null while all were. */
  stopped: StopReason | null = null;
  readonly #budget: Budget;
  readonly #startedAt: number;
  #begun = 0;

  constructor(budget: Budget) {
    this.#budget = budget;
    this.#startedAt = budget.system.monotonic();
  }

  /** Results in the order of the tasks; undefined for those that did not begin or did not end. */
  async run<Task, Result>(
    tasks: readonly Task[],
    work: (task: Task) => Promise<Result | undefined>,
  ): Promise<(Result | undefined)[]> {
    const results = tasks.map((): Result | undefined => undefined);
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let index = next++; index < tasks.length; index = next++) {
        this.stopped ??= this.#reasonToStop();
        const task = tasks[index];
        if (this.stopped !== null || task === undefined) return;
        this.#begun++;
        results[index] = await work(task);
        if (this.#budget.signal.aborted) this.stopped = "signal";
      }
    };
    await Promise.all(Array.from({ length: Math.min(this.#budget.workers, tasks.length) }, worker));
    return results;
  }

  #reasonToStop(): StopReason | null {
    const { signal, maxRuns, timeMs, system } = this.#budget;
    if (signal.aborted) return "signal";
    if (maxRuns !== undefined && this.#begun >= maxRuns) return "max-runs";
    return timeMs !== undefined && system.monotonic() - this.#startedAt >= timeMs ? "time" : null;
  }
}
