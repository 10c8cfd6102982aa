import { expect, it } from "vitest";
import { WAITS_MAX } from "../../../src/http/control/deliveries-routes.js";
import { systemClock } from "../../../src/kernel/time/system-clock.js";
import { createFakeSystem } from "../../support/fake-system.js";
import { longestStop } from "../../support/loop-stops.js";
import { chargeRequest, transferRequest } from "../../support/requests.js";
import { createScriptedTransport } from "../../support/scripted-transport.js";
import { openWorld } from "../../support/world.js";

it("calls that wait for a delivery do not search all deliveries for one that was never there as they want it", async () => {
  const world = openWorld({ transport: createScriptedTransport(() => 200), balance: 1e9 });
  const { api, control } = world;
  expect((await control("POST", "/rules", { on: "delivery", then: { drop: true } })).status).toBe(201);
  await api("POST", "/v1/webhooks", { topic: "charges/events", url: "http://hook.test/" });
  for (let n = 0; n < 20; n++)
    await api("POST", "/v1/webhooks", { topic: "transactions/started", url: `http://hook.test/${n}` });
  for (let n = 0; n < 10; n++) {
    const transactions = Array.from({ length: 500 }, () => transferRequest());
    expect((await api("POST", "/v1/transactions/batch", { transactions })).status).toBe(201);
  }
  const waiting = Array.from({ length: WAITS_MAX }, () =>
    control("GET", "/deliveries/wait?topic=charges/events&status=pending&timeout=10m"),
  );
  const pay = async () => {
    const { id } = (await api("POST", "/v1/charges", chargeRequest())).body;
    expect((await api("POST", `/v1/charges/${id}/pay`)).status).toBe(200);
    await control("POST", "/settle");
  };
  await pay();
  // The rule drops the webhook, which was pending only within its step.
  expect(await longestStop(pay)).toBeLessThan(400);
  await control("DELETE", "/rules");
  await pay();
  for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200);
});

it("calls that wait for a delivery search after thousands of changes in turns of their own", async () => {
  const profile = { batch: { maxItems: 10_000 }, transfers: { settlement: "manual" } };
  const { sandbox, api, control } = openWorld({
    transport: createScriptedTransport(() => 200),
    balance: 1e9,
    profile,
  });
  await control("POST", "/rules", { on: "delivery", then: { delay: "1h" } });
  const { id } = (await api("POST", "/v1/webhooks", { topic: "transactions/started", url: "http://hook.test/" })).body;
  for (let n = 0; n < 2; n++) {
    const transactions = Array.from({ length: 10_000 }, () => transferRequest());
    expect((await api("POST", "/v1/transactions/batch", { transactions })).status).toBe(201);
  }
  const wait = (filter: string) => control("GET", `/deliveries/wait?topic=transactions/started&timeout=10m&${filter}`);
  const cancelled = wait("status=cancelled");
  const exhausted = Array.from({ length: WAITS_MAX - 1 }, () => wait("status=exhausted&resource=unknown"));
  expect((await api("DELETE", `/v1/webhooks/${id}`)).status).toBe(204);
  expect((await cancelled).body.status).toBe("cancelled");
  // The changes of a company with many more webhooks.
  const company = sandbox.defaultCompany;
  const { deliveries } = company.world;
  const changes = deliveries.values().map((row) => ({ store: deliveries, before: row, after: row }));
  const many = Array.from({ length: 20 }, () => changes).flat();
  const change = async () => company.emitChanged(many);
  expect(await longestStop(change)).toBeLessThan(500);
  await control("DELETE", "/companies/company_sandbox");
  for (const answer of await Promise.all(exhausted)) expect(answer.status).toBe(404);
});

it("calls that wait for a delivery and end together search in turns of their own, or not at all", async () => {
  const profile = { batch: { maxItems: 10_000 }, transfers: { settlement: "manual" } } as const;
  const { sandbox, api, control } = openWorld({
    transport: createScriptedTransport(() => 200),
    balance: 1e9,
    profile,
  });
  await control("POST", "/rules", { on: "delivery", then: { delay: "1h" } });
  for (const path of ["one", "two", "three"]) {
    const url = `http://hook.test/${path}`;
    const topic = path === "three" ? "transactions/completed" : "transactions/started";
    expect((await api("POST", "/v1/webhooks", { topic, url })).status).toBe(201);
  }
  for (let n = 0; n < 3; n++) {
    const transactions = Array.from({ length: 10_000 }, () => transferRequest());
    expect((await api("POST", "/v1/transactions/batch", { transactions })).status).toBe(201);
  }
  const begin = async (status: string) => {
    const before = sandbox.events.listenerCount("changed");
    const calls = Array.from({ length: WAITS_MAX }, () =>
      control("GET", `/deliveries/wait?topic=transactions/completed&timeout=10m&status=${status}`),
    );
    while (sandbox.events.listenerCount("changed") < before + WAITS_MAX) await systemClock.yieldToEventLoop();
    return calls;
  };
  const found = await begin("pending");
  const [transfer] = sandbox.defaultCompany.world.transfers.values();
  const complete = async () => {
    await control("POST", `/transactions/${transfer?.id}/complete`);
    for (const { body } of await Promise.all(found)) expect(body.status).toBe("pending");
  };
  expect(await longestStop(complete)).toBeLessThan(100);
  const missed = await begin("exhausted");
  const remove = async () => {
    await control("DELETE", "/companies/company_sandbox");
    for (const { status } of await Promise.all(missed)) expect(status).toBe(404);
  };
  expect(await longestStop(remove)).toBeLessThan(100);
});

/** 40 000 webhooks to a receiver that never answers. */
async function openHanging() {
  const profile = { batch: { maxItems: 10_000 }, transfers: { settlement: "manual" } } as const;
  const transport = { send: () => new Promise<never>(() => undefined), close: async () => undefined };
  const system = createFakeSystem();
  const { sandbox, api, control } = openWorld({ system, transport, balance: 1e9, profile });
  await api("POST", "/v1/webhooks", { topic: "transactions/started", url: "http://hook.test/" });
  for (let n = 0; n < 4; n++) {
    const transactions = Array.from({ length: 10_000 }, () => transferRequest());
    expect((await api("POST", "/v1/transactions/batch", { transactions })).status).toBe(201);
  }
  while (sandbox.defaultCompany.dispatcher.inFlight.length === 0) await systemClock.yieldToEventLoop();
  const areWaiting = async (count: number) => {
    while (sandbox.events.listenerCount("attemptEnded") < count) await systemClock.yieldToEventLoop();
  };
  return { system, control, areWaiting };
}

it("calls that settle and give up at the same time name what is left in turns of their own", async () => {
  const { system, control, areWaiting } = await openHanging();
  const calls = Array.from({ length: 300 }, () => control("POST", "/settle", { maxWaitMs: 1000 }));
  await areWaiting(300);
  const giveUp = async () => {
    system.pass(1_000);
    for (const { body } of await Promise.all(calls)) expect(body.settled).toBe(false);
  };
  expect(await longestStop(giveUp)).toBeLessThan(500);
});

it("calls that wait to move the clock end in turns of their own when the company is reset", async () => {
  const { control, areWaiting } = await openHanging();
  const advance = control("POST", "/clock/advance", { by: "1h" });
  const calls = Array.from({ length: 1_000 }, () => control("PUT", "/clock", { mode: "running" }));
  await areWaiting(1_000);
  const reset = async () => {
    expect((await control("POST", "/reset")).status).toBe(200);
    for (const { status } of await Promise.all([advance, ...calls])) expect(status).toBe(422);
  };
  expect(await longestStop(reset)).toBeLessThan(500);
});
