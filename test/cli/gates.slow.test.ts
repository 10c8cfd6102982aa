import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { runSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { startReceiver } from "../support/receiver.js";
import { root } from "../support/markdown.js";

/** A JavaScript module that pays again under a new reference when there is no answer. */
const doublePayout = `
const { SANDBOX_URL, SANDBOX_ACCESS_TOKEN } = process.env;
const headers = { authorization: "Bearer " + SANDBOX_ACCESS_TOKEN, "content-type": "application/json" };
const pay = (reference) => fetch(SANDBOX_URL + "/v1/transactions", { method: "POST", headers, body: JSON.stringify({ type: "transfer", amount: 5000, msisdn: "+2250700000010", reference }) });
await pay("payout-1").catch(() => pay("payout-2"));
`;

const lostAnswer = `
rules:
  - name: the answer is lost
    on: request
    match: { path: /v1/transactions }
    then: { fault: reset, commit: true }
    times: 1
`;

const node = (code: string): string[] => ["--", process.execPath, "--input-type=module", "--eval", code];

describe("exec --fail-on findings", () => {
  it("exits with 5 and reports the double payment, its requests and the fix", async () => {
    const cwd = await folderWith({ "sandbox.config.yaml": lostAnswer });
    const { code, stderr } = await runSandbox(["exec", "--fail-on", "findings", ...node(doublePayout)], { cwd });
    expect(code, stderr).toBe(5);
    expect(stderr).toContain("1 finding");
    expect(stderr).toContain("critical: double-payout");
    expect(stderr).toContain("5000 XOF to +2250700000010 would have been paid twice");
    expect(stderr).toMatch(/req_1 {2}POST \/v1\/transactions .*payout-1/);
    expect(stderr).toMatch(/req_2 {2}POST \/v1\/transactions .*payout-2/);
    expect(stderr).toMatch(/fix: .*same reference/);
    expect(stderr).toContain("--fail-on findings: there is 1 finding");
  });

  it("reports findings without the gate, and exits with the child's code", async () => {
    const cwd = await folderWith({ "sandbox.config.yaml": lostAnswer });
    const { code, stderr } = await runSandbox(["exec", ...node(doublePayout)], { cwd });
    expect(code).toBe(0);
    expect(stderr).toContain("critical: double-payout");
  });

  it("prefers the child's exit code if it is not 0", async () => {
    const cwd = await folderWith({ "sandbox.config.yaml": lostAnswer });
    const { code } = await runSandbox(["exec", "--fail-on", "findings", ...node(`${doublePayout}; process.exit(9)`)], {
      cwd,
    });
    expect(code).toBe(9);
  });

  it("counts findings from before a reset", async () => {
    const cwd = await folderWith({ "sandbox.config.yaml": lostAnswer });
    const reset = `${doublePayout}; await fetch(SANDBOX_URL + "/_sandbox/reset", { method: "POST" });`;
    const { code } = await runSandbox(["exec", "--fail-on", "findings", ...node(reset)], { cwd });
    expect(code).toBe(5);
  });

  it("exits with 0 without findings, and reports rules that never fired", async () => {
    const cwd = await folderWith({ "sandbox.config.yaml": lostAnswer });
    const { code, stderr } = await runSandbox(["exec", "--fail-on", "findings", ...node("")], { cwd });
    expect(code).toBe(0);
    expect(stderr).toContain('the rule "the answer is lost" never fired');
  });

  it("refuses other gates", async () => {
    const { code, stderr } = await runSandbox(["exec", "--fail-on", "finding", ...node("")]);
    expect(code).toBe(1);
    expect(stderr).toContain('--fail-on must be findings, not "finding"');
  });
});

it("examples/double-payout runs as described", async () => {
  const run = promisify(execFile)(process.execPath, ["examples/double-payout/story.mjs"], { cwd: root });
  await expect(run).resolves.toMatchObject({ stdout: expect.stringContaining("It came out as told.") });
});

it("exec leaves the rules of an audit out of the rules that never fired", async () => {
  const receiver = await startReceiver();
  const audit = [`${root}bin/sandbox.js`, "audit", receiver.url, "--check", "echo 1", "--only", "state"];
  const { stderr } = await runSandbox(["exec", "--", process.execPath, ...audit]);
  expect(stderr).toMatch(/[1-9]\d* requests \(/);
  expect(stderr).not.toContain("never fired");
});

describe("exec --fail-under", () => {
  it("exits with 5 below the required coverage, and lists uncovered items", async () => {
    const { code, stderr } = await runSandbox(["exec", "--fail-under", "50", ...node("")]);
    expect(code).toBe(5);
    expect(stderr).toContain("--fail-under 50: 0 % of the contract was met");
    expect(stderr).toContain("POST /v1/transactions");
  });

  it("exits with 0 when coverage is high enough", async () => {
    const { code, stderr } = await runSandbox(["exec", "--fail-under", "0.5", ...node(doublePayout)]);
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/\d+(\.\d)? % of the contract met \(\d+ of \d+\)/);
  });

  it.each(["-1", "101", "all", ""])("refuses %j as a percentage", async (percent) => {
    const { code, stderr } = await runSandbox(["exec", `--fail-under=${percent}`, ...node("")]);
    expect(code).toBe(1);
    expect(stderr).toContain("--fail-under must be a number of per cent from 0 to 100");
  });
});

describe("exec --report", () => {
  it("writes findings and coverage as JSON and Markdown", async () => {
    const cwd = await folderWith({ "sandbox.config.yaml": lostAnswer });
    const { code, stderr } = await runSandbox(["exec", "--report", "out", ...node(doublePayout)], { cwd });
    expect(code, stderr).toBe(0);
    const report = JSON.parse(await readFile(join(cwd, "out/sandbox.json"), "utf8"));
    expect(report).toMatchObject({ requests: 2, findings: [{ kind: "double-payout" }], rulesNeverFired: [] });
    expect(report.coverage.percent).toBeGreaterThan(0);
    expect(await readFile(join(cwd, "out/coverage.md"), "utf8")).toMatch(/^# Coverage/);
  });
});

const scenario = `
name: A refund of more than was paid
steps:
  - request: POST /v1/charges
    body: { amount: 10000, externalId: order-1, description: Shoes, onCanceledRedirectionUrl: https://shop.test/no, onCompletedRedirectionUrl: https://shop.test/yes }
    save: { charge: body.id }
  - rule: { name: never asked, on: transfer, then: { outcome: failed } }
  - request: POST /v1/charges/\${charge}/pay
  - request: POST /v1/charges/\${charge}/refund
    body: { amount: 20000 }
    expect: { status: 400 }
`;

describe("replay --fail-on findings", () => {
  it("exits with 5 when a passed scenario has findings", async () => {
    const cwd = await folderWith({ "scenario.yaml": scenario });
    const { code, stdout, stderr } = await runSandbox(["replay", "scenario.yaml", "--fail-on", "findings"], { cwd });
    expect(code, stdout + stderr).toBe(5);
    expect(stdout).toContain("refund-beyond-paid");
    expect(stdout).toContain('the rule "never asked" never fired');
    expect(stderr).toContain("--fail-on findings");
  });

  it("exits with 0 without the gate, and the JSON has both", async () => {
    const cwd = await folderWith({ "scenario.yaml": scenario });
    const { code, stdout } = await runSandbox(["replay", "scenario.yaml", "--reporter", "json"], { cwd });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).scenarios).toMatchObject([
      { outcome: "passed", findings: [{ kind: "refund-beyond-paid" }], rulesNeverFired: ['"never asked"'] },
    ]);
  });

  it("exits with 4 when a scenario failed", async () => {
    const cwd = await folderWith({ "scenario.yaml": scenario.replace("status: 400", "status: 200") });
    const { code } = await runSandbox(["replay", "scenario.yaml", "--fail-on", "findings"], { cwd });
    expect(code).toBe(4);
  });
});
