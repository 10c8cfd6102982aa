import { afterEach, describe, expect, test } from "vitest";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../src/index.js";
import { verifySignature } from "../../src/webhooks.js";
import { createReceiver } from "../support/receiver.js";

const opened: Sandbox[] = [];
const create = async (options?: SandboxOptions): Promise<Sandbox> => {
  const sandbox = await createSandbox(options);
  opened.push(sandbox);
  return sandbox;
};
afterEach(async () => {
  await Promise.all(opened.splice(0).map((sandbox) => sandbox.close()));
});

const order = (externalId: string) => ({
  amount: 10_000,
  externalId,
  description: "Shoes",
  onCanceledRedirectionUrl: "https://shop.test/no",
  onCompletedRedirectionUrl: "https://shop.test/yes",
});

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

  test("leaves the process's Request and Response alone", async () => {
    const before = [globalThis.Request, globalThis.Response];
    const sandbox = await create();
    await fetch(`${sandbox.url}/v1/balance`);
    expect([globalThis.Request, globalThis.Response]).toEqual(before);
  });

  test("fetch needs no socket, and sends the company's credentials", async () => {
    const sandbox = await create();
    const created = await sandbox.fetch("/v1/charges", { json: order("order-1") });
    expect(created.status).toBe(201);
    expect(await created.json()).toMatchObject({ status: "created", paymentUrl: expect.stringContaining(sandbox.url) });
    const refused = await sandbox.fetch("/v1/balance", { headers: { authorization: "Bearer nobody" } });
    expect(refused.status).toBe(401);
    expect((await sandbox.fetch("/v1/webhooks/x", { method: "DELETE" })).status).toBe(404);
  });

  test("close is final and may be called twice", async () => {
    const sandbox = await create();
    await Promise.all([sandbox.close(), sandbox.close()]);
    await expect(fetch(sandbox.url)).rejects.toThrow("fetch failed");
    await sandbox[Symbol.asyncDispose]();
  });

  test.each<[SandboxOptions, RegExp]>([
    [{ clock: "tomorrow" }, /clock must be "running", "frozen", an ISO 8601 instant/],
    [{ seed: 1.5, balance: -1 }, /seed must be a whole number[^]*balance must be/],
    [{ profile: { transfers: { setlement: "manual" } } } as SandboxOptions, /Did you mean "transfers.settlement"/],
    [{ clok: "frozen" } as SandboxOptions, /clok is not an option. Did you mean "clock"\?/],
    [{ fixtures: "nowhere.yaml" }, /nowhere\.yaml/],
  ])("%j is refused", async (options, message) => {
    await expect(create(options)).rejects.toThrow(message);
  });
});

describe("time", () => {
  test("stands where it was put, and moves only when told to", async () => {
    const sandbox = await create({ clock: "2026-01-15T09:00:00Z" });
    const { id } = (await (await sandbox.fetch("/v1/charges", { json: order("order-1") })).json()) as { id: string };
    expect(sandbox.clock.mode).toBe("frozen");
    const { now, fired, firedCount } = await sandbox.clock.advance("1h");
    expect(now).toEqual(new Date("2026-01-15T10:00:00Z"));
    expect(fired).toEqual([{ at: new Date("2026-01-15T10:00:00Z"), kind: "charge.expire", id }]);
    expect(firedCount).toBe(1);
    expect(await (await sandbox.fetch(`/v1/charges/${id}`)).json()).toMatchObject({ status: "dropped" });
    await sandbox.clock.set(new Date("2026-01-16T00:00:00Z"));
    expect(sandbox.clock.now).toEqual(new Date("2026-01-16T00:00:00Z"));
    await expect(sandbox.clock.set("2026-01-15T00:00:00Z")).rejects.toThrow(/in the past/);
    await sandbox.clock.resume();
    expect(sandbox.clock.mode).toBe("running");
  });

  test("a date is an instant to freeze at", async () => {
    const sandbox = await create({ clock: new Date("2026-02-01T00:00:00Z") });
    expect(sandbox.clock.now).toEqual(new Date("2026-02-01T00:00:00Z"));
  });
});

describe("webhooks.waitFor", () => {
  test("matches what has come already, and what is still to come", async () => {
    const sandbox = await create({ clock: "frozen" });
    const future = sandbox.webhooks.waitFor("charges/events", (event) => event.data.status === "paid");
    const { id } = (await (await sandbox.fetch("/v1/charges", { json: order("order-1") })).json()) as { id: string };
    await sandbox.fetch(`/v1/charges/${id}/pay`, { method: "POST" });
    expect(await future).toMatchObject({ topic: "charges/events", data: { id, status: "paid" } });
    const past = await sandbox.webhooks.waitFor("charge/events");
    expect(past.data).toMatchObject({ id, due: 0 });
    expect(sandbox.webhooks.list("charges/events")).toHaveLength(1);
    expect(sandbox.webhooks.list("transactions/started")).toEqual([]);
  });

  test("resolves once every subscriber has had its attempt, with a genuine signature", async () => {
    const sandbox = await create({ clock: "frozen" });
    const receiver = await createReceiver();
    try {
      await sandbox.fetch("/v1/webhooks", { json: { topic: "charges/events", url: receiver.url } });
      const { id } = (await (await sandbox.fetch("/v1/charges", { json: order("order-1") })).json()) as { id: string };
      await sandbox.fetch(`/v1/charges/${id}/pay`, { method: "POST" });
      await sandbox.webhooks.waitFor("charges/events", (event) => event.data.id === id);
      const [request] = receiver.received;
      const header = request?.headers["x-service-hmac-sha256"];
      expect(verifySignature(request?.raw ?? "", header, sandbox.secretKey)).toBe(true);
      expect(verifySignature(`${String(request?.raw)} `, header, sandbox.secretKey)).toBe(false);
    } finally {
      await receiver.close();
    }
  });

  test("says what did come when nothing matches in time", async () => {
    const sandbox = await create({ clock: "frozen" });
    const { id } = (await (await sandbox.fetch("/v1/charges", { json: order("order-1") })).json()) as { id: string };
    await sandbox.fetch(`/v1/charges/${id}/pay`, { method: "POST" });
    const waiting = sandbox.webhooks.waitFor("charges/events", (event) => event.data.status === "dropped", {
      timeout: 1,
    });
    await expect(waiting).rejects.toThrow(
      /No matching webhook of charges\/events came within 1 ms[^]*charges\/events paid/,
    );
    await expect(sandbox.webhooks.waitFor("transactions/complete" as "transactions/completed")).rejects.toThrow(
      /Did you mean "transactions?\/completed"/,
    );
  });
});

describe("worlds", () => {
  test("another company shares nothing with the first", async () => {
    const sandbox = await create({ clock: "frozen", balance: 50_000 });
    const other = await sandbox.company("second");
    expect(other.companyId).toBe("company_second");
    expect(other.balance).toBe(50_000);
    const { id } = (await (await sandbox.fetch("/v1/charges", { json: order("order-1") })).json()) as { id: string };
    expect((await other.fetch(`/v1/charges/${id}`)).status).toBe(404);
    await other.clock.advance("1d");
    expect(other.clock.now.getTime() - sandbox.clock.now.getTime()).toBe(86_400_000);
    const [a, b] = await Promise.all([sandbox.company(), sandbox.company()]);
    expect(a.companyId).not.toBe(b.companyId);
  });

  test("customers, balance and profile are steered, and reset takes it all back", async () => {
    const sandbox = await create({ clock: "frozen", profile: { http: { createdStatus: 200 } } });
    sandbox.customers.set("+2250700000010", { firstName: "Awa", lastName: "Koné" });
    expect(sandbox.customers.get("0700000010")).toEqual({ firstName: "Awa", lastName: "Koné", kycStatus: "complete" });
    const check = await sandbox.fetch("/v1/transactions/customers/check?msisdn=%2B2250700000010");
    expect(await check.json()).toEqual({ kycStatus: "complete", firstName: "Awa", lastName: "Koné" });
    sandbox.customers.delete("+2250700000010");
    expect(sandbox.customers.get("+2250700000010")).toBeUndefined();
    expect(() => sandbox.customers.set("7", { firstName: "A", lastName: "B" })).toThrow(/8 to 15 digits/);
    sandbox.setBalance(1234.5);
    expect(sandbox.balance).toBe(1234.5);
    expect(() => sandbox.setBalance(-1)).toThrow(/at least 0/);
    expect((await sandbox.fetch("/v1/charges", { json: order("order-1") })).status).toBe(200);
    sandbox.setProfile({ http: { createdStatus: 201 } });
    expect((await sandbox.fetch("/v1/charges", { json: order("order-2") })).status).toBe(201);
    await sandbox.reset();
    expect(sandbox.balance).toBe(10_000_000);
    expect((await sandbox.fetch("/v1/charges", { json: order("order-1") })).status).toBe(200);
  });

  test("two sandboxes of one seed tell the same story, and never meet", async () => {
    const [one, two, three] = await Promise.all([create({ seed: 7 }), create({ seed: 7 }), create({ seed: 8 })]);
    const ids = await Promise.all(
      [one, two, three].map(async (sandbox) => {
        const answer = await sandbox.fetch("/v1/charges", { json: order("order-1") });
        return ((await answer.json()) as { id: string }).id;
      }),
    );
    expect(ids[0]).toBe(ids[1]);
    expect(ids[2]).not.toBe(ids[0]);
  });
});

describe("replay", () => {
  test("a story that comes out as told resolves", async () => {
    const sandbox = await create();
    expect(await sandbox.replay("scenarios/charge-dropped.yaml")).toMatchObject({ passed: 1, skipped: 0 });
  });

  test("one that does not rejects with the step, its place and the difference", async () => {
    const sandbox = await create();
    const replaying = sandbox.replay("test/library/broken.yaml");
    await expect(replaying).rejects.toThrow(
      /broken\.yaml:6:5: GET \/v1\/balance[^]*body\.balance[^]*expected 1[^]*received 10000000/,
    );
  });
});
