import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createSandbox, type Sandbox } from "../../../src/index.js";
import { folderWith } from "../../support/folder.js";

let sandbox: Sandbox;
beforeEach(async () => {
  sandbox = await createSandbox();
});
afterEach(() => sandbox.close());

const replay = async (body: unknown): Promise<{ status: number; body: Record<string, unknown> }> => {
  const answer = await sandbox.fetch("/_sandbox/scenarios/replay", { json: body });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};

/** A folder below the one in which the tests run. */
async function folderInside(files: Readonly<Record<string, string>>) {
  await mkdir("reports", { recursive: true });
  const path = await mkdtemp(join("reports", "inside-"));
  for (const [name, text] of Object.entries(files)) await writeFile(join(path, name), text);
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

describe("POST /_sandbox/scenarios/replay", () => {
  it("replays a scenario that is sent as JSON, in its own temporary company", async () => {
    const steps = [{ request: "GET /v1/balance", expect: { status: 200, body: { balance: 500 } } }];
    const answer = await replay({ name: "The balance is as given", given: { balance: 500 }, steps });
    expect(answer).toMatchObject({
      status: 200,
      body: { outcome: "passed", name: "The balance is as given", stepsPassed: 1 },
    });
    expect(sandbox.balance).toBe(10_000_000);
    const companies = (await (await sandbox.fetch("/_sandbox/companies")).json()) as { count: number };
    expect(companies.count).toBe(1);
  });

  it("answers why a scenario proves nothing", async () => {
    const { body } = await replay({ steps: [{ settle: true }] });
    expect(body).toMatchObject({ outcome: "skipped", reason: expect.stringContaining("it proves nothing") });
  });

  it("answers the differences when the scenario fails", async () => {
    const answer = await replay({ steps: [{ request: "GET /v1/balance", expect: { body: { balance: 1 } } }] });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      outcome: "failed",
      failure: { kind: "failure", mismatches: [{ path: "body.balance", expected: "1", actual: 10_000_000 }] },
    });
  });

  it("replays a file below the folder in which the sandbox was started", async () => {
    const answer = await replay({ file: "scenarios/charge-dropped.yaml" });
    expect(answer.body).toMatchObject({ outcome: "passed", file: "scenarios/charge-dropped.yaml" });
  });

  it("does not let a file use anything outside that folder", async () => {
    const outside = await folderWith({ "outside.yaml": "steps: [{ request: GET /v1/balance }]\n" });
    await using inside = await folderInside({
      "uses.yaml": `steps: [{ use: ${outside}/outside.yaml }]\n`,
      "fixtures.yaml": `given: { fixtures: ${outside}/outside.yaml }\nsteps: [{ request: GET /v1/balance }]\n`,
    });
    for (const name of ["uses.yaml", "fixtures.yaml"]) {
      const answer = await replay({ file: `${inside.path}/${name}` });
      expect(answer.status).toBe(400);
      expect(JSON.stringify(answer.body["message"])).toMatch(/below the folder in which the sandbox was started/);
    }
  });

  it("resolves links before it checks the place of a file", async () => {
    const outside = await folderWith({ "outside.yaml": "steps: [{ request: GET /v1/balance }]\n" });
    await using inside = await folderInside({});
    await symlink(join(outside, "outside.yaml"), join(inside.path, "link.yaml"));
    await symlink(outside, join(inside.path, "folder"));
    for (const name of ["link.yaml", "folder/outside.yaml"]) {
      const answer = await replay({ file: `${inside.path}/${name}` });
      expect(answer.status).toBe(400);
      expect(JSON.stringify(answer.body["message"])).toMatch(/below the folder .*; there is no such file/);
    }
  });

  it.each([
    "../etc/passwd",
    "/etc/passwd",
    "../../outside.yaml",
    "/tmp/outside.yaml",
    "scenarios",
    "scenarios/nowhere.yaml",
    "package.json/../../x.yaml",
    "scenarios/%2e%2e/%2e%2e/outside.yaml",
    "scenarios/charge-dropped.yaml\0.yaml",
    "file:///etc/passwd.yaml",
    "package-lock.json/x.yaml",
    "",
    7,
    null,
  ])("refuses to read %j", async (file) => {
    const answer = await replay({ file });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body["message"])).toMatch(/below the folder in which the sandbox was started/);
  });

  it.each([
    [{ steps: [{ advnace: "1h" }] }, /Did you mean \\"advance\\"/],
    [{ steps: [] }, /at least one step/],
    [{ steps: [{ use: "scenarios/charge-dropped.yaml" }] }, /cannot use files/],
    [[], /a mapping with name, given and steps/],
    [null, /./],
  ])("refuses %j with everything that is wrong", async (body, message) => {
    const answer = await replay(body);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body["message"])).toMatch(message);
  });
});
