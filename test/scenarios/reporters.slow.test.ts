import { describe, expect, it } from "vitest";
import type { Failure } from "../../src/scenarios/run/failure.js";
import type { ReplaySummary, ScenarioResult } from "../../src/scenarios/run/replay.js";
import { renderJunit } from "../../src/scenarios/reporters.js";
import { nothingSeen } from "../../src/scenarios/run/world.js";
import fc, { runs } from "../support/fast-check.js";
import { parseText } from "../support/scenarios.js";
import { type XmlElement, parseXml } from "../support/xml.js";

const scenario = await parseText("steps: [{ settle: }]");

function resultOf(change: Partial<ScenarioResult> & { name?: string; file?: string }): ScenarioResult {
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

function summaryOf(...results: ScenarioResult[]): ReplaySummary {
  const counts = { passed: 0, failed: 0, error: 0, skipped: 0 };
  for (const { outcome } of results) counts[outcome]++;
  return { results, counts, durationMs: 1234.6, seed: 7, notRun: 0 };
}

const failed: Failure = {
  kind: "failure",
  step: "GET /v1/balance",
  position: { file: "scenarios/paid.yaml", line: 12, column: 5 },
  message: "The answer is not what was expected",
  mismatches: [{ path: "body.balance", expected: "1", actual: 2 }],
  answer: { status: 200, headers: { "content-type": "application/json" }, body: { balance: 2 } },
};
/** What a name could try: to be markup, a command, a directive, another line, a colour, or no character at all. */
const hostile = `</testcase> ]]> & "it" 'is' # SKIP %0A::error::\n::error file=a::b\r\u0007\u001B[31mred\u0000\uFFFE\uD800 \\# é☕`;
const attacked = summaryOf(
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

describe("junit", () => {
  const cases = (suite: XmlElement | undefined): XmlElement[] => suite?.children ?? [];

  it("is well-formed for hostile names and messages", () => {
    const root = parseXml(renderJunit(attacked));
    const [first] = cases(root.children[0]);
    expect(first?.attributes["name"]).toBe(
      `</testcase> ]]> & "it" 'is' # SKIP %0A::error:: ::error file=a::b \\u0007\\u001b[31mred\\u0000\uFFFD\uFFFD \\# é☕`,
    );
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (name) => {
        const { children } = parseXml(
          renderJunit(summaryOf(resultOf({ name, outcome: "failed", failure: { ...failed, message: name } }))),
        );
        expect(children).toHaveLength(1);
      }),
      { numRuns: runs(100) },
    );
  });
});
