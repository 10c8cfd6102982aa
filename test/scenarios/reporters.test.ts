import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import {
  renderGithub,
  renderJson,
  renderJunit,
  renderResult,
  renderSummary,
  renderTap,
} from "../../src/scenarios/reporters.js";
import { plainStyle } from "../../src/kernel/messages/report.js";
import { attacked, failed, hostile, resultOf, summaryOf } from "../support/scenario-results.js";
import { parseJunit } from "../support/junit.js";
import type { XmlElement } from "../support/xml.js";

const four = summaryOf(
  resultOf({}),
  resultOf({ name: "It fails", outcome: "failed", failure: failed }),
  resultOf({
    name: "It cannot be done",
    file: "other/broken.yaml",
    outcome: "error",
    failure: { ...failed, kind: "error" },
  }),
  resultOf({
    name: "It is left out",
    outcome: "skipped",
    reason: '"advance" needs the sandbox\'s clock (line 3)',
    durationMs: 0,
  }),
);
describe("junit", () => {
  const cases = (suite: XmlElement | undefined): XmlElement[] => suite?.children ?? [];

  it("has a suite for each folder and a case for each scenario, and distinguishes failures from errors", () => {
    const root = parseJunit(renderJunit(four));
    expect(root).toMatchObject({
      name: "testsuites",
      attributes: { tests: "4", failures: "1", errors: "1", time: "1.235" },
    });
    const [scenarios, other] = root.children;
    expect(scenarios?.attributes).toEqual({
      name: "scenarios",
      tests: "3",
      failures: "1",
      errors: "0",
      skipped: "1",
      time: "0.025",
    });
    expect(other?.attributes).toMatchObject({ name: "other", tests: "1", failures: "0", errors: "1" });
    const [passed, failure, skipped] = cases(scenarios);
    expect(passed).toMatchObject({
      name: "testcase",
      attributes: {
        name: "A charge is paid",
        classname: "scenarios/paid.yaml",
        time: "0.012",
      },
      children: [],
    });
    expect(failure?.children).toMatchObject([
      {
        name: "failure",
        attributes: { message: "The answer is not what was expected", type: "GET /v1/balance" },
        text: expect.stringMatching(
          /^scenarios\/paid\.yaml:12:5: GET \/v1\/balance\n[^]*- expected 1\n {4}\+ received 2\n/,
        ),
      },
    ]);
    expect(skipped?.children).toMatchObject([
      { name: "skipped", attributes: { message: /needs the sandbox's clock/ } },
    ]);
    expect(cases(other)[0]?.children).toMatchObject([{ name: "error" }]);
  });
});

describe("tap", () => {
  it("has a line for each scenario, and a block of YAML for what went wrong", () => {
    const lines = renderTap(four).split("\n");
    expect(lines.filter((line) => !line.startsWith("  "))).toEqual([
      "TAP version 14",
      "1..4",
      "ok 1 - A charge is paid",
      "not ok 2 - It fails",
      "not ok 3 - It cannot be done",
      `ok 4 - It is left out # SKIP "advance" needs the sandbox's clock (line 3)`,
      "",
    ]);
    const block = lines.slice(lines.indexOf("  ---") + 1, lines.indexOf("  ..."));
    expect(parse(block.join("\n"))).toEqual({
      severity: "failure",
      at: { file: "scenarios/paid.yaml", line: 12, column: 5 },
      message: expect.stringContaining("- expected 1\n"),
    });
  });

  it("keeps its lines and directives for hostile names and messages", () => {
    const text = renderTap(attacked);
    expect(text.split("\n").filter((line) => !line.startsWith("  "))).toEqual([
      "TAP version 14",
      "1..2",
      expect.stringMatching(/^not ok 1 - <\/testcase> .* \\# SKIP .* \\\\\\# é☕$/),
      expect.stringMatching(/^ok 2 - [^#]*(?:\\#[^#]*)* # SKIP [^#]*(?:\\#[^#]*)*$/),
      "",
    ]);
    const lines = text.split("\n");
    const block = lines.slice(lines.indexOf("  ---") + 1, lines.indexOf("  ..."));
    expect(parse(block.join("\n"))).toMatchObject({ severity: "failure", at: { line: 1 } });
  });
});

describe("json", () => {
  it("has the counts, and everything about each scenario", () => {
    expect(JSON.parse(renderJson(four))).toEqual({
      passed: 1,
      failed: 1,
      error: 1,
      skipped: 1,
      notRun: 0,
      durationMs: 1235,
      seed: 7,
      allowNeverMatched: [],
      scenarios: [
        {
          name: "A charge is paid",
          file: "scenarios/paid.yaml",
          tags: [],
          outcome: "passed",
          durationMs: 12,
          stepsPassed: 3,
          findings: [],
          allowed: [],
          rulesNeverFired: [],
        },
        expect.objectContaining({ name: "It fails", outcome: "failed", failure: { ...failed } }),
        expect.objectContaining({ name: "It cannot be done", outcome: "error", failure: { ...failed, kind: "error" } }),
        expect.objectContaining({
          name: "It is left out",
          outcome: "skipped",
          reason: '"advance" needs the sandbox\'s clock (line 3)',
        }),
      ],
    });
  });

  it("leaves out the parts of webhooks that differ in every run", () => {
    const received = [
      { topic: "charges/events", data: { id: "a" }, headers: { host: "127.0.0.1:41234" }, genuine: true },
    ];
    const text = renderJson(summaryOf(resultOf({ outcome: "failed", failure: { ...failed, received } })));
    expect(JSON.parse(text).scenarios[0].failure.received).toEqual([
      { topic: "charges/events", data: { id: "a" }, genuine: true },
    ]);
  });

  it("is JSON for hostile names and messages, and has a null seed without one", () => {
    const report = JSON.parse(renderJson({ ...attacked, seed: undefined }));
    expect(report.scenarios[0].name).toBe(hostile);
    expect(report.seed).toBeNull();
  });
});

describe("github", () => {
  it("annotates the line of each failure, and lists what was skipped", () => {
    const [failure, error, skipped, ...rest] = renderGithub(four).split("\n");
    expect(failure).toMatch(
      /^::error file=scenarios\/paid\.yaml,line=12,col=5,title=It fails::scenarios\/paid\.yaml:12:5: GET \/v1\/balance%0AThe answer .*%0A {2}body\.balance%0A/,
    );
    expect(error).toMatch(/^::error file=scenarios\/paid\.yaml,line=12,col=5,title=It cannot be done::/);
    expect(skipped).toBe(
      `::notice file=scenarios/paid.yaml,title=Skipped::It is left out: "advance" needs the sandbox's clock (line 3)`,
    );
    expect(rest).toEqual([""]);
  });

  it("is one command for each scenario, for hostile names and messages", () => {
    const lines = renderGithub(attacked).split(/[\n\r]/);
    expect(lines).toHaveLength(3);
    const command = /^::(error|notice) file=([^,:]*)(?:,line=\d+,col=\d+)?,title=([^,:]*)::(.*)$/;
    const [, kind, file, title] = command.exec(lines[0] ?? "") ?? [];
    expect(kind).toBe("error");
    const undo = (text = ""): string =>
      text
        .replaceAll("%3A", ":")
        .replaceAll("%2C", ",")
        .replaceAll("%0D", "\r")
        .replaceAll("%0A", "\n")
        .replaceAll("%25", "%");
    expect(undo(file)).toBe(hostile);
    expect(undo(title)).toContain("%0A::error::");
    expect(lines[1]).toMatch(command);
  });
});

describe("pretty", () => {
  const marked = { ...plainStyle, good: (text: string) => `<g>${text}</g>`, bad: (text: string) => `<r>${text}</r>` };

  it("has a line for each passed or skipped scenario, and all details of a failed one", () => {
    expect(four.results.map((result) => renderResult(result, plainStyle))).toEqual([
      "✓ A charge is paid 12 ms\n",
      `✗ It fails 12 ms
    scenarios/paid.yaml:12:5: GET /v1/balance
    The answer is not what was expected
      body.balance
        - expected 1
        + received 2
      answer   200 {"balance":2}
`,
      expect.stringMatching(/^✗ It cannot be done 12 ms\n/),
      `- It is left out skipped: "advance" needs the sandbox's clock (line 3)\n`,
    ]);
    expect(renderResult(resultOf({}), marked)).toBe("<g>✓</g> A charge is paid 12 ms\n");
  });

  it("ends with a summary", () => {
    expect(renderSummary(four, plainStyle)).toBe(
      "\n1 passed, 1 failed, 1 could not be run to the end, 1 skipped in 1.23 s (seed 7)\n",
    );
    expect(renderSummary({ ...summaryOf(resultOf({})), allowNeverMatched: ["pay-after-drop"] }, plainStyle)).toMatch(
      /\nwarning: allowed, but never found: pay-after-drop\n$/,
    );
    expect(renderSummary({ ...summaryOf(resultOf({})), seed: undefined, notRun: 2 }, plainStyle)).toBe(
      "\n1 passed, 2 not run (--bail) in 1.23 s\n",
    );
    expect(renderSummary({ ...summaryOf(), seed: undefined }, plainStyle)).toBe("\n0 passed in 1.23 s\n");
  });

  it("prints nothing that controls a terminal", () => {
    const text = attacked.results.map((result) => renderResult(result, plainStyle)).join("");
    // eslint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/);
    expect(text).toContain(String.raw`\u001b[31mred`);
    expect(text.split("\n").filter((line) => line.startsWith("::"))).toEqual([]);
  });

  it("cuts texts that are too long to read", () => {
    const body = "x".repeat(10_000);
    const answer = { status: 200, headers: {}, body };
    const received = Array.from({ length: 30 }, (_, index) => ({
      topic: "charges/events",
      data: { index },
      headers: {},
      genuine: true,
    }));
    const text = renderResult(resultOf({ outcome: "failed", failure: { ...failed, answer, received } }), plainStyle);
    expect(text.length).toBeLessThan(5000);
    expect(text).toContain("x…");
    expect(text).toContain("… and 10 more");
  });
});
