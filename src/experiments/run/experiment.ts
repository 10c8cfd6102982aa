import type { ProfileOverrides } from "../../domain/profile/settings.js";
import type { Seen } from "./observe.js";

/** A rule as a user writes it: `{on, match, then, times}`. */
export type RuleText = Readonly<Record<string, unknown>>;

/** What is different in one run. Without rules and profile it is a baseline. */
export interface Experiment {
  /** Such as `03`, or `baseline-1` for a baseline. */
  readonly id: string;
  readonly rules: readonly RuleText[];
  /** Settings that override those of the baseline. */
  readonly profile?: ProfileOverrides;
}

/** How the command ended. */
export interface Ended {
  /** For a signal, 128 plus its number, as in a shell; null when the command was stopped at the time limit. */
  readonly exitCode: number | null;
  /** Why its end counts as a crash; null when it does not. */
  readonly crash: string | null;
  /** Whether it was stopped at the time limit. */
  readonly timedOut: boolean;
  /** Real time, from its start to its end. */
  readonly ms: number;
}

/** One run: how the command ended, and what the sandbox saw. */
export interface RunResult extends Ended {
  readonly seen: Seen;
  /** Whether the user's invariant held; null without one. */
  readonly holds: boolean | null;
  /** What the command printed, truncated; for a function, why it was rejected. */
  readonly printed: string;
}

export interface RunLimits {
  readonly timeoutMs: number;
  /** Aborted when all runs must end early. */
  readonly signal: AbortSignal;
}

/** Runs the command once beside a fresh sandbox that differs by the experiment. */
export type RunOnce = (experiment: Experiment, limits: RunLimits) => Promise<RunResult>;
