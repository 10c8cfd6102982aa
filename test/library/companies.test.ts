import { describe, expect, test } from "vitest";
import type { CompanyOptions, Person, ProfileInput } from "../../src/index.js";
import { create, createCharge, order, pay } from "./sandboxes.js";

describe("another company", () => {
  test("shares nothing with the first", async () => {
    const sandbox = await create({ balance: 50_000 });
    const other = await sandbox.company({ name: "second" });
    expect(other.env).toEqual({
      SANDBOX_URL: sandbox.url,
      SANDBOX_ACCESS_TOKEN: "at_second",
      SANDBOX_COMPANY_ID: "company_second",
      SANDBOX_SECRET_KEY: "secret_second",
    });
    expect(other.balance).toBe(50_000);
    const { id } = await createCharge(sandbox, "order-1");
    expect((await other.fetch(`/v1/charges/${id}`)).status).toBe(404);
    await other.clock.advance("1d");
    expect(other.clock.now.getTime() - sandbox.clock.now.getTime()).toBe(86_400_000);
    await pay(sandbox, id);
    expect(sandbox.webhooks.list()).toHaveLength(1);
    expect(other.webhooks.list()).toEqual([]);
    const waiting = other.webhooks.waitFor("charges/events", () => true, { timeout: 0 });
    await expect(waiting).rejects.toThrow("None of any topic did.");
  });

  test("prefers its own options to the sandbox's, also after a reset", async () => {
    const sandbox = await create({ profile: { http: { createdStatus: 200 }, charges: { max: 20_000 } } });
    const options: CompanyOptions = {
      clock: "2026-03-01T00:00:00Z",
      balance: 7,
      profile: { http: { createdStatus: 201 } },
    };
    const other = await sandbox.company(options);
    const look = async () => [
      other.clock.now.toISOString(),
      other.balance,
      (await other.fetch("/v1/charges", { json: order("order-1") })).status,
      (await other.fetch("/v1/charges", { json: { ...order("order-2"), amount: 20_001 } })).status,
    ];
    expect(await look()).toEqual(["2026-03-01T00:00:00.000Z", 7, 201, 400]);
    other.setBalance(8);
    await other.clock.advance("1h");
    await other.reset();
    expect(await look()).toEqual(["2026-03-01T00:00:00.000Z", 7, 201, 400]);
    const running = await sandbox.company({ clock: "running" });
    expect(running.clock.mode).toBe("running");
    const frozen = await sandbox.company({ clock: "frozen" });
    expect(frozen.clock.now).toEqual(sandbox.clock.now);
  });

  test("has a unique name, given or generated", async () => {
    const sandbox = await create({ autoProvision: true });
    const [a, b] = await Promise.all([sandbox.company(), sandbox.company()]);
    expect(a.companyId).not.toBe(b.companyId);
    await sandbox.fetch("/v1/balance", {
      headers: { authorization: "Bearer at_test_3", "x-company-id": "company_test_3" },
    });
    expect((await sandbox.company()).companyId).toBe("company_test_4");
    await expect(sandbox.company({ name: "test_3" })).rejects.toThrow(/the id "company_test_3" is taken/);
  });

  test.each<[CompanyOptions, RegExp]>([
    [{ name: "my test" }, /Failed to open the company: name must be 1 to 100 letters, digits/],
    [{ port: 1 } as CompanyOptions, /port is not an option/],
    [{ profile: { charges: { min: 0 } } }, /charges\.min must be/],
    [{ profile: "strict.yaml" as ProfileInput }, /profile must be an object of settings/],
  ])("with %j is refused", async (options, message) => {
    const sandbox = await create();
    await expect(sandbox.company(options)).rejects.toThrow(message);
  });

  test("is removed when it is closed, and its name is free again", async () => {
    const sandbox = await create();
    const other = await sandbox.company({ name: "second" });
    const waiting = other.webhooks.waitFor("charges/events");
    await other.close();
    await other.close();
    await expect(waiting).rejects.toThrow(
      "Failed to use the company company_second: the company company_second was closed",
    );
    expect(() => other.balance).toThrow(/was closed before/);
    expect(other.accessToken).toBe("at_second");
    const answer = await fetch(`${sandbox.url}/v1/balance`, { headers: { authorization: "Bearer at_second" } });
    expect(answer.status).toBe(401);
    expect((await sandbox.company({ name: "second" })).companyId).toBe("company_second");
  });
});

describe("the state of a company", () => {
  test("includes customers", async () => {
    const sandbox = await create();
    const awa = { firstName: "Awa", lastName: "Koné", kycStatus: "complete" };
    expect(sandbox.customers.set("+2250700000010", { firstName: "Awa", lastName: "Koné" })).toEqual({
      msisdn: "+2250700000010",
      ...awa,
    });
    sandbox.customers.set("0700000011", { firstName: "Yao", lastName: "Kra", kycStatus: "incomplete" });
    expect(sandbox.customers.get("0700000010")).toMatchObject(awa);
    const check = await sandbox.fetch("/v1/transactions/customers/check?msisdn=%2B2250700000010");
    expect(await check.json()).toEqual(awa);
    expect(sandbox.customers.list().map(({ msisdn }) => msisdn)).toEqual(["+2250700000010", "0700000011"]);
    sandbox.customers.delete("+2250700000010");
    sandbox.customers.delete("+2250700000010");
    expect(sandbox.customers.get("+2250700000010")).toBeUndefined();
    expect(() => sandbox.customers.set("7", { firstName: "A", lastName: "B" })).toThrow(/8 to 15 digits[^]*got "7"/);
    expect(() => sandbox.customers.set("0700000012", { firstName: " ", lastName: "" })).toThrow(
      /firstName must be a text[^]*lastName must be/,
    );
    expect(() => sandbox.customers.set("0700000012", undefined as unknown as Person)).toThrow(
      "firstName must be a text of 1 to 200 characters that is not blank, got nothing.",
    );
    expect(() => sandbox.customers.get(10n as unknown as string)).toThrow(/^msisdn must be .*, got a bigint\.$/);
    expect(sandbox.customers.list()).toHaveLength(1);
  });

  test("includes a balance and settings, which a reset restores", async () => {
    const sandbox = await create({ profile: { http: { createdStatus: 200 } } });
    sandbox.setBalance(1234.5);
    expect(sandbox.balance).toBe(1234.5);
    for (const wrong of [-1, Number.NaN, 0.00001]) {
      expect(() => sandbox.setBalance(wrong)).toThrow(/balance must be a number of XOF, at least 0/);
    }
    const statusOf = async (externalId: string) =>
      (await sandbox.fetch("/v1/charges", { json: order(externalId) })).status;
    expect(await statusOf("order-1")).toBe(200);
    sandbox.setProfile({ http: { createdStatus: 201 } });
    expect(await statusOf("order-2")).toBe(201);
    expect(() => sandbox.setProfile({ http: { createdStatus: 202 as 201 } })).toThrow(/http\.createdStatus must be/);
    expect(await statusOf("order-3")).toBe(201);
    sandbox.setProfile({ http: null });
    expect(await statusOf("order-4")).toBe(201);
    await sandbox.reset();
    expect(sandbox.balance).toBe(10_000_000);
    expect(await statusOf("order-1")).toBe(200);
  });

  test("has the new token after a rotation", async () => {
    const sandbox = await create();
    const rotate = (json: object) => sandbox.fetch("/_sandbox/companies/company_sandbox/rotate", { json });
    await rotate({ accessToken: "at_new", overlap: "1h" });
    await rotate({ secretKey: "secret_new" });
    expect([sandbox.accessToken, sandbox.secretKey]).toEqual(["at_new", "secret_new"]);
    expect((await sandbox.fetch("/v1/balance")).status).toBe(200);
  });
});
