import { resolve } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runSandbox, type StartedSandbox, startSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { call } from "../support/live.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import type { Answer, LooseJson } from "../support/world.js";

const account = { authorization: "Bearer at_sandbox", "x-company-id": "company_sandbox" };

/** `sandbox start --profile F` with this settlement of transfers and a frozen clock. */
async function startedWith(settlement: string): Promise<StartedSandbox> {
  const cwd = await folderWith({ "profile.yaml": `transfers: { settlement: ${settlement} }\n` });
  const sandbox = await startSandbox(["--clock", "2026-01-15T09:00:00Z", "--profile", "profile.yaml"], { cwd });
  onTestFinished(async () => void (await sandbox.stop()));
  return sandbox;
}

function post({ url }: StartedSandbox, path: string, body?: unknown): Promise<Answer> {
  return call(url + path, "POST", body, path.startsWith("/v1/") ? account : {});
}

async function read({ url }: StartedSandbox, path: string): Promise<LooseJson> {
  return (await call(url + path, "GET", undefined, account)).body;
}

/** Creates a pending transfer and returns its id. */
async function createTransfer(sandbox: StartedSandbox): Promise<string> {
  const { status, body } = await post(sandbox, "/v1/transactions", transferRequest());
  expect([status, body.status]).toEqual([201, "pending"]);
  return body.id;
}

async function statusOf(sandbox: StartedSandbox, id: string): Promise<string> {
  return (await read(sandbox, `/v1/transactions/${id}`)).status;
}

async function advance({ url }: StartedSandbox, by: string): Promise<void> {
  expect((await runSandbox(["clock", "advance", by, "--url", url])).code).toBe(0);
}

describe("start --profile F settles transfers", () => {
  it("immediate: before the first read", async () => {
    const sandbox = await startedWith("immediate");
    expect(await statusOf(sandbox, await createTransfer(sandbox))).toBe("completed");
  });

  it("after: at that time on the company's clock", async () => {
    const sandbox = await startedWith("{ after: 10m }");
    const id = await createTransfer(sandbox);
    await advance(sandbox, "9m59s");
    expect(await statusOf(sandbox, id)).toBe("pending");
    await advance(sandbox, "1s");
    expect(await statusOf(sandbox, id)).toBe("completed");
  });

  it("polls: at the third read", async () => {
    const sandbox = await startedWith("{ polls: 3 }");
    const id = await createTransfer(sandbox);
    await advance(sandbox, "30d");
    const seen = [await statusOf(sandbox, id), await statusOf(sandbox, id), await statusOf(sandbox, id)];
    expect(seen).toEqual(["pending", "pending", "completed"]);
  });

  it("manual: only by hand", async () => {
    const sandbox = await startedWith("manual");
    const [good, bad] = [await createTransfer(sandbox), await createTransfer(sandbox)];
    await advance(sandbox, "30d");
    expect([await statusOf(sandbox, good), await statusOf(sandbox, bad)]).toEqual(["pending", "pending"]);
    expect((await post(sandbox, `/_sandbox/transactions/${good}/complete`)).status).toBe(200);
    expect((await post(sandbox, `/_sandbox/transactions/${bad}/fail`, { reason: "account_closed" })).status).toBe(200);
    expect(await statusOf(sandbox, good)).toBe("completed");
    expect(await read(sandbox, `/v1/transactions/${bad}`)).toMatchObject({
      status: "failed",
      failureReason: "account_closed",
    });
  });
});

it("charges can be paid, cancelled and dropped by hand", async () => {
  const sandbox = await startedWith("manual");
  const create = async (): Promise<string> => (await post(sandbox, "/v1/charges", chargeRequest())).body.id;
  const [one, other] = [await create(), await create()];
  expect((await post(sandbox, `/_sandbox/charges/${one}/cancel`)).body.status).toBe("due");
  expect((await post(sandbox, `/_sandbox/charges/${one}/pay`)).body.status).toBe("paid");
  await post(sandbox, `/_sandbox/charges/${other}/drop`, { reason: "out_of_stock" });
  expect(await read(sandbox, `/v1/charges/${other}`)).toMatchObject({
    status: "dropped",
    droppedReason: "out_of_stock",
  });
});

it("the shipped scenarios pass under every settlement", async () => {
  const names = [
    "charge-by-hand",
    "settlement-immediate",
    "settlement-after",
    "settlement-by-polls",
    "settlement-by-hand",
  ];
  const files = names.map((name) => resolve(`scenarios/${name}.yaml`));
  const { code, stdout } = await runSandbox(["replay", ...files]);
  expect(stdout).toMatch(/^5 passed in /m);
  expect(code).toBe(0);
});

it("exec accepts the profile, and its command settles a transfer by hand", async () => {
  const cwd = await folderWith({
    "profile.yaml": "transfers: { settlement: manual }\n",
    "client.mjs": `
      const { SANDBOX_URL, SANDBOX_ACCESS_TOKEN } = process.env;
      const headers = { "content-type": "application/json", authorization: "Bearer " + SANDBOX_ACCESS_TOKEN };
      const post = async (path, body) => (await fetch(SANDBOX_URL + path, { method: "POST", headers, body })).json();
      const { id } = await post("/v1/transactions", '${JSON.stringify(transferRequest())}');
      const { status } = await post("/_sandbox/transactions/" + id + "/complete");
      console.log(status);`,
  });
  const { code, stdout } = await runSandbox(
    ["exec", "--profile", "profile.yaml", "--", process.execPath, "client.mjs"],
    {
      cwd,
    },
  );
  expect({ code, stdout }).toEqual({ code: 0, stdout: "completed\n" });
});
