import { expect, it, vi } from "vitest";
import { credentials } from "../support/call.js";
import { createFakeSystem } from "../support/fake-system.js";
import { longestStop } from "../support/loop-stops.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import { openWorld } from "../support/world.js";

it("answers that a rule delayed are recorded without a look at all that happened since", async () => {
  const system = createFakeSystem();
  const { api, control } = openWorld({ system, profile: { transfers: { min: 1, settlement: "immediate" } } });
  await control("POST", "/rules", { on: "request", match: { path: "/v1/charges" }, then: { delay: "10s" } });
  const delayed = Array.from({ length: 500 }, () => api("POST", "/v1/charges", chargeRequest()));
  for (let batch = 0; batch < 60; batch++) {
    const transactions = Array.from({ length: 500 }, () => transferRequest({ amount: 1 }));
    expect((await api("POST", "/v1/transactions/batch", { transactions })).status).toBe(201);
  }
  let statuses: readonly number[] = [];
  const finish = async () => {
    system.pass(10_000);
    statuses = (await Promise.all(delayed)).map(({ status }) => status);
  };
  expect(await longestStop(finish)).toBeLessThan(2_000);
  expect(new Set(statuses)).toEqual(new Set([201]));
}, 120_000);

it("large answers that a rule delayed are sent one in each turn", async () => {
  const system = createFakeSystem();
  const { app, control } = openWorld({ system });
  await control("POST", "/rules", { on: "request", then: { delay: "10s", status: 503, body: "x".repeat(1_000_000) } });
  const delayed = Array.from({ length: 500 }, async () => app.request("/v1/balance", { headers: credentials }));
  await vi.waitFor(() => expect(system.pending).toHaveLength(500));
  let statuses: readonly number[] = [];
  const finish = async () => {
    system.pass(10_000);
    statuses = (await Promise.all(delayed)).map(({ status }) => status);
  };
  expect(await longestStop(finish)).toBeLessThan(500);
  expect(new Set(statuses)).toEqual(new Set([503]));
}, 120_000);
