import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { HttpExchange } from "../../src/adapters/har/http-exchange.js";
import { harParts } from "../../src/adapters/har/write-har.js";
import type { CalibrationReport } from "../../src/calibration/report/report.js";
import { recordSigned, recordWith, sell, sellOne } from "../support/calibrate.js";
import { runSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { validators } from "../support/json-schemas.js";
import { parseXml } from "../support/xml.js";

it("names the setting of a recorded sandbox, writes a profile that is accepted, and fails on drift only", async () => {
  const exchanges = await recordWith({ http: { createdStatus: 200 } }, async (sandbox) => {
    await sandbox.fetch("/v1/webhooks", { json: { topic: "charges/events", url: "http://127.0.0.1:9/hooks" } });
    await sandbox.fetch("/v1/webhooks");
  });
  const folder = await folderWith({});
  await writeFile(join(folder, "traffic.har"), [...harParts(exchanges)].join(""));
  const found = await runSandbox(
    ["calibrate", "traffic.har", "--out", "profile.yaml", "--reporter", "json", "--fail-on", "drift,contradicted"],
    { cwd: folder },
  );
  expect(found.code).toBe(0);
  const report = JSON.parse(found.stdout) as CalibrationReport;
  expect(validators["calibrate-report"](report)).toBe(true);
  expect(report.settings.filter(({ state }) => state === "set")).toMatchObject([
    {
      path: "http.createdStatus",
      value: 200,
      default: 201,
      evidence: [
        { exchange: { index: 0, method: "POST", path: "/v1/webhooks" }, pointer: "/status", expected: 201, got: 200 },
      ],
    },
  ]);
  expect(await readFile(join(folder, "profile.yaml"), "utf8")).toContain(
    "http:\n  # set\n  # #0 POST /v1/webhooks: /status is 200, not 201\n  createdStatus: 200\n",
  );
  const gate = (...flags: readonly string[]) =>
    runSandbox(["calibrate", "traffic.har", "--fail-on", "set,drift,contradicted", ...flags], { cwd: folder });
  expect((await gate("--profile", "profile.yaml")).code).toBe(0);
  const changed = await gate("--reporter", "junit");
  expect(changed.code).toBe(5);
  expect(JSON.stringify(parseXml(changed.stdout))).toContain("the service has another value");
  expect((await runSandbox(["validate", "profile.yaml"], { cwd: folder })).stdout).toBe("profile.yaml: ok (profile)\n");

  const drifted = exchanges.map((exchange) => ({ ...exchange, answer: { ...exchange.answer!, status: 202 } }));
  await writeFile(join(folder, "drift.har"), [...harParts(drifted)].join(""));
  const failed = await runSandbox(["calibrate", "drift.har", "--fail-on", "drift"], { cwd: folder });
  expect(failed.code).toBe(5);
  expect(failed.stdout).toContain("the status is 202, not 201. In 1 of 1, first in #0 POST /v1/webhooks.");
});

it("--skip leaves settings out, and reports as drift what they would explain", async () => {
  const exchanges = await recordWith({ http: { createdStatus: 200 } }, sellOne);
  const cwd = await folderWith({ "traffic.har": [...harParts(exchanges)].join("") });
  for (const skip of [["http", "charges.fee"], ["http,charges.fee"]]) {
    const found = await runSandbox(["calibrate", "traffic.har", "--skip", ...skip, "--reporter", "json"], { cwd });
    const { settings, drift } = JSON.parse(found.stdout) as CalibrationReport;
    const paths = settings.map(({ path }) => path);
    expect(paths).toContain("charges.max");
    expect(paths.filter((path) => path.startsWith("http.") || path === "charges.fee")).toEqual([]);
    expect(drift).toMatchObject([{ operation: "POST /v1/charges", kind: "status" }]);
  }
});

it("--secret verifies the signatures of webhooks", async () => {
  const { exchanges } = await recordSigned();
  const cwd = await folderWith({ "traffic.har": [...harParts(exchanges)].join("") });
  const calibrate = (key: string) =>
    runSandbox(["calibrate", "traffic.har", "--only", "http", "--fail-on", "drift", "--secret", key], { cwd });
  const [right, wrong] = await Promise.all([calibrate("secret_sandbox"), calibrate("another")]);
  expect([right.code, wrong.code]).toEqual([0, 5]);
  expect(wrong.stdout).toContain("drift  webhook charges/events");
});

it("fails on contradictions in every form of the report", async () => {
  const run = (createdStatus: 200 | 201) => recordWith({ http: { createdStatus } }, sell);
  const [before, after] = await Promise.all([run(201), run(200)]);
  const folder = await folderWith({});
  await writeFile(join(folder, "before.har"), [...harParts(before)].join(""));
  await writeFile(join(folder, "after.har"), [...harParts(after)].join(""));
  const calibrate = (...flags: readonly string[]) =>
    runSandbox(["calibrate", "before.har", "after.har", "--only", "http.createdStatus", ...flags], { cwd: folder });
  const junit = await calibrate("--fail-on", "contradicted", "--reporter", "junit");
  expect(junit.code).toBe(5);
  expect(JSON.stringify(parseXml(junit.stdout))).toContain("parts of the traffic disagree");
  const markdown = await calibrate("--reporter", "md");
  expect(markdown.code).toBe(0);
  expect(markdown.stdout).toMatch(/^# Calibration\n/);
  expect(markdown.stdout).toContain("| `http.createdStatus` | contradicted |");
  expect(markdown.stdout).toContain("after.har#0 POST /v1/webhooks");
  expect((await calibrate()).stdout).toMatch(/^contradicted {2}http\.createdStatus/m);
});

it("shows no secret of the traffic, wherever the service repeats it", async () => {
  const recorded = await recordWith({}, sell);
  const leaking = recorded.map((exchange) => {
    const isRead = exchange.method === "GET" && exchange.url.includes("/v1/charges/");
    const headers = exchange.headers.filter(([name]) => name !== "authorization");
    const leak = {
      access_token: "issued_0123456789abcdef",
      nested: [{ password: "pw0123" }],
      pin: { clientSecret: 123_456 },
      echoed: "at_0123456789abcdef, cookie_0123456789abcdef, key_0123456789abcdef, other_0123456789abcdef",
      again: "issued_0123456789abcdef",
      key: "sk_0123456789abcdef",
    };
    return {
      ...exchange,
      headers: [
        ...headers,
        ["Authorization", "Bearer at_0123456789abcdef"],
        ["Cookie", "a=b; session=cookie_0123456789abcdef"],
        ["X-Api-Key", "key_0123456789abcdef"],
        ["Ocp-Apim-Subscription-Key", "other_0123456789abcdef"],
      ] as const,
      answer: isRead ? { ...exchange.answer!, body: Buffer.from(JSON.stringify(leak)) } : exchange.answer,
    };
  });
  const folder = await folderWith({});
  await writeFile(join(folder, "traffic.har"), [...harParts(leaking)].join(""));
  const flags = ["--secret", "sk_0123456789abcdef", "--only", "http", "--out", "profile.yaml"];
  for (const reporter of ["pretty", "json", "junit", "md"]) {
    const { stdout, stderr } = await runSandbox(["calibrate", "traffic.har", ...flags, "--reporter", reporter], {
      cwd: folder,
    });
    expect(stdout).toContain("access_token");
    expect(stdout + stderr).not.toMatch(/0123456789abcdef|pw0123|123456|123_456/);
  }
  expect(await readFile(join(folder, "profile.yaml"), "utf8")).not.toMatch(/0123456789abcdef/);
});

it("names the entry of a broken file, and why it cannot be read", async () => {
  const entry = { startedDateTime: "2026-01-15T09:00:00Z", time: 1, request: { method: "GET", url: "nowhere" } };
  const folder = await folderWith({
    "broken.har": JSON.stringify({ log: { entries: [entry] } }),
    "cut.har": '{"log": {"entries": [',
  });
  const broken = await runSandbox(["calibrate", "broken.har"], { cwd: folder });
  expect([broken.code, broken.stderr]).toEqual([2, expect.stringMatching(/broken\.har.*entry 0/s)]);
  const cut = await runSandbox(["calibrate", "cut.har"], { cwd: folder });
  expect([cut.code, cut.stderr]).toEqual([2, expect.stringContaining("Failed to read cut.har")]);
});

it("is inconclusive when the service has answered nothing", async () => {
  const exchanges = await recordWith({}, (sandbox) => sandbox.fetch("/v1/balance"));
  const unanswered = exchanges.map((exchange) => ({ ...exchange, answer: undefined }));
  const cwd = await folderWith({ "traffic.har": [...harParts(unanswered)].join("") });
  const run = (...flags: readonly string[]) => runSandbox(["calibrate", "traffic.har", ...flags], { cwd });
  const [pretty, gate] = await Promise.all([run(), run("--fail-on", "drift", "--reporter", "json")]);
  expect([pretty.code, gate.code]).toEqual([6, 6]);
  expect(pretty.stderr).toContain("sandbox: inconclusive: Nothing was compared");
  expect(pretty.stdout).toContain("nothing compared: 1 request, 0 webhooks");
  const report = JSON.parse(gate.stdout) as CalibrationReport;
  expect(validators["calibrate-report"](report)).toBe(true);
  expect(report.source).toMatchObject({ exchanges: 1, compared: 0 });
});

it.each([
  ["--out", ["calibrate", "traffic.har", "--out", "./traffic.har"], "traffic.har"],
  ["--record", ["proxy", "--target", "http://127.0.0.1:9", "--profile", "p.yaml", "--record", "./p.yaml"], "p.yaml"],
])("refuses %s that would replace what the command reads", async (flag, args, file) => {
  const cwd = await folderWith({ "traffic.har": '{"log":{"entries":[]}}', "p.yaml": "http:\n  createdStatus: 200\n" });
  const before = await readFile(join(cwd, file), "utf8");
  const { code, stderr } = await runSandbox(args, { cwd });
  expect([code, stderr]).toEqual([1, expect.stringContaining(flag)]);
  expect(await readFile(join(cwd, file), "utf8")).toBe(before);
});

it("refuses a file without traffic, and an unknown setting", async () => {
  const folder = await folderWith({});
  const elsewhere: HttpExchange = {
    startedAt: 0,
    ms: 1,
    method: "GET",
    url: "https://shop.test/",
    headers: [],
    body: undefined,
    answer: undefined,
  };
  await writeFile(join(folder, "empty.har"), [...harParts([elsewhere])].join(""));
  const empty = await runSandbox(["calibrate", "empty.har"], { cwd: folder });
  expect([empty.code, empty.stderr]).toEqual([
    2,
    "There is no request to the API (/v1/…) and no webhook in empty.har.\n",
  ]);
  const unknown = await runSandbox(["calibrate", "empty.har", "--only", "transfer"], { cwd: folder });
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('Unknown setting "transfer".')]);
});

it("does not change the profile when it cannot be written completely", async () => {
  const exchanges = await recordWith({ http: { createdStatus: 200 } }, async (sandbox) => {
    for (let count = 0; count < 5; count++)
      await sandbox.fetch("/v1/webhooks", { json: { topic: "charges/events", url: `http://127.0.0.1:9/${count}` } });
    await sandbox.fetch("/v1/webhooks");
  });
  const profile = "transfers: { min: 1000 }\n";
  const folder = await folderWith({ "traffic.har": [...harParts(exchanges)].join(""), "profile.yaml": profile });
  const { code, stderr } = await runSandbox(
    ["calibrate", "traffic.har", "--profile", "profile.yaml", "--out", "profile.yaml"],
    { cwd: folder, fileBlocks: 1 },
  );
  expect([code, stderr]).toEqual([3, expect.stringContaining("Failed to write the profile to profile.yaml: EFBIG")]);
  expect(await readFile(join(folder, "profile.yaml"), "utf8")).toBe(profile);
});
