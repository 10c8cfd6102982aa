import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Finished, runSandbox, type StartedSandbox, startSandbox } from "../support/cli.js";
import { serveHttp } from "../support/listen.js";
import { call } from "../support/live.js";
import { chargeRequest, transferRequest } from "../support/requests.js";

let sandbox: StartedSandbox;

beforeAll(async () => {
  sandbox = await startSandbox(["--auto-provision", "--clock", "2026-01-15T09:00:00Z"]);
});

afterAll(async () => {
  await sandbox.stop();
});

/** Opens a company for one test. */
let opened = 0;

interface Account {
  readonly companyId: string;
  readonly clock: (...args: string[]) => Promise<Finished>;
  readonly post: (path: string, body: unknown) => Promise<{ id: string }>;
}

async function openCompany(): Promise<Account> {
  const name = `clock${++opened}`;
  const headers = { authorization: `Bearer at_${name}`, "x-company-id": `company_${name}` };
  await call(`${sandbox.url}/v1/balance`, "GET", undefined, headers);
  return {
    companyId: `company_${name}`,
    clock: (...args) => runSandbox(["clock", ...args, "--url", sandbox.url, "--company", `company_${name}`]),
    post: async (path, body) => (await call(sandbox.url + path, "POST", body, headers)).body,
  };
}

function printed(stdout: string): unknown {
  return { code: 0, stdout, stderr: "" };
}

describe("sandbox clock", () => {
  it("shows the time, the mode and the next due item", async () => {
    const { clock, post } = await openCompany();
    expect(await clock()).toEqual(printed("now   2026-01-15T09:00:00.000Z, frozen\nnext  nothing is due\n"));
    const charge = await post("/v1/charges", chargeRequest());
    await post("/v1/charges", chargeRequest());
    const shown = printed(
      `now   2026-01-15T09:00:00.000Z, frozen\nnext  2026-01-15T10:00:00.000Z, in 1h: charge.expire ${charge.id}, and 1 more after it\n`,
    );
    expect(await clock()).toEqual(shown);
    expect(await clock("show")).toEqual(shown);
  });

  it("advances, and lists what happened meanwhile", async () => {
    const { clock, post } = await openCompany();
    const charge = await post("/v1/charges", chargeRequest());
    const transfer = await post("/v1/transactions", transferRequest());
    expect(await clock("advance", "1h")).toEqual(
      printed(
        `2026-01-15T09:00:02.000Z  transfer.settle  ${transfer.id}\n` +
          `2026-01-15T10:00:00.000Z  charge.expire    ${charge.id}\n` +
          "now   2026-01-15T10:00:00.000Z, frozen\nnext  nothing is due\n",
      ),
    );
    expect(await clock("advance", "PT30M")).toEqual(
      printed("Nothing was due.\nnow   2026-01-15T10:30:00.000Z, frozen\nnext  nothing is due\n"),
    );
  });

  it("advances to the next due item", async () => {
    const { clock, post } = await openCompany();
    const transfer = await post("/v1/transactions", transferRequest());
    const { stdout } = await clock("advance", "--to-next");
    expect(stdout).toBe(
      `2026-01-15T09:00:02.000Z  transfer.settle  ${transfer.id}\nnow   2026-01-15T09:00:02.000Z, frozen\nnext  nothing is due\n`,
    );
  });

  it("counts the webhooks that were sent", async () => {
    const { clock, post } = await openCompany();
    await post("/v1/webhooks", { topic: "transactions/completed", url: "http://127.0.0.1:1/hook" });
    await post("/v1/transactions", transferRequest());
    expect((await clock("advance", "2s")).stdout).toContain("\nwebhooks: 1 attempted, 0 succeeded, 1 failed\n");
  });

  it("shows the first twenty of many items", async () => {
    const { clock, post } = await openCompany();
    for (let made = 0; made < 25; made++) await post("/v1/charges", chargeRequest());
    const { stdout } = await clock("advance", "1h");
    expect(stdout.match(/charge\.expire/g)).toHaveLength(20);
    expect(stdout).toContain("\n… and 5 more (--json lists them)\n");
  });

  it("sets a time, freezes and resumes", async () => {
    const { clock } = await openCompany();
    expect((await clock("set", "2026-02-01T08:00:00Z")).stdout).toContain("now   2026-02-01T08:00:00.000Z, frozen\n");
    expect((await clock("resume")).stdout).toMatch(/^now {3}2026-02-01T08:00:\d\d\.\d{3}Z, running\n/);
    expect((await clock("freeze")).stdout).toMatch(/^now {3}2026-02-01T08:00:\d\d\.\d{3}Z, frozen\n/);
  });

  it("prints the sandbox's answer with --json", async () => {
    const { clock, post } = await openCompany();
    const { id } = await post("/v1/charges", chargeRequest());
    const next = { at: "2026-01-15T10:00:00.000Z", kind: "charge.expire", id };
    expect(JSON.parse((await clock("--json")).stdout)).toEqual({
      mode: "frozen",
      now: "2026-01-15T09:00:00.000Z",
      pendingTimers: 1,
      next,
    });
    expect(JSON.parse((await clock("advance", "1h", "--json")).stdout)).toEqual({
      now: "2026-01-15T10:00:00.000Z",
      fired: [next],
      firedCount: 1,
      deliveries: { attempted: 0, succeeded: 0, failed: 0 },
    });
  });

  it("reads the sandbox and the company from the environment", async () => {
    const { companyId, clock } = await openCompany();
    const env = { SANDBOX_URL: `${sandbox.url}/`, SANDBOX_COMPANY_ID: companyId };
    expect((await runSandbox(["clock", "advance", "1d"], { env })).stdout).toContain("2026-01-16T09:00:00.000Z");
    expect((await clock()).stdout).toContain("2026-01-16T09:00:00.000Z");
  });

  it("moves the first company's time by default", async () => {
    const { stdout } = await runSandbox(["clock", "--url", sandbox.url]);
    expect(stdout).toMatch(/^now {3}2026-01-15T09:00:00\.000Z, frozen\n/);
  });

  it("reports what the sandbox refuses", async () => {
    const { clock } = await openCompany();
    expect(await clock("set", "2020-01-01T00:00:00Z")).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^sandbox: .*2020-01-01T00:00:00\.000Z.* in the past/),
    });
    expect(await runSandbox(["clock", "--url", sandbox.url, "--company", "company_nobody"])).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining('No company has the id "company_nobody".'),
    });
  });

  it("does not show the admin token when another program repeats it", async () => {
    const url = await serveHttp((incoming, outgoing) =>
      outgoing.writeHead(400).end(JSON.stringify({ message: [incoming.headers.authorization] })),
    );
    const finished = await runSandbox(["clock", "--url", url, "--admin-token", "token-of-nobody"]);
    expect(finished).toMatchObject({ code: 1, stdout: "", stderr: "sandbox: Bearer [redacted]\n" });
  });

  it("does not show the admin token when the address contains it", async () => {
    const url = await serveHttp((_, outgoing) => outgoing.end("{}"));
    for (const address of [`${url}/token-of-nobody`, "http://127.0.0.1:1/token-of-nobody"]) {
      const { code, stderr } = await runSandbox(["clock", "--url", address, "--admin-token", "token-of-nobody"]);
      expect(code).toBe(3);
      expect(stderr).toContain(address.replace("token-of-nobody", "[redacted]"));
      expect(stderr).not.toContain("token-of-nobody");
    }
  });

  it("sends the admin token, and reports a wrong one", async () => {
    const guarded = await startSandbox(["--admin-token", "hush"]);
    const args = ["clock", "--url", guarded.url];
    const refused = await runSandbox(args);
    const results = await Promise.all([
      runSandbox([...args, "--admin-token", "hush"]),
      runSandbox(args, { env: { SANDBOX_ADMIN_TOKEN: "hush" } }),
    ]);
    await guarded.stop();
    expect(results.map(({ code }) => code)).toEqual([0, 0]);
    expect(refused).toEqual({
      code: 1,
      stdout: "",
      stderr: `sandbox: The sandbox at ${guarded.url} needs its admin token. Give it with --admin-token or SANDBOX_ADMIN_TOKEN.\n`,
    });
  });
});
