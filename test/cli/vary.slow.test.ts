import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findSetting } from "../../src/domain/profile/settings.js";
import { runSandbox } from "../support/cli.js";
import { renderProfile } from "../../src/calibration/report/render-profile.js";
import type { VaryReport } from "../../src/experiments/vary/report.js";
import { calibrateAll, chargeOf, recordWith } from "../support/calibrate.js";
import { program, threeGuesses, varyJson } from "../support/experiments.js";
import { folderWith } from "../support/folder.js";
import { parseJunit } from "../support/junit.js";

const payOnce = program(`await call("POST", "/v1/transactions", payout("salary-1", 20000));`);
const guesses = ["http.createdStatus", "transfers.min", "transfers.duplicateReference"];

const vary = async (options: readonly string[], command: readonly string[]) =>
  runSandbox(["vary", ...options, "--", ...command], { cwd: await folderWith({}) });

describe("tests that rest on three guesses", () => {
  it("depend on exactly these settings; the report asks their questions, and runs no setting that was not read", async () => {
    const { report, folder, code } = await varyJson(["--workers", "4"], threeGuesses);
    const depends = report.settings.filter(({ verdict }) => verdict === "depends");
    expect([...new Set(depends.map(({ path }) => path))]).toEqual(guesses);
    expect(report.questions.map(({ path, question }) => [path, question])).toEqual(
      guesses.map((path) => [path, findSetting(path)?.question]),
    );
    const missed = report.settings.filter(({ verdict }) => verdict === "not-met");
    expect(missed.map(({ path }) => path)).toContain("charges.ttl");
    expect(missed.every(({ id, alternative }) => id === null && alternative === null)).toBe(true);
    expect(report.settings.filter(({ path, id }) => path.startsWith("charges.") && id !== null)).toEqual([]);
    expect(report.questions[0]).toMatchObject({
      default: 201,
      ifOtherwise: [{ answer: 200, set: "http:\n  createdStatus: 200\n" }],
    });
    expect(report.questions[0]?.ifOtherwise[0]?.change).toBe(
      "The command fails with exit code 1. It prints: FAILED pays. " +
        "The first request that differs: createTransaction#1 (salary-1) is answered 200, not 201.",
    );
    expect(report.counts.depends).toBe(depends.length);
    expect(code).toBe(0);
    const [first] = depends;
    expect(first?.repeat).toContain(`--profile reports/vary/${first?.id}.yaml`);
    expect(await readFile(join(folder, `reports/vary/${first?.id}.yaml`), "utf8")).toBe(
      "http:\n  createdStatus: 200\n",
    );
    const files = depends.flatMap(({ id }) => [`${id}.txt`, `${id}.yaml`]);
    expect((await readdir(join(folder, "reports/vary"))).toSorted()).toEqual(files.toSorted());
  });

  it("are not listed as independent for another alternative", async () => {
    const paysLittle = program(
      `process.exit((await call("POST", "/v1/transactions", payout("salary-1", 6000))).status === 201 ? 0 : 1);`,
    );
    const { stdout } = await vary(["--only", "transfers.min"], paysLittle);
    expect(stdout).toContain("1 depend, 1 independent: 2 alternatives");
    expect(stdout).not.toContain("Independent of");
  });

  it("fail a gate", async () => {
    const { code, stdout } = await vary(["--only", "http.createdStatus", "--fail-on", "depends"], threeGuesses);
    expect(stdout).toMatch(/^depends {2}http\.createdStatus: 200 in place of 201$/m);
    expect(stdout).toContain("1 depend, 0 independent: 1 alternative");
    expect(code).toBe(5);
  });

  it("cause no question that a calibration has answered, if they run with its profile", async () => {
    const exchanges = await recordWith({ http: { createdStatus: 201 } }, async (sandbox) => {
      await sandbox.fetch("/v1/webhooks", { json: { topic: "charges/events", url: "http://127.0.0.1:9/hooks" } });
    });
    const report = JSON.stringify(await calibrateAll([exchanges], { only: ["http"] }));
    const folder = await folderWith({
      "report.json": report,
      "another.yaml": "http: { createdStatus: 200 }\n",
      "broken.json": "{}",
    });
    const run = (...options: readonly string[]) =>
      runSandbox(
        ["vary", "--calibration", ...options, "--only", "http.createdStatus", "transfers.min", "--", ...threeGuesses],
        { cwd: folder },
      );
    const asked = await run("report.json", "--reporter", "json");
    const { questions, notes } = JSON.parse(asked.stdout) as VaryReport;
    expect(questions.map(({ path }) => path)).toEqual(["transfers.min"]);
    expect(notes).toContain("Known by the calibration, so not varied: http.createdStatus.");
    const listed = await runSandbox(
      ["vary", "--calibration", "report.json", "--profile", "another.yaml", "--list", "--", ...payOnce],
      { cwd: folder },
    );
    expect(listed.stdout).toContain("http.createdStatus");
    const broken = await run("broken.json");
    expect([broken.code, broken.stderr]).toEqual([
      2,
      "broken.json is not a report that calibrate wrote with --reporter json.\n",
    ]);
  });

  it("cause a question about a name if a calibration knows only that it differs", async () => {
    const sell = program(`
      const { json } = await call("POST", "/v1/charges", ${JSON.stringify(chargeOf("order-1"))});
      await call("POST", "/v1/charges/" + json.id + "/pay", { msisdn: "+2250700000002" });
    `);
    const exchanges = await recordWith({ charges: { payField: "phone" } }, async (sandbox) => {
      const created = await sandbox.fetch<{ id: string }>("/v1/charges", { json: chargeOf("order-1") });
      const pay = `/v1/charges/${(await created.json()).id}/pay`;
      await sandbox.fetch(pay, { json: { msisdn: "+2250700000002" } });
    });
    const found = await calibrateAll([exchanges], { only: ["charges.payField"] });
    const folder = await folderWith({
      "report.json": JSON.stringify(found),
      "profile.yaml": renderProfile(found, {}),
    });
    const options = ["--calibration", "report.json", "--profile", "profile.yaml", "--only", "charges.payField"];
    const { stdout } = await runSandbox(["vary", ...options, "--reporter", "json", "--", ...sell], { cwd: folder });
    const { questions } = JSON.parse(stdout) as VaryReport;
    expect(questions.map(({ path }) => path)).toEqual(["charges.payField"]);
  });

  it("produce a page of questions", async () => {
    const { stdout } = await vary(["--only", "transfers.min", "--reporter", "md"], threeGuesses);
    expect(stdout).toContain("# Questions for the provider");
    expect(stdout).toContain("## 1. Is 5000 XOF the smallest amount of a transfer");
    expect(stdout).toContain("We assumed `transfers.min: 5000`.");
    expect(stdout).toContain("Then set:\n\n  ```yaml\n  transfers:\n    min: 1000\n  ```");
  });

  it("say of a page without questions that it is about what was tried", async () => {
    const { stdout } = await vary(["--only", "transfers.max", "--max-runs", "1", "--reporter", "md"], threeGuesses);
    expect(stdout).toMatch(/depends on no open point of the contract that was tried\.\n$/);
  });

  it("are cases of JUnit", async () => {
    const { stdout } = await vary(["--only", "http", "--reporter", "junit", "--fail-on", "depends"], threeGuesses);
    expect(() => parseJunit(stdout)).not.toThrow();
    expect(stdout).toContain('<testcase name="http.createdStatus: 200 in place of 201"');
    expect(stdout).toContain('failures="1"');
  });
});

describe("--pairs", () => {
  it("finds two settings that make a difference only together", async () => {
    const command = program(`
      const { status } = await call("POST", "/v1/transactions", payout("salary-1"));
      const { json } = await call("POST", "/v1/transactions", {});
      process.exit(status === 200 && json.error === undefined ? 1 : 0);
    `);
    const only = ["--only", "http.createdStatus", "errors.shape"];
    const { report } = await varyJson([...only, "--pairs"], command);
    expect(report.settings.map(({ path, verdict }) => [path, verdict])).toEqual([
      ["http.createdStatus", "independent"],
      ["errors.shape", "independent"],
      ["errors.shape", "independent"],
      ["http.createdStatus + errors.shape", "independent"],
      ["http.createdStatus + errors.shape", "depends"],
    ]);
    expect(report.questions.map(({ path, ifOtherwise }) => [path, ifOtherwise[0]?.change])).toEqual([
      ["http.createdStatus", expect.stringMatching(/^Together with errors\.shape: .+ The command fails/)],
      ["errors.shape", expect.stringMatching(/^Together with http\.createdStatus: 200: The command fails/)],
    ]);
  });
});

it("--list shows what would be run", async () => {
  const { stdout, code } = await vary(["--list", "--only", "http.createdStatus"], threeGuesses);
  expect(stdout).toBe("01  http.createdStatus  200  not 201\n");
  expect(code).toBe(0);
});

it("is inconclusive when no alternative could be tried, and nothing that was asked for is known", async () => {
  const exchanges = await recordWith({}, async (sandbox) => {
    await sandbox.fetch("/v1/charges", { json: chargeOf("order-1") });
  });
  const folder = await folderWith({
    "report.json": JSON.stringify(await calibrateAll([exchanges], { only: ["http"] })),
    "small.yaml": "charges: { max: 600 }\n",
  });
  const charge = program(
    `await call("POST", "/v1/charges", ${JSON.stringify({ ...chargeOf("order-1"), amount: 500 })});`,
  );
  const run = async (...options: readonly string[]) => {
    const { code, stderr } = await runSandbox(["vary", ...options, "--", ...charge], { cwd: folder });
    return [code, /inconclusive: .*/.exec(stderr)?.[0]];
  };
  expect(await run("--profile", "small.yaml", "--only", "charges.min")).toEqual([
    6,
    "inconclusive: Nothing was varied: no run was judged.",
  ]);
  const known = ["--calibration", "report.json", "--only"] as const;
  expect(await run(...known, "refunds")).toEqual([
    6,
    expect.stringContaining("the command reads none of the settings"),
  ]);
  expect(await run(...known, "http.createdStatus")).toEqual([0, undefined]);
});

it.each<[string, readonly string[], readonly string[], number, RegExp]>([
  ["no command", [], [], 1, /vary needs a command/],
  [
    "an unknown setting",
    ["--only", "transfers.mni"],
    threeGuesses,
    1,
    /Unknown setting "transfers\.mni"\. Did you mean "transfers\.min"/,
  ],
  [
    "a command that reads none of the chosen settings",
    ["--only", "refunds"],
    payOnce,
    6,
    /Nothing was varied: the command reads none/,
  ],
  ["a command that fails", [], program("process.exit(7)"), 6, /it ended with 7/],
])("%s is refused", async (_, options, command, code, message) => {
  const finished = await vary(options, command);
  expect(finished.stderr).toMatch(message);
  expect(finished.code).toBe(code);
});
