import { request } from "node:https";
import { describe, expect, it, onTestFinished } from "vitest";
import { VERSION } from "../../src/kernel/version.js";
import { type RunOptions, runUntilListening, type StartedSandbox, startSandbox, runSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { call } from "../support/live.js";
import { chargeRequest } from "../support/requests.js";
import { selfSigned } from "../support/self-signed.js";
import type { Answer, GivenHeaders } from "../support/world.js";

const account = { authorization: "Bearer at_sandbox", "x-company-id": "company_sandbox" };

/** Stops when the test ends. */
async function started(args: readonly string[] = [], options?: RunOptions): Promise<StartedSandbox> {
  const sandbox = await startSandbox(args, options);
  onTestFinished(async () => void (await sandbox.stop()));
  return sandbox;
}

function get({ url }: StartedSandbox, path: string, headers: GivenHeaders = account): Promise<Answer> {
  return call(url + path, "GET", undefined, headers);
}

function createCharge({ url }: StartedSandbox, change?: Readonly<Record<string, unknown>>): Promise<Answer> {
  return call(`${url}/v1/charges`, "POST", chargeRequest(change), account);
}

describe("the listening line", () => {
  it("has the address, company, clock and version, but no token or key", async () => {
    const sandbox = await started(["--clock", "2026-01-15T09:00:00Z", "--public-url", "https://pay.test/"]);
    expect(sandbox.lines).toEqual([
      {
        event: "listening",
        level: "info",
        time: "2026-01-15T09:00:00.000Z",
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        publicUrl: "https://pay.test",
        companyId: "company_sandbox",
        clock: { mode: "frozen", now: "2026-01-15T09:00:00.000Z" },
        version: VERSION,
      },
    ]);
    expect(sandbox.stderr).toBe("");
    expect((await get(sandbox, "/v1/balance")).body).toEqual({ balance: 10_000_000, currency: "XOF" });
  });

  it("prints the address of --host", async () => {
    expect((await started(["--host", "localhost"])).url).toMatch(/^http:\/\/localhost:\d+$/);
    expect((await started(["--host", "0.0.0.0"])).url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });
});

describe("start options", () => {
  it.each([
    ["--port", ["--port", "0"], { SANDBOX_PORT: "1", PORT: "1" }],
    ["SANDBOX_PORT", [], { SANDBOX_PORT: "0", PORT: "1" }],
    ["PORT", [], { PORT: "0" }],
  ])("%s: a free port", async (_, args, env) => {
    const { stdout } = await runUntilListening([...args, "--log", "json"], { env });
    const { url } = JSON.parse(stdout.split("\n", 1)[0] ?? "");
    expect(Number(new URL(url).port)).toBeGreaterThan(4010);
  });

  it("--clock frozen stops time, and running does not", async () => {
    const frozen = await started(["--clock", "frozen"]);
    const [first, second] = [await createCharge(frozen), await createCharge(frozen)];
    expect(first.body.createdAt).toBe(second.body.createdAt);
    expect((await started()).lines[0].clock.mode).toBe("running");
  });

  it("--seed repeats identifiers and, on a frozen clock, every byte", async () => {
    const make = async (seed: string): Promise<string> => {
      const sandbox = await started([
        "--seed",
        seed,
        "--clock",
        "2026-01-15T09:00:00Z",
        "--public-url",
        "https://pay.test",
      ]);
      return (await createCharge(sandbox, { externalId: "order-1" })).text;
    };
    const [one, again, other] = await Promise.all([make("7"), make("7"), make("8")]);
    expect(one).toBe(again);
    expect(one).not.toBe(other);
  });

  it("--public-url is the base of payment links", async () => {
    const sandbox = await started(["--public-url", "https://pay.test/sandbox/"]);
    expect((await createCharge(sandbox)).body.paymentUrl).toMatch(/^https:\/\/pay\.test\/sandbox\/checkout\//);
  });

  it("--auto-provision opens a company for an unknown token", async () => {
    const unseen = { authorization: "Bearer at_worker7" };
    expect((await get(await started(), "/v1/balance", unseen)).status).toBe(401);
    expect((await get(await started(["--auto-provision"]), "/v1/balance", unseen)).status).toBe(200);
  });

  it("--admin-token is required by the control API", async () => {
    const sandbox = await started(["--admin-token", "hush"]);
    expect((await get(sandbox, "/_sandbox/clock", {})).status).toBe(401);
    expect((await get(sandbox, "/_sandbox/clock", { authorization: "Bearer hush" })).status).toBe(200);
    expect((await get(sandbox, "/_sandbox/health", {})).status).toBe(200);
  });

  it("--production-headers-only removes the sandbox's own headers", async () => {
    expect((await get(await started(), "/v1/balance")).headers.get("x-sandbox")).toBe(VERSION);
    const { headers } = await get(await started(["--production-headers-only"]), "/v1/balance");
    expect([...headers.keys()].filter((name) => name.startsWith("x-sandbox"))).toEqual([]);
  });

  it("--profile changes what the contract leaves open", async () => {
    const cwd = await folderWith({ "strict.yaml": "http: { createdStatus: 200 }" });
    expect((await createCharge(await started(["--profile", "strict.yaml"], { cwd }))).status).toBe(200);
    expect((await createCharge(await started([], { cwd, env: { SANDBOX_PROFILE: "strict.yaml" } }))).status).toBe(200);
  });

  it("--tls-cert and --tls-key serve HTTPS", async () => {
    const cwd = await folderWith({ "cert.pem": selfSigned.cert, "key.pem": selfSigned.key });
    const { url } = await started(["--tls-cert", "cert.pem", "--tls-key", "key.pem"], { cwd });
    expect(url).toMatch(/^https:/);
    const status = await new Promise((resolve, reject) => {
      const options = { ca: selfSigned.cert, headers: account, agent: false };
      request(`${url}/v1/balance`, options, (response) => resolve(response.resume().statusCode))
        .once("error", reject)
        .end();
    });
    expect(status).toBe(200);
  });

  it("--log silent prints nothing", async () => {
    const silent = await runUntilListening(["--port", "0", "--host", "0.0.0.0", "--log", "silent"]);
    expect(silent).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  it("--log json prints one object per line", async () => {
    const { stdout, stderr } = await runUntilListening(["--port", "0", "--host", "0.0.0.0", "--log", "json"]);
    const events = (text: string): unknown[] =>
      text
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).event);
    expect(events(stdout)).toEqual(["listening", "stopping", "stopped"]);
    expect(events(stderr)).toEqual(["control-api-exposed"]);
  });
});

describe("an address that others can reach", () => {
  const warning =
    /warn {3}Anyone who reaches 0\.0\.0\.0 can use the control API\. Set --admin-token or SANDBOX_ADMIN_TOKEN\.\n/;

  it("causes a warning on stderr", async () => {
    const { code, stderr } = await runUntilListening(["--port", "0", "--host", "0.0.0.0"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(warning) });
  });

  it("causes a warning for tokens that others may guess, with tenancy", async () => {
    const tenancy = ["--tenancy", "--admin-token", "hush"];
    const { stderr } = await runUntilListening(["--port", "0", "--host", "0.0.0.0", ...tenancy]);
    expect(stderr).toMatch(/warn {3}Others may guess an access token of fewer than 20 characters.*company_sandbox/);
    expect((await runUntilListening(["--port", "0", ...tenancy])).stderr).toBe("");
  });

  it("is not served with tenancy and no admin token, or a seed", async () => {
    expect(await runSandbox(["start", "--tenancy"])).toMatchObject({
      code: 1,
      stderr: "sandbox: --tenancy needs an admin token: companies are administered with it.\n",
    });
    const seeded = await runSandbox(["start", "--tenancy", "--admin-token", "hush", "--seed", "1"]);
    expect(seeded).toMatchObject({
      code: 1,
      stderr: "sandbox: --tenancy excludes a seed: access tokens could be guessed.\n",
    });
  });

  it.each([
    ["--host", "127.0.0.1"],
    ["--host", "localhost"],
    ["--host", "0.0.0.0", "--admin-token", "hush"],
  ])("is none with %s %s %s", async (...args) => {
    expect((await runUntilListening(["--port", "0", ...args])).stderr).toBe("");
  });
});

describe("the configuration", () => {
  it("of the folder is used, and flags and variables override it", async () => {
    const cwd = await folderWith({
      "sandbox.config.yaml": "clock: 2026-01-15T09:00:00Z\nautoProvision: true\nbalance: 500\n",
    });
    const sandbox = await started([], { cwd });
    expect(sandbox.lines[0].clock.now).toBe("2026-01-15T09:00:00.000Z");
    expect((await get(sandbox, "/v1/balance", { authorization: "Bearer at_new" })).body.balance).toBe(500);
    const late = { SANDBOX_CLOCK: "2026-02-01T00:00:00Z" };
    expect((await started([], { cwd, env: late })).lines[0].clock.now).toBe("2026-02-01T00:00:00.000Z");
    expect((await started(["--clock", "running"], { cwd, env: late })).lines[0].clock.mode).toBe("running");
  });

  it("named by --config or SANDBOX_CONFIG replaces the folder's", async () => {
    const cwd = await folderWith({ "sandbox.config.json": '{ "balance": 1 }', "other.yaml": "balance: 2" });
    expect((await get(await started(["--config", "other.yaml"], { cwd }), "/v1/balance")).body.balance).toBe(2);
    expect(
      (await get(await started([], { cwd, env: { SANDBOX_CONFIG: "other.yaml" } }), "/v1/balance")).body.balance,
    ).toBe(2);
    expect((await get(await started([], { cwd }), "/v1/balance")).body.balance).toBe(1);
  });

  it("opens its companies instead of the default company", async () => {
    const cwd = await folderWith({
      "sandbox.config.yaml": "companies: [{ companyId: company_shop }, { companyId: company_bank, balance: 5 }]",
    });
    const sandbox = await started([], { cwd });
    expect(sandbox.lines[0].companyId).toBe("company_shop");
    expect((await get(sandbox, "/v1/balance", { authorization: "Bearer at_bank" })).body.balance).toBe(5);
    expect((await get(sandbox, "/v1/balance")).status).toBe(401);
  });
});

describe("fixtures", () => {
  const customers = 'customers: [{ msisdn: "+2250700000099", firstName: Awa, lastName: Koné, kycStatus: complete }]';
  const charges = "charges: [{ externalId: order-1, amount: 100, description: Shoes, status: due, id: c-1 }]";

  it("of one or several files are the initial state of a company", async () => {
    const cwd = await folderWith({ "a.yaml": customers, "b.yaml": charges });
    for (const args of [
      ["--fixtures", "a.yaml", "b.yaml"],
      ["--fixtures", "a.yaml", "--fixtures", "b.yaml"],
    ]) {
      const sandbox = await started(args, { cwd });
      expect((await get(sandbox, "/v1/transactions/customers/check?msisdn=%2B2250700000099")).body.firstName).toBe(
        "Awa",
      );
      expect((await get(sandbox, "/v1/charges/c-1")).body.status).toBe("due");
    }
  });

  it("have payment links to the sandbox's actual address", async () => {
    const cwd = await folderWith({ "charges.yaml": charges, "profile.yaml": "charges: { paymentUrlOnRead: true }" });
    const args = ["--fixtures", "charges.yaml", "--profile", "profile.yaml"];
    const sandbox = await started(args, { cwd });
    expect((await get(sandbox, "/v1/charges/c-1")).body.paymentUrl).toBe(`${sandbox.url}/checkout/c-1`);
    const elsewhere = await started([...args, "--public-url", "https://pay.test"], { cwd });
    expect((await get(elsewhere, "/v1/charges/c-1")).body.paymentUrl).toBe("https://pay.test/checkout/c-1");
  });
});
