import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  type AdvanceOptions,
  type Charge,
  createSandbox,
  type SandboxOptions,
  type Transaction,
  UsageError,
} from "../../src/index.js";
import { folderWith } from "../support/folder.js";
import { startReceiver } from "../support/receiver.js";
import { create, createCharge, order, payout } from "./sandboxes.js";

describe("a sandbox in the test's own process", () => {
  test("has an address, credentials, and an environment for a child", async () => {
    const sandbox = await create();
    expect(sandbox.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(sandbox.env).toEqual({
      SANDBOX_URL: sandbox.url,
      SANDBOX_ACCESS_TOKEN: "at_sandbox",
      SANDBOX_COMPANY_ID: "company_sandbox",
      SANDBOX_SECRET_KEY: "secret_sandbox",
    });
    const answer = await fetch(`${sandbox.url}/v1/balance`, {
      headers: { authorization: `Bearer ${sandbox.accessToken}` },
    });
    expect(await answer.json()).toEqual({ balance: 10_000_000, currency: "XOF" });
  });

  test("does not replace the process's Request and Response", async () => {
    const before = [globalThis.Request, globalThis.Response];
    const sandbox = await create();
    await fetch(`${sandbox.url}/v1/balance`);
    expect([globalThis.Request, globalThis.Response]).toEqual(before);
  });

  test("answers, delivers and closes under fake timers", async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const sandbox = await create();
    const receiver = await startReceiver();
    sandbox.subscribe("charges/events", receiver.url);
    expect((await fetch(`${sandbox.url}/v1/balance`)).status).toBe(401);
    await createCharge(sandbox, "order-1");
    await sandbox.clock.advance("1h");
    expect(receiver.received).toHaveLength(1);
    await sandbox.close();
  });

  test("runs in real time by default", async () => {
    const sandbox = await createSandbox();
    await using _ = sandbox;
    expect(sandbox.clock.mode).toBe("running");
    expect(Math.abs(sandbox.clock.now.getTime() - Date.now())).toBeLessThan(60_000);
  });

  test("begins in the state of its options, also after a reset", async () => {
    const sandbox = await create({
      balance: 1234.5,
      profile: { http: { createdStatus: 200 } },
      fixtures: "fixtures/demo-shop.yaml",
      publicUrl: "https://pay.shop.test/",
      productionHeadersOnly: true,
    });
    const look = async () => {
      const answer = await sandbox.fetch<Charge>("/v1/charges", { json: order("order-1") });
      const { paymentUrl = "" } = await answer.json();
      return [
        sandbox.balance,
        answer.status,
        answer.headers.has("x-sandbox"),
        paymentUrl.slice(0, 22),
        sandbox.customers.list().length > 0,
        sandbox.clock.now.toISOString(),
      ];
    };
    const asToldByOptions = [1234.5, 200, false, "https://pay.shop.test/", true, "2026-01-15T09:00:00.000Z"];
    expect(await look()).toEqual(asToldByOptions);
    sandbox.setBalance(1);
    sandbox.setProfile({ http: { createdStatus: 201 } });
    await sandbox.clock.advance("1d");
    await sandbox.reset();
    expect(await look()).toEqual(asToldByOptions);
  });

  test("opens a company for any token with autoProvision", async () => {
    const sandbox = await create({ autoProvision: true });
    const answer = await fetch(`${sandbox.url}/v1/balance`, { headers: { authorization: "Bearer at_worker1" } });
    expect(answer.status).toBe(200);
  });

  test("gives the same answers as another one with the same seed, and is isolated from it", async () => {
    const sandboxes = await Promise.all([create({ seed: 7 }), create({ seed: 7 }), create({ seed: 8 })]);
    const [one, two, three] = await Promise.all(
      sandboxes.map(async (sandbox) => (await createCharge(sandbox, "order-1")).id),
    );
    expect(one).toBe(two);
    expect(three).not.toBe(one);
  });
});

describe("wrong options", () => {
  test.each<[SandboxOptions, RegExp]>([
    [{ clock: "tomorrow" }, /Failed to create the sandbox: clock must be "running", "frozen", an ISO 8601 instant/],
    [{ clock: new Date("never") }, /clock must be/],
    [{ adminToken: "clé" }, /: adminToken must be a token: 1 to 200 visible ASCII .*, got something else\.$/],
    [{ seed: 1.5, balance: -1 }, /seed must be a whole number, got 1.5\.[^]*balance must be a number of XOF/],
    [{ profile: { transfers: { setlement: "manual" } } } as SandboxOptions, /Did you mean "transfers.settlement"/],
    [{ profile: ["manual"] } as SandboxOptions, /profile must be settings, or the path of a profile file/],
    [{ clok: "frozen" } as SandboxOptions, /clok is not an option. Did you mean "clock"\?/],
    [{ toString: 1 } as SandboxOptions, /toString is not an option/],
    [{ fixtures: "nowhere.yaml" }, /nowhere\.yaml/],
    [{ fixtures: [1] as unknown as string[] }, /fixtures must be the path/],
    [{ port: 70_000 }, /port must be a port from 0 to 65535/],
    [{ host: "" }, /host must be a text that is not empty/],
    [{ publicUrl: "shop.test" }, /publicUrl must be an absolute http or https URL/],
    [{ autoProvision: 1 } as unknown as SandboxOptions, /autoProvision must be true or false/],
  ])("%j is refused", async (options, message) => {
    const creating = create(options);
    await expect(creating).rejects.toThrow(message);
    await expect(creating).rejects.toThrow(UsageError);
  });

  test.each([null, 5, "frozen", []])("%j in place of an object is refused", async (options) => {
    const creating = Reflect.apply(createSandbox, undefined, [options]) as Promise<unknown>;
    await expect(creating).rejects.toThrow("Failed to create the sandbox: the options must be an object, got ");
    await expect(creating).rejects.toThrow(UsageError);
  });

  test("include conflicting fixtures; the port is free again", async () => {
    const company =
      "companies: [{ companyId: company_a, charges: [{ externalId: order-1, amount: 1000, description: x }] }]\n";
    const shared = "charges: [{ externalId: order-1, amount: 1000, description: x }]\n";
    const folder = await folderWith({ "company.yaml": company, "shared.yaml": shared });
    const creating = create({ fixtures: [`${folder}/company.yaml`, `${folder}/shared.yaml`] });
    await expect(creating).rejects.toThrow(UsageError);
    await expect(creating).rejects.toThrow(/order-1/);
  });

  test("include a port that is taken", async () => {
    const { url } = await create();
    await expect(create({ port: Number(new URL(url).port) })).rejects.toThrow(/Failed to listen on 127\.0\.0\.1:\d+/);
  });
});

describe("close", () => {
  test("is final, and may be called twice", async () => {
    const sandbox = await create();
    await Promise.all([sandbox.close(), sandbox.close()]);
    await expect(fetch(sandbox.url)).rejects.toThrow("fetch failed");
    await sandbox[Symbol.asyncDispose]();
  });

  test("makes everything except the credentials unusable", async () => {
    const sandbox = await create();
    await sandbox.close();
    expect(sandbox.env.SANDBOX_ACCESS_TOKEN).toBe("at_sandbox");
    const closed = /the sandbox was closed before/;
    expect(() => sandbox.balance).toThrow(closed);
    expect(() => sandbox.clock.now).toThrow(closed);
    expect(() => sandbox.setBalance(1)).toThrow(closed);
    expect(() => sandbox.customers.list()).toThrow(closed);
    await expect(sandbox.clock.advance("1h")).rejects.toThrow(closed);
    await expect(sandbox.webhooks.waitFor("charges/events")).rejects.toThrow(closed);
    await expect(sandbox.fetch("/v1/balance")).rejects.toThrow(closed);
    await expect(sandbox.reset()).rejects.toThrow(closed);
    await expect(sandbox.company()).rejects.toThrow(closed);
    await expect(sandbox.replay("scenarios/charge-dropped.yaml")).rejects.toThrow(closed);
  });
});

describe("time", () => {
  test("is frozen at the given time, and moves only by calls", async () => {
    const sandbox = await create();
    expect(sandbox.clock.next).toBeUndefined();
    const { id } = await createCharge(sandbox, "order-1");
    expect(sandbox.clock.mode).toBe("frozen");
    const expiry = { at: new Date("2026-01-15T10:00:00Z"), kind: "charge.expire", id };
    expect(sandbox.clock.next).toEqual(expiry);
    expect(await sandbox.clock.advance("1h")).toEqual({
      now: new Date("2026-01-15T10:00:00Z"),
      fired: [expiry],
      firedCount: 1,
      deliveries: { attempted: 0, succeeded: 0, failed: 0 },
      unfinished: [],
    });
    expect(await (await sandbox.fetch(`/v1/charges/${id}`)).json()).toMatchObject({ status: "dropped" });
    await sandbox.clock.set(new Date("2026-01-16T00:00:00Z"));
    expect(sandbox.clock.now).toEqual(new Date("2026-01-16T00:00:00Z"));
    await sandbox.clock.resume();
    expect(sandbox.clock.mode).toBe("running");
    await sandbox.clock.freeze();
    expect(sandbox.clock.mode).toBe("frozen");
  });

  test("advances to the next due item, which has the id of the API", async () => {
    const sandbox = await create();
    const answer = await sandbox.fetch<Transaction>("/v1/transactions", { json: payout("payout-1") });
    const { id } = await answer.json();
    const { now, fired } = await sandbox.clock.advanceToNext();
    expect(fired).toEqual([{ at: now, kind: "transfer.settle", id }]);
    expect((await sandbox.clock.advanceToNext()).firedCount).toBe(0);
  });

  test("moves by durations and to instants only, and never back", async () => {
    const sandbox = await create();
    await expect(sandbox.clock.advance("soon")).rejects.toThrow(/"soon" is not a duration/);
    const wrong = { maxWaitMs: "5s", setle: false } as unknown as AdvanceOptions;
    await expect(sandbox.clock.advance("1s", wrong)).rejects.toThrow(
      'Failed to move the clock: maxWaitMs must be a number of milliseconds from 0, got "5s".\n' +
        'Failed to move the clock: setle is not an option. Did you mean "settle"?',
    );
    await expect(sandbox.clock.advanceToNext({ maxWaitMs: Number.NaN })).rejects.toThrow("got NaN.");
    await expect(sandbox.clock.set("2027-01-01", null as unknown as AdvanceOptions)).rejects.toThrow(
      "the options must be an object, got null.",
    );
    await expect(sandbox.clock.set("tomorrow")).rejects.toThrow(/"tomorrow" is not an instant/);
    await expect(sandbox.clock.set(new Date("never"))).rejects.toThrow(/an invalid date is not an instant/);
    await expect(sandbox.clock.set("2026-01-15T00:00:00Z")).rejects.toThrow(/in the past/);
  });

  test("can be frozen at a Date", async () => {
    const sandbox = await create({ clock: new Date("2026-02-01T00:00:00Z") });
    expect(sandbox.clock.now).toEqual(new Date("2026-02-01T00:00:00Z"));
  });
});

describe("replay", () => {
  test("resolves when the scenario passes", async () => {
    const sandbox = await create();
    expect(await sandbox.replay("scenarios/charge-dropped.yaml")).toEqual({
      passed: 1,
      skipped: 0,
      scenarios: [
        {
          name: "A charge that nobody pays is dropped after one hour",
          file: "scenarios/charge-dropped.yaml",
          outcome: "passed",
        },
      ],
    });
  });

  test("rejects with the step, its position and the difference when it fails", async () => {
    const sandbox = await create();
    await expect(sandbox.replay("scenarios/charge-dropped.yaml", "test/library/broken.yaml")).rejects.toThrow(
      /broken\.yaml:6:5: GET \/v1\/balance[^]*body\.balance[^]*expected 1[^]*received 10000000/,
    );
  });

  test("rejects with the problems of all files", async () => {
    const sandbox = await create();
    await expect(sandbox.replay("nowhere.yaml", "fixtures/demo-shop.yaml")).rejects.toThrow(
      /nowhere\.yaml[^]*demo-shop\.yaml/,
    );
    await expect(sandbox.replay()).rejects.toThrow("no file was given");
  });

  test("rejects when every scenario was skipped", async () => {
    const folder = await folderWith({ "idle.yaml": "steps: [{ settle: true }]\n" });
    const sandbox = await create();
    await expect(sandbox.replay(`${folder}/idle.yaml`)).rejects.toThrow(
      /idle\.yaml: it has no request .* proves nothing\.$/,
    );
    const report = await sandbox.replay(`${folder}/idle.yaml`, "scenarios/charge-dropped.yaml");
    expect(report).toMatchObject({ passed: 1, skipped: 1 });
  });

  test("ends when the sandbox is closed", async () => {
    const folder = await folderWith({
      "wait.yaml": "name: waits\nsteps:\n  - request: GET /v1/balance\n  - wait: 10m\n",
    });
    const sandbox = await create();
    const replaying = sandbox.replay(`${folder}/wait.yaml`).catch(String);
    await vi.waitUntil(() => sandbox.report().requests === 1);
    await sandbox.close();
    expect(await replaying).toMatch(/The sandbox was closed/);
  });

  test("works over the control API too", async () => {
    const sandbox = await create();
    const answer = await sandbox.fetch("/_sandbox/scenarios/replay", {
      json: { file: "scenarios/charge-dropped.yaml" },
    });
    expect(await answer.json()).toMatchObject({ outcome: "passed" });
  });
});
