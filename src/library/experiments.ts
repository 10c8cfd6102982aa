import type * as z from "zod";
import type { DurationInput } from "../domain/profile/profile.js";
import type { ExploreReport } from "../experiments/explore/report.js";
import type { VaryReport } from "../experiments/vary/report.js";
import { differ } from "../experiments/run/differ.js";
import type { Ended, RunLimits, RunOnce } from "../experiments/run/experiment.js";
import { watch } from "../experiments/run/observe.js";
import { Inconclusive } from "../experiments/run/run-baseline.js";
import { show } from "../domain/profile/setting-problems.js";
import { isObject } from "../kernel/messages/json.js";
import { messageOf, UsageError } from "../kernel/messages/problem.js";
import { parseDuration } from "../kernel/time/duration.js";
import { systemClock } from "../kernel/time/system-clock.js";
import { openSandbox } from "./create-sandbox.js";
import type { Sandbox } from "./sandbox-handle.js";
import { type SandboxOptions, checkOptions, durationAbove0, names, valueThat } from "./sandbox-options.js";

/** The function that is run again and again, each time with a fresh sandbox. A rejection counts as a failure. */
export type Experiment = (sandbox: Sandbox) => unknown;

/** Options of both `explore` and `vary`. */
interface ExperimentOptions {
  /** The options of each sandbox. The default `seed` is 1. */
  readonly sandbox?: SandboxOptions;
  /** The largest number of runs. Default: all. */
  readonly maxRuns?: number;
  /** No run begins after this real time. Default: no limit. */
  readonly time?: DurationInput;
  /** How long a run may take. Default: ten times as long as the run without a difference, and at least `10s`. */
  readonly timeout?: DurationInput;
  /** How many runs go on at the same time. Default 1. */
  readonly workers?: number;
  /** An invariant that must hold after each run. If it does not hold, the function throws, rejects, or returns or resolves to `false`. */
  readonly check?: (sandbox: Sandbox) => unknown;
  /** Ends the experiment early. The report then has what is known so far. */
  readonly signal?: AbortSignal;
}

/** The options of `explore`. */
export interface ExploreOptions extends ExperimentOptions {
  /** Only these faults (`answer-lost`), points (`createTransaction#2`), operations and topics. */
  readonly only?: readonly string[];
  /** All except these. */
  readonly skip?: readonly string[];
  /** With 2, faults are also tried at the requests that the recovery from another fault adds. Default 1. */
  readonly depth?: 1 | 2;
}

/**
 * Runs a function again and again, each time with a fresh sandbox and one fault at one point of the traffic, and reports which fault makes it pay
 * twice, lose a payment or hang. Rejects with `UsageError` for wrong options, when the function fails without a fault or calls nothing, and when
 * `only` and `skip` leave no fault.
 *
 * @example
 * ```ts
 * const report = await explore(async (sandbox) => paySalaries(sandbox.url, sandbox.accessToken));
 * const bugs = report.runs.filter(({ verdict }) => verdict === "unsafe").map(({ summary }) => summary);
 * ```
 */
export async function explore(run: Experiment, options: ExploreOptions = {}): Promise<ExploreReport> {
  return inSandboxes("explore", run, options, exploreFields, async (runOnce, given) => {
    const { only = [], skip = [], depth = 1 } = options;
    const engine = await import("../experiments/explore/explore.js");
    const settings = { ...given, only, skip, depth };
    const plan = await engine.planExploration(runOnce, settings);
    if (plan.faults.length === 0) throw new Inconclusive("Nothing was tried: only and skip leave no fault.");
    return engine.explore(runOnce, plan, settings);
  });
}

/** The options of `vary`. */
export interface VaryOptions extends ExperimentOptions {
  /** Only these settings (`transfers.settlement`), or groups of them (`transfers`). */
  readonly only?: readonly string[];
  /** All except these. */
  readonly skip?: readonly string[];
  /** Whether to try two settings at a time as well, out of those that make no difference alone. Default false. */
  readonly pairs?: boolean;
}

/**
 * Runs a function again and again, each time with another choice for one open point of the contract, and reports which choices it depends on, and what
 * to ask the provider. Rejects with `UsageError` for wrong options, when the function fails with the settings as they are or calls nothing, and when
 * it reads none of the settings.
 *
 * @example
 * ```ts
 * const { questions } = await vary(async (sandbox) => paySalaries(sandbox.url, sandbox.accessToken));
 * ```
 */
export async function vary(run: Experiment, options: VaryOptions = {}): Promise<VaryReport> {
  return inSandboxes("vary", run, options, varyFields, async (runOnce, given) => {
    const { only = [], skip = [], pairs = false } = options;
    const engine = await import("../experiments/vary/vary.js");
    const settings = { ...given, only, skip, pairs };
    const plan = await engine.planVariations(runOnce, settings);
    if (plan.variations.length === 0)
      throw new Inconclusive("Nothing was varied: the function reads none of the settings that were asked for.");
    return engine.vary(runOnce, plan, settings);
  });
}

type Given = ReturnType<typeof settingsOf>;

async function inSandboxes<Report>(
  verb: string,
  run: Experiment,
  options: ExperimentOptions,
  fields: Readonly<Record<string, z.ZodType>>,
  work: (runOnce: RunOnce, given: Given) => Promise<Report>,
): Promise<Report> {
  const isRunnable = typeof run === "function";
  checkOptions(verb, options, fields, isRunnable ? [] : [`what is run must be a function, got ${show(run)}.`]);
  const runner = createRunner(run, options);
  try {
    return await work(runner.run, settingsOf(run, options));
  } catch (error) {
    if (!(error instanceof Inconclusive)) throw error;
    throw new UsageError("cannot-run", `Failed to ${verb}: ${error.message}`, { cause: runner.failure ?? error });
  }
}

function settingsOf(run: Experiment, { sandbox, maxRuns, time, timeout, workers = 1, signal }: ExperimentOptions) {
  return {
    command: [run.name === "" ? "function" : run.name],
    seed: sandbox?.seed ?? SEED_DEFAULT,
    system: systemClock,
    workers,
    maxRuns,
    timeMs: time === undefined ? undefined : parseDuration(time),
    timeoutMs: timeout === undefined ? undefined : parseDuration(timeout),
    signal: signal ?? new AbortController().signal,
  };
}

const SEED_DEFAULT = 1;

function createRunner(run: Experiment, { sandbox: options, check }: ExperimentOptions) {
  const runner = {
    /** What the function rejected with last. */
    failure: undefined as unknown,
    run: async (experiment: Parameters<RunOnce>[0], limits: RunLimits) => {
      const { core, sandbox } = await openSandbox({ seed: SEED_DEFAULT, ...options }, (resolved) =>
        differ(resolved, experiment),
      );
      let printed = "";
      const note = (error: unknown): void => {
        runner.failure = error;
        printed = core.redactor.text(messageOf(error));
      };
      try {
        const finish = watch(core);
        const ended = await runWithin(limits, async () => void (await run(sandbox)), note);
        const seen = await finish();
        const holds = check === undefined ? null : await invariantHolds(check, sandbox, limits, note);
        return { ...ended, printed, seen, holds };
      } finally {
        await sandbox.close();
      }
    },
  };
  return runner;
}

/** Whether the invariant holds. A failed assertion throws. One that is not known in time does not hold. */
async function invariantHolds(
  check: NonNullable<ExperimentOptions["check"]>,
  sandbox: Sandbox,
  limits: RunLimits,
  note: (error: unknown) => void,
): Promise<boolean> {
  let holds = false;
  const { timedOut } = await runWithin(
    limits,
    async () => {
      holds = (await check(sandbox)) !== false;
    },
    note,
  );
  if (timedOut) note(new Error(`The check did not end within ${limits.timeoutMs / 1000} s.`));
  return holds;
}

/** A run that does not end in time goes on, and finds its sandbox closed. */
async function runWithin(
  { timeoutMs, signal }: RunLimits,
  run: () => Promise<void>,
  note: (error: unknown) => void,
): Promise<Ended> {
  const startedAt = systemClock.monotonic();
  const ended = await new Promise<Pick<Ended, "exitCode" | "timedOut">>((resolve) => {
    const end = (exitCode: number | null, timedOut = false): void => {
      cancel();
      signal.removeEventListener("abort", abort);
      resolve({ exitCode, timedOut });
    };
    const abort = (): void => end(1);
    const cancel = systemClock.after(timeoutMs, () => end(null, true));
    signal.addEventListener("abort", abort);
    if (signal.aborted) return abort();
    run().then(
      () => end(0),
      (error: unknown) => {
        note(error);
        end(1);
      },
    );
  });
  return { ...ended, crash: null, ms: systemClock.monotonic() - startedAt };
}

const positive = valueThat("a whole number from 1", (value) => Number.isSafeInteger(value) && Number(value) >= 1);

const commonFields: Readonly<Record<keyof ExperimentOptions, z.ZodType>> = {
  sandbox: valueThat("the options of a sandbox", isObject),
  maxRuns: positive,
  time: durationAbove0,
  timeout: durationAbove0,
  workers: positive,
  check: valueThat("a function", (value) => typeof value === "function"),
  signal: valueThat("an AbortSignal", (value) => value instanceof AbortSignal),
};

const exploreFields: Readonly<Record<keyof ExploreOptions, z.ZodType>> = {
  ...commonFields,
  only: names,
  skip: names,
  depth: valueThat("1 or 2", (value) => value === 1 || value === 2),
};

const varyFields: Readonly<Record<keyof VaryOptions, z.ZodType>> = {
  ...commonFields,
  only: names,
  skip: names,
  pairs: valueThat("true or false", (value) => typeof value === "boolean"),
};
