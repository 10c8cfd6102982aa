import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { bugVerdicts } from "../../src/experiments/run/oracle.js";
import { exploreJson } from "../support/experiments.js";
import { folderWith } from "../support/folder.js";
import { root } from "../support/markdown.js";

const program = (name: string): string[] => [process.execPath, join(root, "examples/double-payout", name)];

it("the lost answer is found within 10 s, and reported in a paragraph", { timeout: 60_000 }, async () => {
  const startedAt = performance.now();
  const { code, report } = await exploreJson(["--max-runs", "1"], program("pay-salaries.mjs"));
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  expect(code).toBe(5);
  expect(report.runs).toMatchObject([{ fault: "answer-lost", verdict: "unsafe" }]);
  expect(report.runs[0]?.summary).toBe(
    "The answer to POST /v1/transactions (salary-2026-01-awa-…) was lost after the payout was made. The program sent it again under a new reference. +2250700000010 received 150 000 XOF twice. The program reported success.",
  );
});

it("the salaries are unsafe exactly where an answer leaves the outcome open", { timeout: 180_000 }, async () => {
  const { report } = await exploreJson(["--workers", "4"], program("pay-salaries.mjs"));
  const found = report.runs.filter(({ verdict }) => verdict !== "safe").map(({ fault, verdict }) => [verdict, fault]);
  const unsafe = ["answer-lost", "500-after", "slow", "request-lost", "500-before", "503"];
  expect(found).toEqual(unsafe.flatMap((fault) => [1, 2].map(() => ["unsafe", fault])));
  const [paidTwice, byChance] = ["answer-lost", "500-before"].map(
    (name) => report.runs.find(({ fault }) => fault === name)?.summary,
  );
  expect(paidTwice).toContain("received 150 000 XOF twice");
  expect(byChance).toContain("No money moved twice in this run, because the first request did nothing.");
});

it("the fixed salaries are clean under every fault of depth 2", { timeout: 600_000 }, async () => {
  const quick = "transfers: { settlement: immediate }\nwebhooks: { retry: fast }\n";
  const profile = join(await folderWith({ "quick.yaml": quick }), "quick.yaml");
  const flags = ["--profile", profile, "--depth", "2", "--workers", "8"];
  const { code, report } = await exploreJson(flags, program("pay-salaries-fixed.mjs"));
  const names: readonly string[] = [...bugVerdicts, "flaky"];
  expect(report.runs.filter(({ verdict }) => names.includes(verdict))).toEqual([]);
  expect(report.runs.filter(({ after }) => after !== null).length).toBeGreaterThan(20);
  expect(code).toBe(0);
});

it("the market of examples/explore pays twice, and is fixed by one line", { timeout: 180_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["examples/explore/walkthrough.mjs"], { cwd: root });
  expect(stdout).toContain("Everything happened as described.");
  const [before, after] = await Promise.all(
    ["market.mjs", "market-fixed.mjs"].map(async (name) => {
      const text = await readFile(join(root, "examples/explore", name), "utf8");
      return text.split("\n").filter((line) => !/^(?: \*|import)/.test(line));
    }),
  );
  expect(after?.filter((line) => !before?.includes(line))).toEqual(["  const reference = `seller-of-${externalId}`;"]);
});
