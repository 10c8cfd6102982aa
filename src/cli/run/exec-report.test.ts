import { describe, expect, it } from "vitest";
import { acceptedProfile } from "../../../test/support/profiles.js";
import { createWorld } from "../../domain/model/work.js";
import { type Coverage, counted, mergeCoverage, summarize } from "../../sandbox/coverage/coverage-report.js";
import { WIDTH_MAX } from "../shared/output.js";
import { renderCoverageTable } from "./exec-report.js";
import { CoverageTally } from "../../sandbox/coverage/coverage-tally.js";

const nothing: Coverage = new CoverageTally().report(createWorld());

function met(coverage: Coverage): Coverage {
  const all = <Item extends object>(items: readonly Item[]) => items.map((item) => ({ ...item, ...counted(1) }));
  return summarize({
    operations: all(coverage.operations),
    transitions: all(coverage.transitions),
    causes: all(coverage.causes),
    topics: all(coverage.topics),
    rules: all(coverage.rules),
    openPoints: all(coverage.openPoints),
  });
}

describe("renderCoverageTable", () => {
  it("has a line for each section, then a few lines of uncovered items", () => {
    const lines = renderCoverageTable(nothing).split("\n");
    expect(lines.slice(0, 7)).toEqual([
      expect.stringMatching(/^Coverage of the contract {3}0\/\d+ {2}0 %$/),
      expect.stringMatching(/^ {2}Operations and statuses {2}0\/\d+$/),
      expect.stringMatching(/^ {2}Transitions {14}0\/\d+$/),
      expect.stringMatching(/^ {2}Error causes {13}0\/\d+$/),
      "  Topics acknowledged      0/4",
      expect.stringMatching(/^ {2}Open points touched {6}0\/\d+$/),
      "Never answered:",
    ]);
    expect(lines.length).toBeLessThan(30);
    expect(lines.filter((line) => line.length > WIDTH_MAX)).toEqual([]);
  });

  it("counts the items that it does not show", () => {
    const lines = renderCoverageTable(nothing).split("\n");
    const from = lines.indexOf("Never the reason:");
    const shown = lines.slice(from + 1, from + 4).flatMap((line) => line.trim().split(", "));
    expect(lines[from + 4]).toBe(`  … and ${nothing.causes.length - shown.length} more`);
    expect(shown[0]).toBe("invalid_request (400)");
  });

  it("is short when everything is covered", () => {
    expect(renderCoverageTable(met(nothing)).split("\n")).toEqual([
      expect.stringMatching(/^Coverage of the contract {3}(\d+)\/\1 {2}100 %$/),
      ...Array.from({ length: 5 }, () => expect.stringMatching(/^ {2}\S.* (\d+)\/\1$/)),
    ]);
  });

  it("truncates an item that is too long for a line", () => {
    const rule = { name: `a\n${"b".repeat(200)}`, on: "request", match: {}, then: {}, ...counted(0) } as const;
    const line = renderCoverageTable({ ...met(nothing), rules: [rule] })
      .split("\n")
      .at(-1);
    expect(line).toMatch(/^ {2}"a b+…$/);
    expect(line).toHaveLength(WIDTH_MAX);
  });
});

describe("mergeCoverage", () => {
  it("counts each covered item once", () => {
    const all = met(nothing);
    const both = mergeCoverage([nothing, all, all]);
    expect(both.percent).toBe(100);
    expect(both.total).toBe(nothing.total);
    expect(both.operations.every(({ count }) => count === 2)).toBe(true);
    expect(mergeCoverage([nothing])).toEqual(nothing);
  });

  it("rounds down, so that only full coverage is 100", () => {
    const all = met(nothing);
    const operations = all.operations.map((item, at) => (at === 0 ? { ...item, ...counted(0) } : item));
    const { percent, met: count, total } = summarize({ ...all, operations });
    expect(count).toBe(total - 1);
    expect(percent).toBeLessThan(100);
    expect(Math.round(percent * 10)).toBe(Math.floor((count * 1000) / total));
  });

  it("separates different values of a setting, in the order of the table", () => {
    const tally = new CoverageTally();
    tally.adopt(acceptedProfile({ charges: { ttl: "5m" } }).overrides);
    const { openPoints } = mergeCoverage([nothing, tally.report(createWorld())]);
    const at = openPoints.findIndex(({ setting }) => setting === "charges.ttl");
    expect(openPoints.slice(at, at + 2).map(({ value, isDefault }) => [value, isDefault])).toEqual([
      ["1h", true],
      ["5m", false],
    ]);
    expect(openPoints).toHaveLength(nothing.openPoints.length + 1);
  });
});
