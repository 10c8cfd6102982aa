import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { runSandbox, startSandbox } from "../support/cli.js";
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

/** A JavaScript module that reads one resource this many times. */
const polling = (times: number): string => `
const { SANDBOX_URL, SANDBOX_ACCESS_TOKEN } = process.env;
const headers = { authorization: "Bearer " + SANDBOX_ACCESS_TOKEN };
await Promise.all(Array.from({ length: ${times} }, () => fetch(SANDBOX_URL + "/v1/transactions/none", { headers })));
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

  it("exits with 0 without findings", async () => {
    const { code, stderr } = await runSandbox(["exec", "--fail-on", "findings", ...node(polling(1))]);
    expect(code, stderr).toBe(0);
  });

  it("reports rules that never fired", async () => {
    const cwd = await folderWith({ "sandbox.config.yaml": lostAnswer });
    const { stderr } = await runSandbox(["exec", ...node("")], { cwd });
    expect(stderr).toContain('the rule "the answer is lost" never fired');
  });

  it("refuses other gates", async () => {
    const { code, stderr } = await runSandbox(["exec", "--fail-on", "finding", ...node("")]);
    expect(code).toBe(1);
    expect(stderr).toContain('--fail-on must be critical, warning or findings, not "finding"');
  });
});

it("exec names what is allowed and was never found", async () => {
  const { code, stderr } = await runSandbox(["exec", "--allow", "pay-after-drop:order-1", ...node(polling(1))]);
  expect(code).toBe(0);
  expect(stderr).toContain("sandbox: warning: allowed, but never found: pay-after-drop:order-1");
});

describe("exec --fail-on SEVERITY", () => {
  it.each([
    ["critical", 0],
    ["warning", 5],
    ["findings", 5],
  ])("%s exits with %i when there is a warning", async (severity, expected) => {
    const { code, stderr } = await runSandbox(["exec", "--fail-on", severity, ...node(polling(20))]);
    expect(stderr).toContain("warning: polling-too-fast");
    expect(code, stderr).toBe(expected);
    if (expected === 5) expect(stderr).toContain(`--fail-on ${severity}: there is 1 finding`);
  });

  it.each(["critical", "warning"])("%s exits with 5 when there is a critical finding", async (severity) => {
    const cwd = await folderWith({ "sandbox.config.yaml": lostAnswer });
    const { code, stderr } = await runSandbox(["exec", "--fail-on", severity, ...node(doublePayout)], { cwd });
    expect(code, stderr).toBe(5);
    expect(stderr).toMatch(new RegExp(`--fail-on ${severity}: there is 1 (critical )?finding`));
  });
});

describe("exec --allow", () => {
  const run = async (options: readonly string[], config = lostAnswer) => {
    const cwd = await folderWith({ "sandbox.config.yaml": config });
    return runSandbox(["exec", "--fail-on", "findings", ...options, ...node(doublePayout)], { cwd });
  };

  it.each(["double-payout", "double-payout:payout-1", "double-payout:+2250700000010"])(
    "%s expects the finding, and lists it as allowed",
    async (entry) => {
      const { code, stderr } = await run(["--allow", entry]);
      expect(code, stderr).toBe(0);
      expect(stderr).toContain("1 finding allowed");
      expect(stderr).toMatch(/allowed: double-payout\n.*5000 XOF to \+2250700000010/);
      expect(stderr).not.toContain("critical: double-payout");
    },
  );

  it.each([
    ["webhook-slow"],
    ["double-payout:payout"],
    ["double-payout:another"],
    ["double-payout:payout-12"],
    ["webhook-slow", "secret-leaked"],
  ])("%s does not expect the finding", async (...entries) => {
    const { code, stderr } = await run(entries.flatMap((entry) => ["--allow", entry]));
    expect(code, stderr).toBe(5);
    expect(stderr).toContain("critical: double-payout");
    expect(stderr).not.toContain("allowed: ");
  });

  it.each([
    ["double-payouts", "--allow must be KIND or KIND:RESOURCE", "(did you mean double-payout?)"],
    ["double-payout:", "--allow must be KIND or KIND:RESOURCE", 'got "double-payout:"'],
    ["toString", "--allow must be KIND or KIND:RESOURCE", 'got "toString"'],
  ])("refuses %s", async (entry, ...messages) => {
    const { code, stderr } = await run(["--allow", entry]);
    expect(code).toBe(1);
    for (const message of messages) expect(stderr).toContain(message);
  });

  it("is in the configuration too, and both count", async () => {
    const config = `${lostAnswer}\nfindings: { allow: ["double-payout:payout-2"] }\n`;
    const { code, stderr } = await run(["--allow", "webhook-slow"], config);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("allowed: double-payout");
  });

  it("is checked in the configuration", async () => {
    const { code, stderr } = await run([], "findings:\n  allow: [double-payout, webhook-slo]\n");
    expect(code).toBe(2);
    expect(stderr).toMatch(/sandbox\.config\.yaml:2:\d+.*must be KIND.*did you mean webhook-slow\?/);
  });
});

describe("exec with a sandbox that was never called", () => {
  it.each([["--fail-on findings"], ["--fail-under 0"], ["--fail-on critical --fail-under 50"]])(
    "exits with 6 under %s",
    async (gates) => {
      const { code, stderr } = await runSandbox(["exec", ...gates.split(" "), ...node("")]);
      expect(code, stderr).toBe(6);
      expect(stderr).toContain("sandbox: the sandbox was never called");
      expect(stderr).toMatch(/inconclusive: --fail-.* could not be judged: the sandbox was never called/);
      for (const gate of gates.match(/--fail-\S+ \S+/g) ?? []) expect(stderr).toContain(gate);
    },
  );

  it.each([
    ["a wrong access token", "/v1/balance", "Bearer at_other"],
    ["no access token", "/v1/balance", ""],
    ["an unknown path", "/api/v1/balance", "Bearer at_sandbox"],
  ])("exits with 6 when each request has %s, too", async (_, path, authorization) => {
    const call = `fetch(process.env.SANDBOX_URL + ${JSON.stringify(path)}, { headers: ${JSON.stringify({ authorization })} })`;
    const { code, stderr } = await runSandbox(["exec", "--fail-on", "critical", ...node(call)]);
    expect(code, stderr).toBe(6);
    expect(stderr).toContain("--fail-on critical could not be judged: each request had an unknown path, or a wrong");
  });

  it("exits with 6 when only a played scenario has called it", async () => {
    const cwd = await folderWith({ "played.yaml": "steps: [{ request: GET /v1/balance }]" });
    const untilPlayed = `
const requests = async () => (await (await fetch(process.env.SANDBOX_URL + "/_sandbox/requests")).json()).data.length;
while ((await requests()) === 0);
`;
    const args = ["exec", "--scenario", "played.yaml", "--fail-on", "findings", "--fail-under", "0.5"];
    const { code, stderr } = await runSandbox([...args, ...node(untilPlayed)], { cwd });
    expect(code, stderr).toBe(6);
    expect(stderr).toContain("could not be judged: the sandbox was never called");
    const called = await runSandbox([...args, ...node(untilPlayed + polling(1))], { cwd });
    expect(called.code, called.stderr).toBe(0);
  });

  it("says so without a gate, and exits with 0", async () => {
    const { code, stderr } = await runSandbox(["exec", ...node("")]);
    expect(code).toBe(0);
    expect(stderr).toContain("sandbox: the sandbox was never called");
  });

  it("exits with the child's code if it is not 0", async () => {
    const { code } = await runSandbox(["exec", "--fail-on", "findings", ...node("process.exit(9)")]);
    expect(code).toBe(9);
  });

  it("is not a sandbox that only the control API called after a reset", async () => {
    const code = `${polling(1)}; await fetch(SANDBOX_URL + "/_sandbox/reset", { method: "POST" });`;
    const run = await runSandbox(["exec", "--fail-on", "findings", ...node(code)]);
    expect(run.code, run.stderr).toBe(0);
    const reset = `await fetch(process.env.SANDBOX_URL + "/_sandbox/reset", { method: "POST" });`;
    expect((await runSandbox(["exec", "--fail-on", "findings", ...node(reset)])).code).toBe(6);
  });
});

it("exec counts the webhooks from before a reset, and says so", async () => {
  const [good, bad] = [await startReceiver(), await startReceiver()];
  bad.reply({ status: 500 });
  const code = `
const { SANDBOX_URL, SANDBOX_ACCESS_TOKEN, SANDBOX_COMPANY_ID } = process.env;
const headers = { authorization: "Bearer " + SANDBOX_ACCESS_TOKEN, "x-company-id": SANDBOX_COMPANY_ID, "content-type": "application/json" };
const post = async (path, json) => (await fetch(SANDBOX_URL + path, { method: "POST", headers, body: JSON.stringify(json) })).json();
for (const externalId of ["order-1", "order-2"]) {
  for (const url of ${JSON.stringify([good.url, bad.url])}) await post("/v1/webhooks", { topic: "charges/events", url });
  const order = { amount: 10000, externalId, description: "Shoes", onCanceledRedirectionUrl: "https://shop.test/no", onCompletedRedirectionUrl: "https://shop.test/yes" };
  const { id } = await post("/v1/charges", order);
  await post("/v1/charges/" + id + "/pay", {});
  await post("/_sandbox/settle", {});
  await post("/_sandbox/reset", {});
}`;
  const { stderr } = await runSandbox(["exec", ...node(code)]);
  expect(stderr).toMatch(/^sandbox: 8 requests .*, 2 webhooks acknowledged$/m);
  expect(stderr).toContain("sandbox: 2 resets; the report includes what was seen before\n");
  expect(stderr.match(/^sandbox: not acknowledged: charges\/events to .*500/gm)).toHaveLength(2);
});

it("examples/double-payout runs as described", async () => {
  const run = promisify(execFile)(process.execPath, ["examples/double-payout/walkthrough.mjs"], { cwd: root });
  await expect(run).resolves.toMatchObject({ stdout: expect.stringContaining("Everything happened as described.") });
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
    const { code, stderr } = await runSandbox(["exec", "--fail-under", "50", ...node(polling(1))]);
    expect(code).toBe(5);
    expect(stderr).toContain("--fail-under 50: 1.9 % of the contract is covered");
    expect(stderr).toContain("POST /v1/transactions");
  });

  it("exits with 0 when coverage is high enough", async () => {
    const { code, stderr } = await runSandbox(["exec", "--fail-under", "0.5", ...node(doublePayout)]);
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(/\d+(\.\d)? % of the contract covered \(\d+ of \d+\)/);
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

  it.each(["junit", "tap", "github"])("lists on stderr the findings that %s does not show", async (reporter) => {
    const cwd = await folderWith({ "scenario.yaml": scenario });
    const args = ["replay", "scenario.yaml", "--fail-on", "findings", "--reporter", reporter];
    const { code, stderr } = await runSandbox(args, { cwd });
    expect(code, stderr).toBe(5);
    expect(stderr).toMatch(
      /^scenario\.yaml: critical: refund-beyond-paid\n {2}The client requested a refund of 20000 XOF/,
    );
    expect(stderr).toMatch(/^1 passed in .*\n.*--fail-on findings: there is 1 finding/m);
  });

  it("exits with 0 without the gate, and the JSON has both", async () => {
    const cwd = await folderWith({ "scenario.yaml": scenario });
    const { code, stdout } = await runSandbox(["replay", "scenario.yaml", "--reporter", "json"], { cwd });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).scenarios).toMatchObject([
      { outcome: "passed", findings: [{ kind: "refund-beyond-paid" }], rulesNeverFired: ['"never asked"'] },
    ]);
  });

  it("--allow expects a finding, which is listed as allowed", async () => {
    const cwd = await folderWith({ "scenario.yaml": scenario });
    const gate = ["--fail-on", "critical", "--fail-on", "findings", "--allow", "refund-beyond-paid:order-1"];
    const { code, stdout } = await runSandbox(["replay", "scenario.yaml", ...gate], { cwd });
    expect(code, stdout).toBe(0);
    expect(stdout).toContain("allowed: refund-beyond-paid");
    const json = await runSandbox(["replay", "scenario.yaml", ...gate, "--reporter", "json"], { cwd });
    expect(JSON.parse(json.stdout).scenarios).toMatchObject([
      { findings: [], allowed: [{ kind: "refund-beyond-paid" }] },
    ]);
  });

  it("exits with 6 where findings cannot be seen", async () => {
    const cwd = await folderWith({ "scenario.yaml": scenario });
    const sandbox = await startSandbox();
    const target = ["--target", sandbox.url, "--token", "at_sandbox"];
    const { code, stderr } = await runSandbox(["replay", "scenario.yaml", "--fail-on", "findings", ...target], { cwd });
    expect(stderr).toContain("inconclusive: --fail-on findings could not be judged: ");
    expect(code, stderr).toBe(6);
  });

  it("exits with 4 when a scenario failed", async () => {
    const cwd = await folderWith({ "scenario.yaml": scenario.replace("status: 400", "status: 200") });
    const { code } = await runSandbox(["replay", "scenario.yaml", "--fail-on", "findings"], { cwd });
    expect(code).toBe(4);
  });
});
