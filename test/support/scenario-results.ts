import type { Failure } from "../../src/scenarios/run/failure.js";
import type { ReplaySummary, ScenarioResult } from "../../src/scenarios/run/replay.js";
import { nothingSeen } from "../../src/scenarios/run/world.js";
import { parseText } from "./scenarios.js";

/** Creates input for tests of reporters. */

const scenario = await parseText("steps: [{ settle: }]");

/** The result of a scenario that passed, with these changes. */
export function resultOf(change: Partial<ScenarioResult> & { name?: string; file?: string }): ScenarioResult {
  const { name = "A charge is paid", file = "scenarios/paid.yaml", ...rest } = change;
  return {
    scenario: { ...scenario, name, file },
    outcome: "passed",
    reason: undefined,
    failure: undefined,
    durationMs: 12.345,
    stepsPassed: 3,
    seen: nothingSeen,
    ...rest,
  };
}

export function summaryOf(...results: ScenarioResult[]): ReplaySummary {
  const counts = { passed: 0, failed: 0, error: 0, skipped: 0 };
  for (const { outcome } of results) counts[outcome]++;
  return { results, counts, durationMs: 1234.6, seed: 7, notRun: 0, allowNeverMatched: [] };
}

export const failed: Failure = {
  kind: "failure",
  step: "GET /v1/balance",
  position: { file: "scenarios/paid.yaml", line: 12, column: 5 },
  message: "The answer is not what was expected",
  mismatches: [{ path: "body.balance", expected: "1", actual: 2 }],
  answer: { status: 200, headers: { "content-type": "application/json" }, body: { balance: 2 } },
};

/** A hostile name: it contains markup, commands, a directive, another line, a colour, and invalid characters. */
export const hostile = `</testcase> ]]> & "it" 'is' # SKIP %0A::error::\n::error file=a::b\r\u0007\u001B[31mred\u0000\uFFFE\uD800 \\# é☕`;

/** A summary with the hostile name in every text. */
export const attacked = summaryOf(
  resultOf({
    name: hostile,
    file: `scenarios/${hostile}.yaml`,
    outcome: "failed",
    failure: {
      ...failed,
      step: hostile,
      message: hostile,
      position: { file: hostile, line: 1, column: 1 },
      answer: { status: 200, headers: {}, body: hostile },
    },
  }),
  resultOf({ name: hostile, outcome: "skipped", reason: hostile }),
);
