import type { SystemClock } from "../../kernel/time/system-clock.js";

export type StopReason = "time" | "max-runs" | "signal";

export interface Budget {
  readonly system: SystemClock;
  readonly workers: number;
  /** How many tasks may begin. Undefined means all. */
  readonly maxRuns: number | undefined;
  /** Real time in which tasks may begin. Undefined means no limit. */
  readonly timeMs: number | undefined;
  /** When it is aborted, no further task begins, and running tasks end. */
  readonly signal: AbortSignal;
}

/** Runs tasks in their order, several at a time, until the budget is used up. */
export class Pool<Result> {
  /** Why not all tasks were begun; null while all were. */
  stopped: StopReason | null = null;
  readonly #budget: Budget;
  readonly #startedAt: number;
  readonly #onEnd: (result: Result, done: number, total: number) => void;
  #begun = 0;
  #done = 0;
  #total = 0;

  /** `onEnd` gets each result, how many results there are so far, and how many tasks. */
  constructor(budget: Budget, onEnd: (result: Result, done: number, total: number) => void) {
    this.#budget = budget;
    this.#startedAt = budget.system.monotonic();
    this.#onEnd = onEnd;
  }

  /** Results in the order of the tasks, without those of tasks that did not begin or did not end (undefined). */
  async run<Task>(tasks: readonly Task[], work: (task: Task) => Promise<Result | undefined>): Promise<Result[]> {
    this.#total += tasks.length;
    const results = tasks.map((): Result | undefined => undefined);
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let index = next++; index < tasks.length; index = next++) {
        this.stopped ??= this.#reasonToStop();
        const task = tasks[index];
        if (this.stopped !== null || task === undefined) return;
        this.#begun++;
        const result = await work(task).catch((error: unknown) => {
          // The error ends all of it, so no worker begins another task.
          next = tasks.length;
          throw error;
        });
        results[index] = result;
        if (result !== undefined) this.#onEnd(result, ++this.#done, this.#total);
        if (this.#budget.signal.aborted) this.stopped = "signal";
      }
    };
    await Promise.all(Array.from({ length: Math.min(this.#budget.workers, tasks.length) }, worker));
    return results.flatMap((result) => (result === undefined ? [] : [result]));
  }

  #reasonToStop(): StopReason | null {
    const { signal, maxRuns, timeMs, system } = this.#budget;
    if (signal.aborted) return "signal";
    if (maxRuns !== undefined && this.#begun >= maxRuns) return "max-runs";
    return timeMs !== undefined && system.monotonic() - this.#startedAt >= timeMs ? "time" : null;
  }
}
