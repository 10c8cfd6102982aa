import { describe, expect, it } from "vitest";
import { renderJunit } from "../../src/scenarios/reporters.js";
import fc, { runs } from "../support/fast-check.js";
import { attacked, failed, resultOf, summaryOf } from "../support/scenario-results.js";
import { parseJunit } from "../support/junit.js";

describe("junit", () => {
  it("is well-formed for hostile names and messages", () => {
    const root = parseJunit(renderJunit(attacked));
    expect(root.children[0]?.children[0]?.attributes["name"]).toBe(
      `</testcase> ]]> & "it" 'is' # SKIP %0A::error:: ::error file=a::b \\u0007\\u001b[31mred\\u0000\uFFFD\uFFFD \\# é☕`,
    );
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (name) => {
        const { children } = parseJunit(
          renderJunit(summaryOf(resultOf({ name, outcome: "failed", failure: { ...failed, message: name } }))),
        );
        expect(children).toHaveLength(1);
      }),
      { numRuns: runs(100) },
    );
  });
});
