import type { RunResult } from "../run/experiment.js";
import { tellFault } from "./fault-sentences.js";
import type { PlannedFault } from "./faults.js";
import type { Seen, SeenRequest } from "../run/observe.js";
import type { Baseline, Judgement } from "../run/oracle.js";
import { tellEffect } from "../run/tell-effect.js";

/** What is told of a run. */
export interface Told extends Judgement {
  readonly baseline: Baseline;
  readonly result: RunResult;
  /** The faults of the run, in their order. */
  readonly faults: readonly Pick<PlannedFault, "fault" | "point">[];
  /** The real time that a run may take, ms. */
  readonly timeoutMs: number;
}

/** What went wrong, what the command did about it, and what came of it: a paragraph for readers who do not program. */
export function tellRun(told: Told): string {
  const { faults, baseline, result } = told;
  const parts = [
    ...faults.map(tellFault),
    tellReaction(told),
    tellEffect(told.effect, baseline, result),
    tellEnd(told),
  ];
  return parts.filter((part) => part !== "").join(" ");
}

/** Requests of the run that the baseline does not have, or not so often. */
export function addedRequests(baseline: Seen, run: Seen): SeenRequest[] {
  const left = new Map<string, number>();
  for (const { key } of baseline.requests) left.set(key, (left.get(key) ?? 0) + 1);
  return run.requests.filter(({ key }) => {
    const count = left.get(key) ?? 0;
    left.set(key, count - 1);
    return count <= 0;
  });
}

function tellReaction({ faults, baseline, result: { seen } }: Told): string {
  const point = faults.at(-1)?.point;
  const original = seen.requests.find(({ name }) => name === point?.name);
  const added = addedRequests(baseline.result.seen, seen);
  const [again] = original === undefined ? [] : added.filter(({ key }) => key === original.key);
  if (original === undefined || again === undefined) return "";
  if (again.about === original.about) return "The program sent it again, the same.";
  const noun = original.operation === "createCharge" ? "externalId" : "reference";
  const name = baseline.stableName(again.about);
  const shown = name === point?.about ? "" : ` (${name})`;
  return `The program sent it again under a new ${noun}${shown}.`;
}

function tellEnd({ verdict, result, findings, timeoutMs, effect }: Told): string {
  const { exitCode, crash, timedOut, holds, seen } = result;
  const finding = seen.findings.find(({ kind, severity }) => severity === "critical" && findings.includes(kind));
  if (verdict === "unsafe") {
    if (effect.added.length > 0) return exitCode === 0 ? "The program ended as if all were well." : "";
    return finding === undefined && holds === false ? "The invariant of --check does not hold." : (finding?.why ?? "");
  }
  if (timedOut) return `The program was still running after ${timeoutMs / 1000} s, and was stopped.`;
  if (crash !== null) return `The program crashed: ${crash}.`;
  if (verdict === "lost") return "The program ended as if all were well.";
  if (verdict === "noticed")
    return `The program failed with exit code ${exitCode}, and moved no money that it should not.`;
  return "The program ended well, and the books are as they should be.";
}
