import { type Effect, type Fact, type FactKey, compareFacts, findStableView, withoutGenerated } from "./effect.js";
import type { RunResult } from "./experiment.js";
import type { Seen, SeenRequest } from "./observe.js";
import { surplus } from "../../kernel/collections.js";

/** All verdicts, the worst first. */
export const verdicts = ["unsafe", "lost", "hung", "crashed", "noticed", "safe"] as const;
export type Verdict = (typeof verdicts)[number];

export const bugVerdicts: readonly Verdict[] = ["unsafe", "lost", "hung", "crashed"];

/** What two runs without a fault have in common, and what is left out of comparisons because it is new in each run. */
export interface Baseline {
  readonly result: RunResult;
  /** What the first run had, with only those requests and webhooks whose names both runs had. */
  readonly points: Seen;
  /** Undefined means that effects cannot be compared. */
  readonly key: FactKey | undefined;
  readonly isRepeatable: boolean;
  /** Whether both runs had the same requests in the same order, repeated reads aside. */
  readonly isOrdered: boolean;
  /** Removes from a reference or externalId what is generated anew in each run. */
  readonly stableName: (name: string) => string;
  /** What cannot be judged, or only in part. */
  readonly notes: readonly string[];
}

/** `one` and `two` are runs without a fault. */
export function findBaseline(one: RunResult, two: RunResult): Baseline {
  const view = findStableView(one.seen.facts, two.seen.facts);
  const unstable = "Payouts and charges differ from run to run: only findings and how the command ends are judged.";
  const notes = view === undefined ? [unstable] : view.note === null ? [] : [view.note];
  const [first, second] = [trafficOf(one.seen), trafficOf(two.seen)];
  const isSameTraffic =
    JSON.stringify(first.map((keys) => keys.toSorted())) === JSON.stringify(second.map((keys) => keys.toSorted()));
  const isOrdered = stepsOf(one.seen) === stepsOf(two.seen);
  const atPlace = "a fault is at what comes at its place, and the report names that.";
  if (!isSameTraffic) notes.push(`Requests or webhooks differ from run to run: ${atPlace}`);
  else if (JSON.stringify(first) !== JSON.stringify(second))
    notes.push(`Requests or webhooks come in another order in each run: ${atPlace}`);
  notes.push(...describeUnlearned(one.seen));
  const critical = one.seen.findings.filter(({ severity }) => severity === "critical").map(({ kind }) => kind);
  if (critical.length > 0)
    notes.push(
      `The command has critical findings as it is: ${[...new Set(critical)].join(", ")}. \`npx business-payments-sandbox exec\` shows them. Here only ` +
        "what comes on top of them is judged.",
    );
  const isRepeatable = isSameTraffic && view?.note === null;
  const points = commonPoints(one.seen, two.seen);
  return {
    result: one,
    points,
    key: view?.key,
    isRepeatable,
    isOrdered,
    stableName: findStableName(one.seen, two.seen),
    notes,
  };
}

/** Says which outcomes are not counted as lost, because the command does not learn them. */
function describeUnlearned({ outcomes }: Seen): string[] {
  const names = [...new Set(outcomes.flatMap(({ learned, request }) => (learned ? [] : [request])))];
  if (names.length === 0) return [];
  if (!outcomes.some(({ learned }) => learned))
    return ["The command learns no outcome of a payout or payment, so one that fails later is not counted as lost."];
  const more = names.length > 5 ? ` and ${names.length - 5} more` : "";
  const which = `how these end: ${names.slice(0, 5).join(", ")}${more}`;
  return [`The command does not learn ${which}. One of them that fails later is not counted as lost.`];
}

/** Generated parts are removed only from names that are not the same in both runs. */
function findStableName(one: Seen, two: Seen): Baseline["stableName"] {
  const namesOf = ({ requests }: Seen) => new Set(requests.map(({ about }) => about));
  const [first, second] = [namesOf(one), namesOf(two)];
  const isGenerated = [...first].some((name) => !second.has(name));
  return (name) => (isGenerated && !(first.has(name) && second.has(name)) ? withoutGenerated(name) : name);
}

function commonPoints(one: Seen, two: Seen): Seen {
  const common = <Part extends { readonly name: string }>(parts: readonly Part[], others: readonly Part[]) => {
    // A set, because the same names occur again after a reset.
    const there = new Set(others.map(({ name }) => name));
    return parts.filter(({ name }) => there.has(name));
  };
  return { ...one, requests: common(one.requests, two.requests), deliveries: common(one.deliveries, two.deliveries) };
}

function trafficOf({ requests, deliveries }: Seen): readonly string[][] {
  return [requests.map(({ key }) => key), deliveries.map(({ key }) => key)];
}

function stepsOf({ requests }: Seen): string {
  return JSON.stringify(requests.flatMap(({ repeats, key }) => (repeats ? [] : [key])));
}

export interface Judgement {
  readonly verdict: Verdict;
  readonly effect: Effect;
  /** Kinds of findings that the baseline does not have, or has less often. */
  readonly findings: readonly string[];
}

/** `toleratesMissing`: a missing effect is no bug, because the command learns no outcome. */
export function judge(baseline: Baseline, run: RunResult, toleratesMissing = false): Judgement {
  const effect = effectOf(baseline, run);
  const matchesBaseline = effect.added.length === 0 && !hasNewOrder(baseline, run.seen);
  const caused = newFindings(baseline.result.seen, run.seen).filter(
    ({ kind }) => kind !== "double-payout" || !matchesBaseline,
  );
  const isUnsafe =
    effect.added.length > 0 || caused.some(({ severity }) => severity === "critical") || run.holds === false;
  const findings = [...new Set(caused.map(({ kind }) => kind))];
  const verdict = isUnsafe ? "unsafe" : verdictOfEnd(run, effect.missing.length > 0 && !toleratesMissing);
  return { verdict, effect, findings };
}

/** Whether the run orders a payout that the baseline does not. Without one, what looks like a repeated payout may be two that the baseline orders too. */
function hasNewOrder({ result, stableName }: Baseline, run: Seen): boolean {
  const [usual, orders] = [ordersOf(result.seen), ordersOf(run)];
  const known = new Set(usual.map(({ key, about }) => `${key} ${stableName(about)}`));
  return (
    surplus(orders, usual, ({ key }) => key).length > 0 ||
    orders.some(({ key, about }) => !known.has(`${key} ${stableName(about)}`))
  );
}

/** Each payout once, however often it is sent. The references of a batch are not known here, so each batch counts. */
function ordersOf({ requests }: Seen): SeenRequest[] {
  const orders = requests.flatMap((request) => {
    const { operation, name, key, about } = request;
    if (operation === "createBatch") return [[name, request] as const];
    return operation === "createTransaction" ? [[`${key} ${about}`, request] as const] : [];
  });
  return [...new Map(orders).values()];
}

function effectOf({ result, key }: Baseline, run: RunResult): Effect {
  if (key === undefined) return { added: [], missing: [] };
  return compareFacts(result.seen.facts, withoutFailures(result, run, key), key);
}

/** The facts of a run, without the pending transfers that fail in the baseline: they moved no money. */
export function withoutFailures(baseline: RunResult, run: RunResult, key: FactKey): Fact[] {
  return surplus(run.seen.facts, baseline.seen.failures, key);
}

function verdictOfEnd({ timedOut, crash, exitCode }: RunResult, isMissing: boolean): Verdict {
  if (timedOut) return "hung";
  if (crash !== null) return "crashed";
  if (exitCode !== 0) return "noticed";
  return isMissing ? "lost" : "safe";
}

export function newFindings(baseline: Seen, run: Seen): Seen["findings"] {
  return surplus(run.findings, baseline.findings, ({ kind }) => kind);
}
