import type { CompanyHandle } from "./company-handle.js";
import type { CompanyOptions } from "./sandbox-options.js";

/** A running sandbox, and its first company. */
export interface Sandbox extends CompanyHandle {
  /**
   * Opens one more isolated company, for a parallel test. Defaults are the options of the sandbox. Rejects with `UsageError` for wrong
   * options and a name that is taken.
   *
   * @example
   * ```ts
   * await using company = await sandbox.company({ balance: 50_000 });
   * ```
   */
  company(options?: CompanyOptions): Promise<CompanyHandle>;
  /**
   * Replays scenario files, each in a new company. Rejects with `ScenarioFailed` when one fails: its message has the
   * step, its place in the file, and what differed. Rejects with `UsageError` for files that are wrong, before anything runs.
   *
   * @example
   * ```ts
   * await sandbox.replay("scenarios/charge-dropped.yaml");
   * ```
   */
  replay(...files: string[]): Promise<ReplayReport>;
  /**
   * Stops the sandbox: no more requests and deliveries. `await using` does it too. May be called twice. Rejects if a bug of the sandbox occurred
   * while it ran: then no green test can be trusted.
   *
   * @example
   * ```ts
   * after(() => sandbox.close());
   * ```
   */
  close(): Promise<void>;
}

export interface ReplayReport {
  readonly passed: number;
  readonly skipped: number;
  readonly scenarios: readonly {
    readonly name: string;
    readonly file: string;
    readonly outcome: "passed" | "skipped";
  }[];
}

/** Scenarios that failed. The message has the step of each, its position in the file, and the difference. */
export class ScenarioFailed extends Error {
  override readonly name = "ScenarioFailed";
}
