import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { VERSION } from "../../src/kernel/version.js";
import { SECRET, sound, startReceiver } from "../audit/receivers.js";
import { runSandbox, startSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { call } from "../support/live.js";

// The first process after a build compiles the bundle, which takes longer.
beforeAll(async () => {
  await runSandbox(["--version"]);
});

/** Runs each verb of the built command once. The slow suite tests the rest. */
describe("the command", () => {
  it("prints its version and its verbs", async () => {
    expect(await runSandbox(["--version"])).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: "" });
    expect((await runSandbox(["--help"])).stdout).toContain("Usage: npx sandbox <verb> [options]");
  });

  it("refuses an unknown verb with exit code 1", async () => {
    expect(await runSandbox(["strat"])).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("start"),
    });
  });
});

it("start serves the API, and clock advances its time", async () => {
  const sandbox = await startSandbox(["--clock", "2026-01-15T09:00:00Z"]);
  const headers = { authorization: "Bearer at_sandbox", "x-company-id": "company_sandbox" };
  expect(await call(`${sandbox.url}/v1/balance`, "GET", undefined, headers)).toMatchObject({ status: 200 });
  const advanced = await runSandbox(["clock", "advance", "1h", "--url", sandbox.url]);
  expect(advanced).toMatchObject({ code: 0, stdout: expect.stringContaining("2026-01-15T10:00:00.000Z, frozen") });
  expect(await sandbox.stop()).toBe(0);
});

it("exec runs a command beside a sandbox, and exits with its code", async () => {
  const code = "console.log(process.env.SANDBOX_COMPANY_ID); process.exit(7)";
  const { code: exitCode, stdout } = await runSandbox(["exec", "--", process.execPath, "--eval", code]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 7, stdout: "company_sandbox\n" });
});

it("init writes a scenario, which validate accepts and replay passes", async () => {
  const cwd = await folderWith({});
  expect(await runSandbox(["init"], { cwd })).toMatchObject({ code: 0 });
  expect(await readFile(join(cwd, "sandbox.config.yaml"), "utf8")).not.toBe("");
  expect(await runSandbox(["validate", "sandbox.config.yaml"], { cwd })).toMatchObject({ code: 0 });
  expect(await runSandbox(["replay", "scenarios"], { cwd })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("1 passed"),
  });
});

it("audit checks a receiver", async () => {
  const { url } = await startReceiver(sound);
  const env = { SANDBOX_SECRET_KEY: SECRET };
  const { code, stdout } = await runSandbox(["audit", url, "--only", "forged"], { env });
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("passed") });
});

it("sign signs its input", async () => {
  const { stdout } = await runSandbox(["sign"], { stdin: "{}" });
  expect(stdout).toBe("4m069+gkgBQ+UsRNjtjEKsP776yZlMJQQeu2h2DjnKw=\n");
});

it.each([
  ["openapi", "openapi: 3.1.0"],
  ["profile", "charges:"],
])("%s prints its document", async (verb, part) => {
  expect(await runSandbox([verb])).toMatchObject({ code: 0, stdout: expect.stringContaining(part), stderr: "" });
});
