import { describe, expect, it } from "vitest";
import { startReceiver } from "../../support/receiver.js";
import { chargeRequest, transferRequest } from "../../support/requests.js";
import { type LooseJson, openWorld, type TestWorld } from "../../support/world.js";

let world: TestWorld;

async function charge(): Promise<string> {
  return (await world.api("POST", "/v1/charges", chargeRequest())).body.id;
}

async function state(company = "company_sandbox"): Promise<LooseJson> {
  return (await world.control("GET", `/state?company=${company}`)).body;
}

describe("POST /reset", () => {
  it("restores the initial state", async () => {
    world = openWorld({ balance: 250_000, profile: { charges: { min: 10 } } });
    const before = await state();
    const receiver = await startReceiver({ status: 500 });
    await world.api("POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url });
    await world.api("POST", "/v1/transactions", transferRequest());
    await world.control("POST", `/charges/${await charge()}/pay`);
    await world.control("PUT", "/customers/22500000000", { firstName: "A", lastName: "B" });
    await world.control("PATCH", "/profile", { transfers: { settlement: "manual" } });
    await world.control("POST", "/companies/company_sandbox/rotate", { accessToken: "other" });
    await world.control("POST", "/companies/company_sandbox/rotate", { secretKey: "other" });
    await world.control("POST", "/clock/advance", { by: "1d" });
    const answer = await world.control("POST", "/reset");
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ reset: ["company_sandbox"] });
    expect(answer.headers.get("x-sandbox-now")).toBe("2026-01-15T09:00:00.000Z");
    expect(await state()).toEqual({ ...before, ledger: [{ ...before.ledger[0], id: expect.any(String) }] });
    expect((await world.control("GET", "/companies")).body.data[0]).toMatchObject({
      accessToken: "at_sandbox",
      secretKey: "secret_sandbox",
      balance: 250_000,
    });
    expect((await world.api("GET", "/v1/balance")).status).toBe(200);
  });

  it("changes no customer check that is under way", async () => {
    world = openWorld({ profile: { customers: { unlisted: "generated" } } });
    const path = "/v1/transactions/customers/check?msisdn=0102030405";
    const asked = world.api("GET", path);
    await world.control("POST", "/reset");
    expect((await asked).body.kycStatus).toBe("complete");
  });

  it("drops deliveries that are in flight", async () => {
    world = openWorld();
    const receiver = await startReceiver("hang");
    await world.api("POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url });
    await world.control("POST", `/charges/${await charge()}/pay`);
    await receiver.waitFor(1);
    await world.control("POST", "/reset");
    expect((await world.control("POST", "/settle")).body.settled).toBe(true);
    expect((await world.control("GET", "/deliveries")).body.data).toEqual([]);
  });

  it("ends running and queued advances with 422", async () => {
    world = openWorld();
    const receiver = await startReceiver("hang");
    await world.api("POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url });
    await charge();
    const first = world.control("POST", "/clock/advance", { by: "2h" });
    const second = world.control("POST", "/clock/advance", { by: "2h" });
    await receiver.waitFor(1);
    expect((await world.control("POST", "/reset")).status).toBe(200);
    for (const ended of [await first, await second]) {
      expect(ended.status).toBe(422);
      expect(ended.body.message).toEqual([
        "The clock was not advanced to the end: the company was reset, restored or closed meanwhile.",
      ]);
    }
    expect((await world.control("GET", "/clock")).body).toMatchObject({
      mode: "frozen",
      now: "2026-01-15T09:00:00.000Z",
      pendingTimers: 0,
    });
  });

  it("leaves other companies alone", async () => {
    world = openWorld();
    await world.control("POST", "/companies", { companyId: "b" });
    await world.control("PUT", "/balance", { balance: 1 });
    await world.control("PUT", "/balance?company=b", { balance: 2 });
    await world.control("POST", "/reset?company=b");
    expect((await world.control("GET", "/balance")).body.balance).toBe(1);
    expect((await world.control("GET", "/balance?company=b")).body.balance).toBe(10_000_000);
  });

  it("is 422 while another company has an initial token", async () => {
    world = openWorld();
    await world.control("POST", "/companies/company_sandbox/rotate", { accessToken: "mine" });
    await world.control("POST", "/companies", { companyId: "b", accessToken: "at_sandbox" });
    const answer = await world.control("POST", "/reset");
    expect(answer.status).toBe(422);
    expect(answer.body.message[0]).toContain('the company "b" has its initial access token now');
    expect((await world.api("GET", "/v1/balance", undefined, { authorization: "Bearer mine" })).status).toBe(200);
    expect((await world.control("POST", "/reset?company=*")).status).toBe(200);
    expect((await world.api("GET", "/v1/balance")).status).toBe(200);
  });

  it("is 404 for an unknown company and 400 for any body", async () => {
    world = openWorld();
    expect((await world.control("POST", "/reset?company=nobody")).status).toBe(404);
    const answer = await world.control("POST", "/reset", { company: "*" });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toEqual(['body has no "company", nothing is expected there.']);
    expect((await world.control("POST", "/reset", {})).status).toBe(200);
  });
});

describe("POST /reset?company=*", () => {
  it("resets all, removes those opened since the start and brings back those removed", async () => {
    world = openWorld();
    await world.control("PUT", "/balance", { balance: 1 });
    await world.control("POST", "/companies", { companyId: "b" });
    expect((await world.control("POST", "/reset?company=*")).body).toEqual({ reset: ["company_sandbox"] });
    expect((await world.control("GET", "/balance")).body.balance).toBe(10_000_000);
    expect((await world.control("GET", "/balance?company=b")).status).toBe(404);
    await world.control("DELETE", "/companies/company_sandbox");
    await world.control("POST", "/reset?company=*");
    expect((await world.api("GET", "/v1/balance")).status).toBe(200);
  });
});
