import type { Effect } from "../run/effect.js";
import type { RuleText } from "../run/experiment.js";
import { type Verdict, verdicts } from "../run/oracle.js";
import type { StopReason } from "../run/pool.js";
import type { BaselineReport } from "../run/report-baseline.js";
import type { FaultName } from "./faults.js";

/** What `explore` found. The JSON report has the same members. */
export interface ExploreReport {
  readonly verb: "explore";
  /** The command with its arguments; in the library, the name of the function. */
  readonly command: readonly string[];
  /** The seed of the identifiers that the sandbox makes. */
  readonly seed: number;
  readonly baseline: BaselineReport;
  /** A run for each fault, the most dangerous first. */
  readonly runs: readonly ExploreRun[];
  readonly counts: Readonly<Record<Verdict | "equivalent" | "flaky", number>>;
  /** Why not everything was run; null when it was. */
  readonly stopped: StopReason | null;
  /** What cannot be judged, or only in part. */
  readonly notes: readonly string[];
}

export interface ExploreRun {
  /** Its place in the plan, such as `03`; also the name of its files. */
  readonly id: string;
  /** The fault that came before, in a run with two. */
  readonly after: { readonly id: string; readonly point: string; readonly fault: FaultName } | null;
  readonly point: ReportedPoint;
  readonly fault: FaultName;
  /** `flaky`: a bug that the same run a second time did not show. */
  readonly verdict: Verdict | "flaky";
  /** Null when the command was stopped at the time limit. */
  readonly exitCode: number | null;
  readonly ms: number;
  /** What happened, as a paragraph. */
  readonly summary: string;
  /** Kinds of findings that only the fault causes. */
  readonly findings: readonly string[];
  readonly effect: Effect;
  /** The requests that a bug is about, oldest first; empty when it is not a bug. */
  readonly requests: readonly string[];
  /** How to fix it; null when it is not a bug. */
  readonly fix: string | null;
  /** The command line that repeats a bug; null in the library. */
  readonly repeat: string | null;
  /** The rules that make the fault. */
  readonly rules: readonly RuleText[];
  /** The file with what the command printed; null when it is not a bug, and in the library. */
  readonly output: string | null;
}

export interface ReportedPoint {
  /** `createTransaction#2`, `charges/events#1` */
  readonly name: string;
  /** Set for a request. */
  readonly operation?: string | undefined;
  /** Set for a webhook. */
  readonly topic?: string | undefined;
  /** Its number among the requests of the operation, or the webhooks of the topic, from 1. */
  readonly ordinal: number;
  /** For people: a reference, an externalId or a msisdn. */
  readonly about: string;
}

export function countVerdicts(runs: readonly ExploreRun[], equivalent: number): ExploreReport["counts"] {
  const count = (verdict: ExploreRun["verdict"]): number => runs.filter((run) => run.verdict === verdict).length;
  const counts = Object.fromEntries(verdicts.map((verdict) => [verdict, count(verdict)])) as Record<Verdict, number>;
  return { ...counts, equivalent, flaky: count("flaky") };
}
