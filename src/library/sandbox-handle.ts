import type { RunReport } from "../sandbox/run-report.js";
import type { CompanyHandle } from "./company-handle.js";
import type { CompanyOptions } from "./sandbox-options.js";

/** A running sandbox, and its first company. */
export interface Sandbox extends CompanyHandle {
  /**
   * Opens another isolated company, for a parallel test. The defaults are the sandbox's options. Rejects with `UsageError` for wrong options and
   * for a name that is taken.
   *
   * @example
   * ```ts
   * await using company = await sandbox.company({ balance: 50_000 });
   * ```
   */
  company(options?: CompanyOptions): Promise<CompanyHandle>;
  /**
   * Replays scenario files, each in a new company. Rejects with `ScenarioFailed` when one fails. Rejects with `UsageError` for wrong files, before
   * anything runs, and when every scenario was skipped, because it proves nothing.
   *
   * @example
   * ```ts
   * await sandbox.replay("scenarios/charge-dropped.yaml");
   * ```
   */
  replay(...files: string[]): Promise<ReplayReport>;
  /**
   * What the whole run did, with all companies, including those that were reset or closed: requests, webhooks, findings, rules that never fired, and
   * coverage. Available after `close` too.
   *
   * @example
   * ```ts
   * const { requests, findings, rulesNeverFired } = sandbox.report();
   * ```
   */
  report(): RunReport;
  /**
   * Stops the sandbox: no more requests and deliveries. May be called twice. Rejects if a bug of the sandbox occurred while it ran, since test
   * results may then be wrong.
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

/** The message has the step of each failed scenario, its position in the file, and the difference. */
export class ScenarioFailed extends Error {
  override readonly name = "ScenarioFailed";
}
