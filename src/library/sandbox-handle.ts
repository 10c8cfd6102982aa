import type { CompanyHandle } from "./company-handle.js";
import type { CompanyOptions } from "./sandbox-options.js";

/** A running sandbox, and its first company. */
export interface Sandbox extends CompanyHandle {
  /**
   * Opens one more isolated world, for a parallel test. What is not given is as in the sandbox's own options. Rejects with `UsageError` for wrong
   * options and a name that is taken.
   *
   * @example
   * ```ts
   * await using company = await sandbox.company({ balance: 50_000 });
   * ```
   */
  company(options?: CompanyOptions): Promise<CompanyHandle>;
  /**
   * Replays scenario files, each in a company of its own. Rejects with `ScenarioFailed` when one does not come out as told: its message has the
   * step, its place in the file, and what differed. Rejects with `UsageError` for files that are wrong, before anything runs.
   *
   * @example
   * ```ts
   * await sandbox.replay("scenarios/charge-dropped.yaml");
   * ```
   */
  replay(...files: string[]): Promise<ReplayReport>;
  /**
   * Stops the whole of it: no new requests, nothing more is delivered. `await using` does it too. May be called twice. Rejects when the sandbox met a bug
   * of its own while it ran: then no green test can be trusted.
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

/** Scenarios that did not come out as told. The message holds each one's step, its place in the file, and what differed. */
export class ScenarioFailed extends Error {
  override readonly name = "ScenarioFailed";
}
