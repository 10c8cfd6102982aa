import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { CalibrationReport } from "../../src/index.js";
import { followSandbox, runSandbox, startSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { originOfNobody } from "../support/listen.js";
import { startReceiver } from "../support/receiver.js";

const credentials = ["--token", "at_sandbox", "--company", "company_sandbox"];

it("asks a target, names its settings, and writes a profile that a sandbox starts with", async () => {
  const cwd = await folderWith({
    "provider.yaml": "http: { createdStatus: 200 }\ncharges: { createdAtFormat: iso }\n",
  });
  const service = await startSandbox(["--profile", "provider.yaml"], { cwd });
  const asked = await runSandbox(
    ["calibrate", "--target", service.url, ...credentials, "--reporter", "json", "--out", "found.yaml"],
    { cwd },
  );
  expect(asked.stderr).toMatch(/1\. .*: \d requests, creates .*; asks about /);
  const report: CalibrationReport = JSON.parse(asked.stdout);
  const listed = (pattern: RegExp): string[] =>
    [...asked.stderr.matchAll(pattern)].flatMap(([, paths]) => paths!.split(", "));
  const [asks, others] = [listed(/; asks about (.*)/g), listed(/Not asked about: (.*)/g)];
  expect([...asks, ...others].toSorted()).toEqual(report.settings.map(({ path }) => path).toSorted());
  const named = report.settings.filter(({ state }) => state !== "open").map(({ path }) => path);
  expect(asks).toEqual(expect.arrayContaining(named));
  expect(report.source).toMatchObject({ files: null, target: service.url });
  const found = Object.fromEntries(
    report.settings.filter(({ state }) => state === "set").map(({ path, value }) => [path, value]),
  );
  expect(found).toEqual({ "http.createdStatus": 200, "charges.createdAtFormat": "iso" });
  expect(asked.stdout + asked.stderr + (await readFile(join(cwd, "found.yaml"), "utf8"))).not.toContain("at_sandbox");
  expect((await runSandbox(["validate", "found.yaml"], { cwd })).code).toBe(0);
  const ledger = await fetch(`${service.url}/_sandbox/transactions`);
  expect(await ledger.json()).toMatchObject({ count: 0 });
});

it("is inconclusive about a target that does not know the access token", async () => {
  const service = await startSandbox();
  const wrong = ["--token", "at_expired", "--company", "company_sandbox"];
  const gates = ["--fail-on", "set,drift,contradicted", "--reporter", "junit"];
  const asked = await runSandbox(["calibrate", "--target", service.url, ...wrong, ...gates]);
  expect([asked.code, asked.stdout]).toEqual([6, expect.stringContaining('type="inconclusive"')]);
  expect(asked.stderr).toContain("or each with 401. Is the access token right?");
});

it("is inconclusive about a target that leaves requests without an answer, unless a gate fails", async () => {
  const service = await startSandbox(["--rules", "rules.yaml"], {
    cwd: await folderWith({
      "rules.yaml": "- { on: request, match: { path: /v1/charges }, then: { fault: reset } }\n",
    }),
  });
  const gates = ["--fail-on", "drift,contradicted", "--only", "charges.min,customers"];
  const asked = await runSandbox(["calibrate", "--target", service.url, ...credentials, ...gates]);
  expect([asked.code, asked.stdout]).toEqual([6, expect.stringContaining("1 of them not compared")]);
  expect(asked.stderr).toMatch(/no answer to POST \/v1\/charges: .+\. The rest of that probe was left out\./);
  expect(asked.stderr).toContain("inconclusive: the target did not answer all requests");
});

it("--dry-run says what would be created, and sends nothing", async () => {
  const target = await startReceiver();
  const plan = await runSandbox(["calibrate", "--target", target.origin, ...credentials, "--dry-run"]);
  expect([plan.code, target.received]).toEqual([0, []]);
  expect(plan.stdout).toContain("creates at most a charge;");
  expect(plan.stdout).not.toMatch(/creates[^;]*(transfer|refund|payment)/);
  expect(plan.stdout).toContain("Probes that move money run only for settings that --only names.");
  const only = ["--only", "transfers.fee"];
  const asked = await runSandbox(["calibrate", "--target", target.origin, ...credentials, "--dry-run", ...only]);
  expect(asked.stdout).toMatch(/creates at most .*transfers?;/);
  const skip = ["--skip", "customers,webhooks"];
  const others = await runSandbox(["calibrate", "--target", target.origin, ...credentials, "--dry-run", ...skip]);
  expect([plan.stdout, others.stdout].map((text) => /customers|webhooks\./.test(text))).toEqual([true, false]);
});

it.each(["http.createdStatus", "errors.shape"])("--only %s moves no money: another probe shows it", async (only) => {
  const service = await startSandbox();
  const asked = await runSandbox(["calibrate", "--target", service.url, ...credentials, "--only", only]);
  expect([asked.code, asked.stderr.match(/creates [^;]*/g)]).toEqual([0, ["creates at most a charge"]]);
  expect(asked.stdout).toContain(`Confirmed: ${only}\n`);
  const ledger = await fetch(`${service.url}/_sandbox/transactions`);
  expect(await ledger.json()).toMatchObject({ count: 0 });
});

it("is inconclusive when it is stopped, and reports what it learned", async () => {
  const hanging = await startReceiver((_, index) => (index < 2 ? { status: 404, body: "{}" } : "hang"));
  const calibrate = followSandbox(["calibrate", "--target", hanging.origin, ...credentials, "--reporter", "json"]);
  await hanging.waitFor(3);
  expect(await calibrate.stop()).toBe(6);
  expect(calibrate.output).toContain("stopped; the report has what was learned so far");
  expect(calibrate.output).toContain("inconclusive: it was stopped before all requests were sent.");
  expect(calibrate.output).toContain('"verb": "calibrate"');
});

it("ends at once when it is stopped before the target has answered at all", async () => {
  const hanging = await startReceiver("hang");
  const calibrate = followSandbox(["calibrate", "--target", hanging.origin, ...credentials]);
  await hanging.waitFor(1);
  expect(await calibrate.stop()).toBe("SIGTERM");
});

it("is inconclusive when it ends because the target limits the rate for too long, and reports what it learned", async () => {
  const service = await startReceiver((_, index) =>
    index < 2 ? { status: 404, body: "{}" } : { status: 429, headers: { "retry-after": "3600" } },
  );
  const only = ["--only", "errors.shape"];
  const asked = await runSandbox(["calibrate", "--target", service.origin, ...credentials, ...only]);
  expect(asked.stderr).toContain("the target limits the rate for too long; the report has what was learned so far");
  expect([asked.code, asked.stdout]).toEqual([6, expect.stringContaining("drift  POST /v1/charges\n")]);
});

it("reports all that it learned when it is stopped after the last probe", async () => {
  const service = await startReceiver({ status: 404, body: "{}" });
  const only = ["--only", "http.createdStatus"];
  const asked = await runSandbox(["calibrate", "--target", service.origin, ...credentials, ...only], {
    env: { NODE_OPTIONS: `--import ${interruptedBeforeReport}` },
  });
  expect([asked.code, asked.stdout]).toEqual([0, expect.stringContaining("drift  POST /v1/charges\n")]);
});

/** A module that sends SIGINT to its process before its first output. */
const interruptedBeforeReport = `data:text/javascript,${encodeURIComponent(
  `const { write } = process.stdout;
   process.stdout.write = (...given) => {
     process.stdout.write = write;
     process.kill(process.pid, "SIGINT");
     return process.stdout.write(...given);
   };`,
)}`;

it.each([
  [["calibrate"], "Name HTTP archives, or a deployment"],
  [["calibrate", "--token", "x", "a.har"], "--token goes with --target"],
  [["calibrate", "--target", "http://127.0.0.1:9", "--token", "x", "a.har"], "not both"],
  [["calibrate", "--target", "http://127.0.0.1:9"], "--target needs --token"],
  [["calibrate", "--target", "http://127.0.0.1:9", "--token", "x", "--only", "webhooks.insecureTls"], "nothing to ask"],
])("refuses %j", async (args, why) => {
  const { code, stderr } = await runSandbox(args);
  expect([code, stderr]).toEqual([1, expect.stringContaining(why)]);
});

it("fails when the target cannot be reached", async () => {
  const target = `${await originOfNobody()}/token-1`;
  const { code, stderr } = await runSandbox(["calibrate", "--target", target, "--token", "token-1"]);
  expect([code, stderr]).toEqual([3, expect.stringMatching(/Failed to reach the target .*\/\[redacted\]: /)]);
});
