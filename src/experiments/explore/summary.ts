import type { RunResult } from "../run/experiment.js";
import { surplus } from "../../kernel/collections.js";
import { describeFault, describeUnreached } from "./fault-sentences.js";
import type { FaultName, PlannedFault } from "./faults.js";
import type { Seen, SeenOutcome, SeenRequest } from "../run/observe.js";
import type { Baseline, Judgement } from "../run/oracle.js";
import { describeEffect } from "../run/describe-effect.js";

/** A run that was judged. */
export interface JudgedRun extends Judgement {
  readonly baseline: Baseline;
  readonly result: RunResult;
  /** The faults of the run, in the order in which they happen. */
  readonly faults: readonly Pick<PlannedFault, "fault" | "point" | "rule" | "outcome">[];
  /** The real time that a run may take, ms. */
  readonly timeoutMs: number;
}

/** What went wrong, what the command did about it, and what came of it: a paragraph for readers who do not program. */
export function summarize(run: JudgedRun): string {
  const { faults, effect, baseline, result } = run;
  const parts = [
    ...faults.map((fault) => (happened(fault, result) ? describeFault(fault) : describeUnreached(fault))),
    describeReaction(run),
    describeEffect(effect, baseline, result),
    describeEnd(run),
  ];
  return parts.filter((part) => part !== "").join(" ");
}

/** False when the run did not reach the point of the fault. */
export function happened({ rule, outcome }: Pick<PlannedFault, "rule" | "outcome">, { seen }: RunResult): boolean {
  if (!seen.appliedRules.some((name) => name === rule["name"])) return false;
  // An attempt that is refused for another reason than its test number may have used up the rule, so the outcome itself must have been seen.
  const isSame = ({ kind, ordinal, request }: SeenOutcome) =>
    kind === outcome?.kind && ordinal === outcome.ordinal && request === outcome.request;
  return outcome === undefined || seen.outcomes.some(isSame);
}

/** Requests that the baseline does not have, or has less often than the run: first those about something new, then those that are sent again. */
export function addedRequests(baseline: Seen, run: Seen): SeenRequest[] {
  const subjectOf = ({ key, about }: SeenRequest): string => `${key} ${about}`;
  const usual = new Set(baseline.requests.map(subjectOf));
  const sent = new Set<string>();
  const ranked = run.requests.map((request) => {
    const subject = subjectOf(request);
    const rank = sent.has(subject) ? 2 : usual.has(subject) ? 0 : 1;
    sent.add(subject);
    return { request, rank };
  });
  const ordered = ranked.toSorted((a, b) => a.rank - b.rank).map(({ request }) => request);
  return surplus(ordered, baseline.requests, ({ key }) => key);
}

function describeReaction({ faults, baseline, result: { seen } }: JudgedRun): string {
  const point = faults.at(-1)?.point;
  const original = seen.requests.find(({ name }) => name === point?.name);
  const added = addedRequests(baseline.result.seen, seen);
  const [again] = original === undefined ? [] : added.filter(({ key }) => key === original.key);
  if (original === undefined || again === undefined) return "";
  if (again.about === original.about) return "The program sent the same request again.";
  const noun = original.operation === "createCharge" ? "externalId" : "reference";
  const name = baseline.stableName(again.about);
  const shown = name === point?.about ? "" : ` (${name})`;
  return `The program sent it again under a new ${noun}${shown}.`;
}

function describeEnd(run: JudgedRun): string {
  const { verdict, result, timeoutMs, effect } = run;
  const { exitCode, crash, timedOut } = result;
  if (verdict === "unsafe") {
    if (effect.added.length === 0) return describeDanger(run);
    return exitCode === 0 ? "The program reported success." : "";
  }
  if (timedOut) return `The program was still running after ${timeoutMs / 1000} s, and was stopped.`;
  if (crash !== null) return `The program crashed: ${crash}.`;
  if (verdict === "lost" || (verdict === "safe" && effect.missing.length > 0)) return "The program reported success.";
  if (verdict === "noticed") return `The program failed with exit code ${exitCode}, and moved no money by mistake.`;
  return "The program succeeded, and the money moved as it should.";
}

/** What the command does twice if its first request did its work, by kind of finding. */
const REPETITIONS: Readonly<Record<string, string>> = {
  "double-payout": "pays",
  "batch-repeated": "pays",
  "refund-repeated": "refunds",
};

/** Faults that look the same to the client, but come after the work was done. */
const afterTheWork: { readonly [Name in FaultName]?: FaultName } = {
  "request-lost": "answer-lost",
  "500-before": "500-after",
  "503": "500-after",
};

/** Why a run is unsafe although no money moved that should not. */
function describeDanger({ result: { seen, holds }, findings, faults, baseline }: JudgedRun): string {
  const finding = seen.findings.find(({ kind, severity }) => severity === "critical" && findings.includes(kind));
  if (finding === undefined) return holds === false ? "The invariant of --check does not hold." : "";
  const verb = REPETITIONS[finding.kind];
  if (verb === undefined || baseline.key === undefined) return finding.why;
  const fault = faults.at(-1)?.fault;
  const other = fault === undefined ? undefined : afterTheWork[fault];
  return (
    "No money moved twice in this run, because the first request did nothing. The program cannot know that: when the work was done and only the " +
    `answer is missing${other === undefined ? "" : ` (${other})`}, the same code ${verb} twice.`
  );
}
