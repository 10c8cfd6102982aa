import { expect, it } from "vitest";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { credentials } from "../support/call.js";
import { createFakeSystem, type FakeSystem } from "../support/fake-system.js";
import { longestStop } from "../support/loop-stops.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import { openWorld } from "../support/world.js";

/** Lets the ten seconds pass for which a rule delays these answers. */
async function finish(system: FakeSystem, delayed: readonly Promise<{ readonly status: number }>[]) {
  let statuses: readonly number[] = [];
  const stop = await longestStop(async () => {
    system.pass(10_000);
    statuses = (await Promise.all(delayed)).map(({ status }) => status);
  });
  return { stop, statuses: new Set(statuses) };
}

it("answers that a rule delayed are recorded without a look at all that happened since", async () => {
  const system = createFakeSystem();
  const { api, control } = openWorld({ system, profile: { transfers: { min: 1, settlement: "immediate" } } });
  await control("POST", "/rules", { on: "request", match: { path: "/v1/charges" }, then: { delay: "10s" } });
  const delayed = Array.from({ length: 500 }, () => api("POST", "/v1/charges", chargeRequest()));
  for (let batch = 0; batch < 60; batch++) {
    const transactions = Array.from({ length: 500 }, () => transferRequest({ amount: 1 }));
    expect((await api("POST", "/v1/transactions/batch", { transactions })).status).toBe(201);
  }
  const { stop, statuses } = await finish(system, delayed);
  expect(stop).toBeLessThan(2_000);
  expect(statuses).toEqual(new Set([201]));
}, 120_000);

it("large answers that a rule delayed are sent one in each turn", async () => {
  const system = createFakeSystem();
  const { app, control } = openWorld({ system });
  await control("POST", "/rules", { on: "request", then: { delay: "10s", status: 503, body: "x".repeat(1_000_000) } });
  const delayed = Array.from({ length: 500 }, async () => app.request("/v1/balance", { headers: credentials }));
  while (system.pending.length < 500) await systemClock.yieldToEventLoop();
  const { stop, statuses } = await finish(system, delayed);
  expect(stop).toBeLessThan(500);
  expect(statuses).toEqual(new Set([503]));
}, 120_000);
