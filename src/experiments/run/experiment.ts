import type { ProfileOverrides } from "../../domain/profile/settings.js";
import type { Seen } from "./observe.js";

/** A rule as a user writes it: `{on, match, then, times}`. */
export type RuleText = Readonly<Record<string, unknown>>;

/** What is different in one run. Without rules and profile it is a baseline. */
export interface Experiment {
  /** `03`; of a baseline, `baseline-1`. */
  readonly id: string;
  readonly rules: readonly RuleText[];
  /** Settings over those of the baseline. */
  readonly profile?: ProfileOverrides;
}

/** How the command ended. */
export interface Ended {
  /** A shell's code for a signal; null when it was stopped at the time limit. */
  readonly exitCode: number | null;
  /** Why its end counts as a crash; null when it does not. */
  readonly crash: string | null;
  /** It outlived the time limit. */
  readonly timedOut: boolean;
  /** Real time, from its start to its end. */
  readonly ms: number;
}

/** One run: how the command ended, and what the sandbox saw. */
export interface RunResult extends Ended {
  readonly seen: Seen;
  /** Whether the user's invariant held; null without one. */
  readonly holds: boolean | null;
  /** What it printed, cut; of a function, why it was rejected. */
  readonly printed: string;
}

export interface RunLimits {
  readonly timeoutMs: number;
  /** Aborted when everything ends early. */
  readonly signal: AbortSignal;
}

/** Runs the command once beside a fresh sandbox that differs by the experiment. */
export type RunOnce = (experiment: Experiment, limits: RunLimits) => Promise<RunResult>;
