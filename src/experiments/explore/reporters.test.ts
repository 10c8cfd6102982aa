import { expect, it } from "vitest";
import { plainStyle } from "../../kernel/messages/report.js";
import type { FaultName } from "./faults.js";
import { type ExploreReport, type ExploreRun, countVerdicts } from "./report.js";
import { renderPretty } from "./reporters.js";

const payout = { kind: "transfer", of: "+2250700000010", amount: 5000 } as const;

function runOf(
  id: string,
  fault: FaultName,
  verdict: ExploreRun["verdict"],
  change: Partial<ExploreRun> = {},
): ExploreRun {
  return {
    id,
    after: null,
    point: { name: "createTransaction#1", operation: "createTransaction", ordinal: 1, about: "salary-1" },
    fault,
    verdict,
    exitCode: 1,
    ms: 1,
    summary: `Summary ${id}.`,
    findings: [],
    effect: { added: [], missing: [] },
    requests: [],
    fix: null,
    repeat: null,
    rules: [],
    output: null,
    ...change,
  };
}

function blocksOf(runs: readonly ExploreRun[]): string[] {
  const baseline = { exitCode: 0, ms: 1, requests: 1, deliveries: 0, repeatable: true };
  const counts = countVerdicts(runs, 0);
  const report: ExploreReport = {
    verb: "explore",
    command: ["pay"],
    seed: 1,
    baseline,
    runs,
    counts,
    stopped: null,
    notes: [],
  };
  return renderPretty(report, plainStyle).split("\n\n");
}

it("shows one crash in full, and names the others", () => {
  const faults = [
    "answer-lost",
    "500-after",
    "answer-cut",
    "slow",
    "request-lost",
    "500-before",
    "503",
    "429",
  ] as const;
  const [crash = "", table] = blocksOf(faults.map((fault, at) => runOf(`0${at + 1}`, fault, "crashed")));
  expect(crash).toMatch(
    /^crashed {2}answer-lost at createTransaction#1 \(salary-1\)\n {2}Summary 01\.\n {2}Also 500-after at/,
  );
  expect(crash.replaceAll(/\s+/g, " ")).toContain("503 at createTransaction#1 (salary-1): 07; 1 more");
  expect(table).toContain("createTransaction#1  C C C C C C C C");
});

it("shows apart what paid twice and what did not by chance", () => {
  const paidTwice = { effect: { added: [payout], missing: [] } };
  const [moved, notMoved] = blocksOf([
    runOf("01", "answer-lost", "unsafe", paidTwice),
    runOf("02", "500-after", "unsafe", paidTwice),
    runOf("03", "500-before", "unsafe"),
  ]);
  expect(moved).toContain("Also 500-after at createTransaction#1 (salary-1): 02");
  expect(notMoved).toContain("Summary 03.");
});
