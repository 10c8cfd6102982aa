import { describe, expect, it } from "vitest";
import { createFakeSystem, type FakeSystem } from "../../support/fake-system.js";
import { startLive } from "../../support/live.js";
import { chargeRequest, transferRequest } from "../../support/requests.js";
import { openWorld, type TestWorld, type WorldOptions } from "../../support/world.js";
import { findingsOf, inTurn, kindsOf } from "./findings.js";

/** A sandbox whose real time passes only when a test lets it. */
function open(options: WorldOptions = {}): TestWorld & { readonly system: FakeSystem } {
  const system = createFakeSystem();
  const world = openWorld({ ...options, system });
  return { ...world, system };
}

describe("retry-at-once", () => {
  const order = transferRequest({ reference: "payout-x" });

  it.each([429, 500, 503])("reports the same request right after a %i", async (status) => {
    const system = createFakeSystem();
    const live = await startLive({ system });
    await live.control("POST", "/rules", { on: "request", then: { status }, times: 1 });
    expect((await live.http("POST", "/v1/transactions", order)).status).toBe(status);
    system.pass(20);
    expect((await live.http("POST", "/v1/transactions", order)).status).toBe(201);
    const [found, ...rest] = await findingsOf(live);
    expect(rest).toEqual([]);
    expect(found).toMatchObject({
      kind: "retry-at-once",
      severity: "warning",
      requests: [{ id: "req_1" }, { id: "req_2" }],
    });
    expect(found?.why).toContain(`req_1 was answered ${status} and sent again after 20 ms (req_2)`);
    expect(found?.requests[0]?.summary).toContain('reference "payout-x"');
  });

  it("reports a request before Retry-After is over", async () => {
    const { api, control, system } = open({ profile: { rateLimit: { requests: 1, per: "10s" } } });
    await api("GET", "/v1/balance");
    expect((await api("GET", "/v1/balance")).headers.get("retry-after")).toBe("10");
    system.pass(9_000);
    expect((await api("GET", "/v1/balance")).status).toBe(429);
    expect((await findingsOf({ control })).map(({ why }) => why)).toEqual([
      expect.stringContaining("after 9000 ms (req_3), though its Retry-After said 10 s"),
    ]);
  });

  it.each([
    ["waits", (world: TestWorld & { system: FakeSystem }) => Promise.resolve(world.system.pass(10_000))],
    ["moves the company's clock", ({ control }: TestWorld) => control("POST", "/clock/advance", { by: "10s" })],
  ])("does not report a client that %s", async (_, wait) => {
    const world = open({ profile: { rateLimit: { requests: 1, per: "10s" } } });
    await world.api("GET", "/v1/balance");
    await world.api("GET", "/v1/balance");
    await wait(world);
    await world.api("GET", "/v1/balance");
    expect(await kindsOf(world)).toEqual([]);
  });
});

describe("polling-too-fast", () => {
  it("reports the eleventh read of one resource within a second, once", async () => {
    const { api, control, system } = open();
    const { id } = (await api("POST", "/v1/charges", chargeRequest({ externalId: "order-x" }))).body;
    const read = async () => {
      system.pass(90);
      return api("GET", `/v1/charges/${id}`);
    };
    await inTurn(10, read);
    expect(await kindsOf({ control })).toEqual([]);
    await inTurn(20, read);
    const [found, ...rest] = await findingsOf({ control });
    expect(rest).toEqual([]);
    expect(found).toMatchObject({
      kind: "polling-too-fast",
      severity: "warning",
      requests: [{ path: `/v1/charges/${id}` }],
    });
    expect(found?.why).toContain("was read 11 times within 900 ms");
    expect(found?.requests[0]?.summary).toContain('externalId "order-x"');
  });

  it("does not report ten reads a second, or reads of many resources", async () => {
    const { api, control, system } = open();
    const { id } = (await api("POST", "/v1/charges", chargeRequest())).body;
    await inTurn(30, async () => {
      system.pass(101);
      return api("GET", `/v1/charges/${id}`);
    });
    await inTurn(30, (index) => api("GET", `/v1/charges/unknown-${index}`));
    await inTurn(30, () => api("GET", "/v1/balance"));
    expect(await kindsOf({ control })).toEqual([]);
  });
});
