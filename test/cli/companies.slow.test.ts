import { stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VERSION } from "../../src/kernel/version.js";
import { type Finished, runSandbox, runUntilListening, type StartedSandbox, startSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { call } from "../support/live.js";
import { chargeRequest } from "../support/requests.js";

let source: StartedSandbox;
let target: StartedSandbox;

beforeAll(async () => {
  [source, target] = await Promise.all([
    startSandbox(["--auto-provision", "--admin-token", "hush"]),
    startSandbox(["--admin-token", "hush"]),
  ]);
});

afterAll(async () => {
  await Promise.all([source.stop(), target.stop()]);
});

function companies(...args: string[]): Promise<Finished> {
  return runSandbox(["companies", ...args], { env: { SANDBOX_ADMIN_TOKEN: "hush", SANDBOX_COMPANY_ID: "another" } });
}

describe("sandbox companies", () => {
  it("moves a company: all acknowledged changes are at the target, and the source is closed", async () => {
    const headers = { authorization: "Bearer at_shop", "x-company-id": "company_shop" };
    const { body: charge } = await call(`${source.url}/v1/charges`, "POST", chargeRequest(), headers);
    const exported = await companies("export", "company_shop", "--close", "--url", source.url);
    expect(exported).toMatchObject({ code: 0, stderr: "" });
    const file = join(await folderWith({}), "shop.json");
    await writeFile(file, exported.stdout);
    const imported = await companies("import", file, "--url", target.url);
    expect(imported).toEqual({ code: 0, stdout: "Imported company_shop.\n", stderr: "" });
    expect((await call(`${target.url}/v1/charges/${charge.id}`, "GET", undefined, headers)).body.id).toBe(charge.id);
    expect((await call(`${source.url}/v1/balance`, "GET", undefined, headers)).status).toBe(503);
    expect(await companies("import", file, "--url", target.url)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("it is open here. Remove it first, unless an earlier import brought it."),
    });
  });

  it("starts again when its only company was moved", async () => {
    const args = ["--store", `file:${join(await folderWith({}), "state.json")}`];
    const first = await startSandbox(args);
    const exported = await runSandbox(["companies", "export", "company_sandbox", "--close", "--url", first.url]);
    expect(exported).toMatchObject({ code: 0, stderr: "" });
    await first.stop();
    const { stdout } = await runUntilListening(["--port", "0", ...args]);
    expect(stdout).toContain("  Companies    none is open\n");
    const second = await startSandbox(args);
    expect(second.lines[0]).toEqual({
      event: "listening",
      level: "info",
      time: expect.any(String),
      url: second.url,
      version: VERSION,
    });
    const headers = { authorization: "Bearer at_sandbox", "x-company-id": "company_sandbox" };
    expect((await call(`${second.url}/v1/balance`, "GET", undefined, headers)).status).toBe(503);
    const scenario = resolve("scenarios/authentication.yaml");
    for (const option of [
      ["--scenario", scenario],
      ["--record", join(await folderWith({}), "recorded.yaml")],
    ]) {
      const store = ["--store", `file:${join(await folderWith({}), "state.json")}`];
      const third = await startSandbox(store);
      await fetch(`${third.url}/_sandbox/companies/company_sandbox`, { method: "DELETE" });
      await third.stop();
      const refused = await runSandbox(["start", "--port", "0", ...store, ...option]);
      expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining("There is no company left") });
    }
    const file = join(await folderWith({}), "moved.json");
    await writeFile(file, exported.stdout);
    const imported = await runSandbox(["companies", "import", file, "--url", second.url]);
    expect(imported).toMatchObject({ code: 0, stdout: "Imported company_sandbox.\n" });
    expect((await call(`${second.url}/v1/balance`, "GET", undefined, headers)).status).toBe(200);
    await second.stop();
  });

  it("fails when the disk takes only a part of the export", async () => {
    const stdoutFile = join(await folderWith({}), "shop.json");
    const headers = { authorization: "Bearer at_large" };
    expect((await call(`${source.url}/v1/balance`, "GET", undefined, headers)).status).toBe(200);
    const exported = await runSandbox(["companies", "export", "company_large", "--url", source.url], {
      env: { SANDBOX_ADMIN_TOKEN: "hush" },
      stdoutFile,
      fileBlocks: 1,
    });
    expect(exported).toMatchObject({ code: 3, stderr: expect.stringContaining("Failed to write the output: EFBIG") });
    expect((await stat(stdoutFile)).size).toBeGreaterThan(0);
  });

  it.each([
    [["export"], 1, "export needs the id of a company."],
    [["exprot", "company_shop"], 1, "it can export and import."],
    [["export", "company_nobody"], 1, "No company has the id"],
    [["import", "no-such-file.json"], 2, "no-such-file.json"],
    [["import"], 2, "stdin is not what"],
  ])("refuses %j", async (args, code, message) => {
    const finished = await companies(...args, "--url", source.url);
    expect(finished).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(message) });
  });

  it("refuses a state, which is no export, as a wrong file", async () => {
    const file = join(
      await folderWith({ "state.json": '{"schemaVersion":1,"companyId":"company_shop"}' }),
      "state.json",
    );
    expect(await companies("import", file, "--url", source.url)).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("is not what"),
    });
  });
});

describe("a command with the access token of a tenant", () => {
  it("works for its company, and is refused for another one and for the sandbox", async () => {
    const sandbox = await startSandbox(["--tenancy", "--auto-provision", "--admin-token", "hush"]);
    const { url } = sandbox;
    const open = async () => (await call(`${url}/_sandbox/companies`, "POST")).body;
    const [own, other] = [await open(), await open()];
    const run = (...args: string[]) => runSandbox([...args, "--url", url, "--admin-token", own.accessToken]);
    expect(await run("clock", "--json")).toMatchObject({ code: 0, stderr: "" });
    expect(await run("clock", "--company", own.companyId)).toMatchObject({ code: 0, stderr: "" });
    expect(await run("clock", "--company", other.companyId)).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(`No company has the id "${other.companyId}"`),
    });
    expect(await run("companies", "export", own.companyId)).toMatchObject({
      code: 3,
      stdout: "",
      stderr: expect.stringContaining("This call needs the admin token"),
    });
    await sandbox.stop();
  });
});
