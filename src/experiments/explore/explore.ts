import type { RuleText, RunOnce, RunResult } from "../run/experiment.js";
import { type PlannedFault, type Point, faultsOf } from "./faults.js";
import { type Baseline, type Judgement, bugVerdicts, judge, verdicts } from "../run/oracle.js";
import { type Selection, assertKnown, selectFaults } from "./plan.js";
import { type Budget, Pool } from "../run/pool.js";
import { type ExploreReport, type ExploreRun, type ReportedPoint, countVerdicts } from "./report.js";
import type { SeenDelivery, SeenRequest } from "../run/observe.js";
import { Inconclusive, runBaseline } from "../run/run-baseline.js";
import { type Kept, describeBaseline } from "../run/report-baseline.js";
import { fixOf } from "./fixes.js";
import { addedRequests, happened, summarize } from "./summary.js";

export interface ExploreOptions extends Budget, Selection {
  readonly command: readonly string[];
  readonly seed: number;
  readonly depth: 1 | 2;
  /** Real time that a run may take. Undefined means that the limit is derived from the baseline. */
  readonly timeoutMs: number | undefined;
  /** Keeps the rules of a bug and what the command printed. */
  readonly keep?: (bug: Pick<ExploreRun, "id" | "rules" | "summary">, printed: string) => Promise<Kept>;
  readonly onRun?: (run: ExploreRun, done: number, total: number) => void;
}

/** A fault to run, after the fault that it follows, if any. */
interface Planned extends PlannedFault {
  readonly id: string;
  readonly first: Planned | undefined;
}

/** A baseline, and what can go wrong in it. */
export interface ExplorePlan {
  readonly baseline: Baseline;
  readonly timeoutMs: number;
  readonly faults: readonly Planned[];
  /** How many faults are left out, because they do the same as one of `faults`. */
  readonly equivalent: number;
}

/** Runs the command without a fault, and plans. Throws UsageError when nothing can be planned. */
export async function planExploration(runOnce: RunOnce, options: ExploreOptions): Promise<ExplorePlan> {
  const { baseline, timeoutMs } = await runBaseline(runOnce, options);
  const all = withStableNames(faultsOf(baseline.points, timeoutMs), baseline);
  // The transfers of a batch share one point: each of its faults is run once, at the first transfer.
  const unique = [
    ...new Map(all.toReversed().map((fault) => [`${fault.point.name} ${fault.fault}`, fault])).values(),
  ].toReversed();
  assertKnown(unique, options);
  const selected = selectFaults(unique, options);
  const faults = selected.filter(({ isEquivalent }) => !isEquivalent);
  return { baseline, timeoutMs, faults: numbered(faults, 0, undefined), equivalent: selected.length - faults.length };
}

function withStableNames(faults: readonly PlannedFault[], { stableName }: Baseline): PlannedFault[] {
  return faults.map((fault) => ({ ...fault, point: { ...fault.point, about: stableName(fault.point.about) } }));
}

function numbered(faults: readonly PlannedFault[], from: number, first: Planned | undefined): Planned[] {
  return faults.map((fault, at) => ({ ...fault, id: String(from + at + 1).padStart(2, "0"), first }));
}

/** Runs the command once for each fault, and judges by the sandbox's records what each run did. Throws {@link Inconclusive} when no fault happened. */
export async function explore(runOnce: RunOnce, plan: ExplorePlan, options: ExploreOptions): Promise<ExploreReport> {
  const session: Session = { runOnce, plan, options };
  const pool = new Pool<Finished>(options, ({ run }, done, total) => options.onRun?.(run, done, total));
  const finished = await pool.run(plan.faults, (fault) => runFault(session, fault));
  const recovery = options.depth === 1 ? { faults: [], equivalent: 0 } : planRecovery(plan, finished, options);
  const all = [...finished, ...(await pool.run(recovery.faults, (fault) => runFault(session, fault)))];
  if (all.length > 0 && !all.some(({ fault, result }) => happened(fault, result))) throw new Inconclusive(NO_FAULT);
  const runs = all.map(({ run }) => run);
  const { command, seed } = options;
  return {
    verb: "explore",
    command,
    seed,
    baseline: describeBaseline(plan.baseline),
    runs,
    counts: countVerdicts(runs, plan.equivalent + recovery.equivalent),
    stopped: pool.stopped,
    notes: [...plan.baseline.notes, ...noteUnreached(all)],
  };
}

const NO_FAULT =
  "No fault happened in any run. Does the command remove all rules (DELETE /_sandbox/rules), or put in a state without them? The faults are rules: " +
  "remove your own by their ids.";

/** Without this note, a verdict would seem to be about a fault that did not happen. */
function noteUnreached(finished: readonly Finished[]): string[] {
  const unreached = finished.filter(({ fault, result }) => !happened(fault, result)).map(({ run }) => run.id);
  if (unreached.length === 0) return [];
  return [
    `${unreached.join(", ")}: the run did not reach the point of its fault, so the fault did not happen and its verdict says nothing about it.`,
  ];
}

interface Finished {
  readonly fault: Planned;
  readonly run: ExploreRun;
  readonly result: RunResult;
}

/** Plans faults at the requests that the command adds to recover from another fault, such as retries and look-ups. */
function planRecovery(plan: ExplorePlan, finished: readonly Finished[], options: ExploreOptions) {
  const baseline = plan.baseline.result.seen;
  const known = new Set<string>();
  const faults: Planned[] = [];
  let equivalent = 0;
  for (const { fault, run, result } of finished) {
    if (run.verdict !== "safe" && run.verdict !== "noticed") continue;
    const added = new Set(addedRequests(baseline, result.seen).map(({ name }) => name));
    const all = withStableNames(faultsOf(result.seen, plan.timeoutMs), plan.baseline);
    const possible = all.filter(({ point }) => added.has(point.name));
    const following = selectFaults(possible, options).filter(({ isEquivalent }) => !isEquivalent);
    const same = signatureOf(result, fault);
    if (known.has(same)) equivalent += following.length;
    else faults.push(...numbered(following, plan.faults.length + faults.length, fault));
    known.add(same);
  }
  return { faults, equivalent };
}

/** Equal for runs with the same effect and, apart from the fault, the same traffic: the command recovers in the same way, so one of them is enough. */
function signatureOf({ seen, exitCode }: RunResult, { point }: Planned): string {
  const requests = seen.requests.map(({ name, key, status }) => (name === point.name ? key : `${key} ${status}`));
  const facts = seen.facts.map(({ kind, amount }) => `${kind} ${amount}`);
  return JSON.stringify([exitCode, requests, seen.deliveries.map(({ key }) => key), facts.sort()]);
}

interface Session {
  readonly runOnce: RunOnce;
  readonly plan: ExplorePlan;
  readonly options: ExploreOptions;
}

/** Runs and judges one fault. Undefined when it was stopped before its end. */
async function runFault(session: Session, fault: Planned): Promise<Finished | undefined> {
  const judged = await judgeTwice(session, fault);
  if (judged === undefined) return undefined;
  const run = await reportRun(session, fault, judged);
  // The output may be long, and the results of all runs are kept.
  return { fault, run, result: { ...judged.result, printed: "" } };
}

interface JudgedFault {
  readonly result: RunResult;
  readonly judgement: Judgement;
  /** Whether the first run showed a bug. */
  readonly isBug: boolean;
  /** Whether the first run showed a bug, and the second did not. */
  readonly isFlaky: boolean;
}

/** Judges a run, and runs a bug once more before it is reported. Undefined when the first run was stopped before its end. */
async function judgeTwice(session: Session, fault: Planned): Promise<JudgedFault | undefined> {
  const { runOnce, plan, options } = session;
  const { signal } = options;
  const judgeRun = async (id: string) => {
    const result = await runOnce({ id, rules: rulesOf(fault) }, { timeoutMs: plan.timeoutMs, signal });
    return { result, judgement: judge(plan.baseline, result, fault.toleratesMissing) };
  };
  const found = await judgeRun(fault.id);
  if (signal.aborted) return undefined;
  if (!bugVerdicts.includes(found.judgement.verdict)) return { ...found, isBug: false, isFlaky: false };
  const again = await judgeRun(`${fault.id}-again`);
  if (signal.aborted) return { ...found, isBug: true, isFlaky: false };
  const isFlaky =
    !bugVerdicts.includes(again.judgement.verdict) && !hitAnotherPart(session, fault, [found.result, again.result]);
  // If the two runs show different bugs, report the worse one.
  const isWorse = rankOf(again.judgement) < rankOf(found.judgement);
  return { ...(isWorse ? again : found), isBug: true, isFlaky };
}

async function reportRun(
  { plan, options }: Session,
  fault: Planned,
  { result, judgement, isBug, isFlaky }: JudgedFault,
): Promise<ExploreRun> {
  const { baseline, timeoutMs } = plan;
  const { id, first } = fault;
  const rules = rulesOf(fault);
  const about = happened(fault, result) ? aboutAt(fault, result) : undefined;
  const point = about === undefined ? fault.point : { ...fault.point, about: baseline.stableName(about) };
  const faults = [...(first === undefined ? [] : [first]), { ...fault, point }];
  const summary = summarize({ ...judgement, baseline, result, faults, timeoutMs });
  const kept = isBug ? await options.keep?.({ id, rules, summary }, result.printed) : undefined;
  return {
    id,
    after: first === undefined ? null : { id: first.id, point: first.point.name, fault: first.fault },
    point: reportedPoint(point),
    fault: fault.fault,
    verdict: isFlaky ? "flaky" : judgement.verdict,
    exitCode: result.exitCode,
    ms: Math.round(result.ms),
    summary: isFlaky ? `${summary} The same run a second time did not show it.` : summary,
    findings: judgement.findings,
    effect: judgement.effect,
    requests: isBug ? describeRequests(baseline, result, point) : [],
    fix: fixOf(judgement, fault.fault, result),
    repeat: kept?.repeat ?? null,
    rules,
    output: kept?.output ?? null,
  };
}

/** The request or webhook that the fault hit. Unless the order is fixed, it may differ from the one that the baseline has at this point. */
function partAt({ point }: Planned, { seen }: RunResult): SeenRequest | SeenDelivery | undefined {
  return [...seen.requests, ...seen.deliveries].find(({ name }) => name === point.name);
}

/** Whether the fault of the second run hit another request of the baseline. Then the second run says nothing about the first. */
function hitAnotherPart({ plan }: Session, fault: Planned, runs: readonly RunResult[]): boolean {
  const { requests, deliveries } = plan.baseline.result.seen;
  const usual = new Set<string | undefined>([...requests, ...deliveries].map(({ key }) => key));
  const keys = runs.map((run) => partAt(fault, run)?.key);
  return keys[0] !== keys[1] && keys.every((key) => usual.has(key));
}

/** The name of what the fault hit. For an outcome this is the payout or payment, which may be one of a batch. */
function aboutAt(fault: Planned, result: RunResult): string | undefined {
  const { outcome } = fault;
  if (outcome === undefined) return partAt(fault, result)?.about;
  return result.seen.outcomes.find(({ kind, ordinal }) => kind === outcome.kind && ordinal === outcome.ordinal)?.about;
}

function rankOf({ verdict }: Judgement): number {
  return verdicts.indexOf(verdict);
}

function rulesOf({ rule, first }: Planned): RuleText[] {
  return first === undefined ? [rule] : [...rulesOf(first), rule];
}

/** The request of the point, the requests that the fault adds, and all that ask for the same as one of these. */
function describeRequests({ points }: Baseline, { seen }: RunResult, point: Point): string[] {
  const { requests } = seen;
  const own = requests.filter(({ name }) => name === point.name);
  const keys = new Set([...own, ...addedRequests(points, seen)].map(({ key }) => key));
  const related = requests.filter(({ key, about }) => keys.has(key) || about === point.about);
  return related.slice(0, REQUESTS_MAX).map(({ name, about, status, ruled }) => {
    const answer = ruled ? "the fault" : String(status);
    return `${name}${about === "" ? "" : ` (${about})`}: ${answer}`;
  });
}

const REQUESTS_MAX = 10;

function reportedPoint({ name, operation, topic, ordinal, about }: Point): ReportedPoint {
  return operation === undefined ? { name, topic: topic ?? "", ordinal, about } : { name, operation, ordinal, about };
}
