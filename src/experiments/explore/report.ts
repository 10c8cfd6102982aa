import type { RuleText } from "../run/experiment.js";
import type { Effect } from "../run/effect.js";
import type { FaultName, Point } from "./faults.js";
import { type Verdict, verdicts } from "../run/oracle.js";
import type { StopReason } from "../run/pool.js";

/** What `explore` found. The JSON report has the same members. */
export interface ExploreReport {
  readonly verb: "explore";
  readonly command: readonly string[];
  readonly seed: number;
  readonly baseline: BaselineReport;
  /** In the order in which they were planned: the most dangerous faults first. */
  readonly runs: readonly ExploreRun[];
  readonly counts: Readonly<Record<Verdict | "equivalent" | "flaky", number>>;
  /** Why not everything was run; null when it was. */
  readonly stopped: StopReason | null;
  /** What cannot be judged, or only in part. */
  readonly notes: readonly string[];
}

export interface BaselineReport {
  readonly exitCode: number | null;
  readonly ms: number;
  readonly requests: number;
  readonly deliveries: number;
  readonly repeatable: boolean;
}

export interface ExploreRun {
  readonly id: string;
  /** The fault that came before, in a run with two. */
  readonly after: { readonly id: string; readonly point: string; readonly fault: FaultName } | null;
  readonly point: ReportedPoint;
  readonly fault: FaultName;
  /** `flaky`: a bug that was not seen again in the same run. */
  readonly verdict: Verdict | "flaky";
  readonly exitCode: number | null;
  readonly ms: number;
  /** What happened, as a paragraph. */
  readonly summary: string;
  /** Kinds of findings that the baseline does not have. */
  readonly findings: readonly string[];
  readonly effect: Effect;
  /** The requests that the fault and its consequences are about, oldest first. */
  readonly requests: readonly string[];
  /** How to fix it; null when no finding says so. */
  readonly fix: string | null;
  /** The command line that repeats it; null when it is no bug, and in the library. */
  readonly repeat: string | null;
  /** The rules that make it happen. */
  readonly rules: readonly RuleText[];
  /** The file with what the command printed; null when it was not kept. */
  readonly output: string | null;
}

export type ReportedPoint = Pick<Point, "name" | "ordinal" | "about"> &
  ({ readonly operation: string } | { readonly topic: string });

export function countVerdicts(runs: readonly ExploreRun[], equivalent: number): ExploreReport["counts"] {
  const count = (verdict: ExploreRun["verdict"]): number => runs.filter((run) => run.verdict === verdict).length;
  const counts = Object.fromEntries(verdicts.map((verdict) => [verdict, count(verdict)])) as Record<Verdict, number>;
  return { ...counts, equivalent, flaky: count("flaky") };
}
