import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it, onTestFinished } from "vitest";
import { startLive } from "../support/live.js";
import { holdId } from "../../src/domain/model/delivery.js";
import { CONCURRENT_ATTEMPTS_PER_RECEIVER } from "../../src/sandbox/company/dispatcher.js";
import { logActivity } from "../../src/sandbox/activity-log.js";
import { DEFAULT_LIMITS } from "../../src/sandbox/company/limits.js";
import type { Log } from "../../src/kernel/log.js";
import { longestStop } from "../support/loop-stops.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import { createScriptedTransport } from "../support/scripted-transport.js";
import { openWorld } from "../support/world.js";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

describe("different resources go out concurrently, bounded per receiver, keep-alive", () => {
  it("five thousand are sent over a limited number of sockets at a time", async () => {
    const live = await startLive({
      balance: 7e11,
      profile: { batch: { maxItems: 5_000 }, server: { bodyLimit: 8 * 1024 * 1024 } },
    });
    const receiver = await live.receiverFor("transactions/completed");
    const transactions = Array.from({ length: 5_000 }, (_, n) => ({
      amount: 5_000,
      msisdn: "0700000001",
      reference: `r${n}`,
    }));
    await live.ok("POST", "/v1/transactions/batch", { transactions });
    const result = await live.advance("2s");
    expect(result.deliveries).toEqual({ attempted: 5_000, succeeded: 5_000, failed: 0 });
    expect(new Set(receiver.received.map(({ body }) => body.data.id)).size).toBe(5_000);
    expect(receiver.mostConnections).toBeLessThanOrEqual(CONCURRENT_ATTEMPTS_PER_RECEIVER);
    // On a slow machine a socket may wait for so long that it is closed, and another one is opened later.
    expect(receiver.connectionsMade).toBeLessThan(500);
  }, 60_000);
});

it("thousands of held deliveries are released, and others sent again, without blocking the event loop for long", async () => {
  const { api, control, sandbox } = openWorld({ transport: createScriptedTransport(() => 200) });
  await api("POST", "/v1/webhooks", { topic: "transactions/started", url: "http://hook.test/" });
  await control("POST", "/rules", { on: "delivery", then: { hold: "end" } });
  await api("POST", "/v1/transactions", transferRequest());
  const company = sandbox.defaultCompany;
  const { holds, deliveries } = company.world;
  const [hold] = holds.values();
  const [delivery] = deliveries.values();
  if (hold === undefined || delivery === undefined) throw new Error("Nothing is held.");
  for (let n = 0; n < 40_000; n++) {
    const eventId = `evt_${n}`;
    deliveries.set({ ...delivery, id: `del_${n}`, seq: company.nextSeq(), eventId });
    const held = { ...hold, seq: company.nextSeq(), eventId, deliveryIds: [`del_${n}`] };
    holds.set({ ...held, id: holdId(held) });
  }
  for (const { id } of deliveries.values().slice(0, 5_000)) {
    const failed = { ...delivery, id: `${id}_failed`, seq: company.nextSeq(), status: "exhausted" } as const;
    deliveries.set({ ...failed, eventId: `evt_${failed.id}` });
  }
  const redeliveryMs = await longestStop(() => control("POST", "/deliveries/redeliver"));
  expect(redeliveryMs).toBeLessThan(200);
  const stopMs = await longestStop(() => control("DELETE", "/rules"));
  expect(holds.size).toBe(0);
  expect(stopMs).toBeLessThan(10_500);
  company.close();
});

/** A company with failing deliveries to one subscription, whose changes are logged. */
async function openFailing(log: Log, count: number, limits = DEFAULT_LIMITS) {
  const { api, control, sandbox } = openWorld({ transport: createScriptedTransport(() => 500), log, limits });
  const subscription = await api("POST", "/v1/webhooks", { topic: "transactions/started", url: "http://hook.test/" });
  await api("POST", "/v1/transactions", transferRequest());
  const company = sandbox.defaultCompany;
  const { deliveries } = company.world;
  const [delivery] = deliveries.values();
  if (delivery === undefined) throw new Error("Nothing is sent.");
  const ids = Array.from({ length: count }, (_, n) => `del_${n}`);
  for (const id of ids) deliveries.set({ ...delivery, id, seq: company.nextSeq() });
  onTestFinished(() => company.close());
  return {
    ids,
    api,
    control,
    flush: logActivity(sandbox),
    cancelAll: () => api("DELETE", `/v1/webhooks/${subscription.body.id}`),
  };
}

it("the lines of the log about thousands of deliveries are written between other work, in their order", async () => {
  const written: unknown[] = [];
  const log = {
    wants: () => true,
    write(_level: string, event: string, fields: Readonly<Record<string, unknown>> = {}) {
      const start = performance.now();
      while (performance.now() - start < 0.1);
      if (event === "delivery.cancelled") written.push(fields["delivery"]);
    },
  };
  const { ids, flush, cancelAll } = await openFailing(log, 6_000);
  const stopMs = await longestStop(async () => {
    await cancelAll();
    while (written.length < ids.length) await new Promise((resolve) => setImmediate(resolve));
  });
  expect(stopMs).toBeLessThan(400);
  flush();
  expect(written.slice(-ids.length)).toEqual(ids);
});

it("lines of the log beyond those that may wait are left out, and one warning says how many", async () => {
  const written: [string, unknown][] = [];
  const log = {
    wants: () => true,
    write: (_level: string, event: string, fields: Readonly<Record<string, unknown>> = {}) =>
      written.push([event, fields["message"]]),
  };
  const { flush, cancelAll } = await openFailing(log, 201_000);
  await cancelAll();
  flush();
  const warnings = written.filter(([event]) => event === "lines-left-out").map(([, message]) => message);
  expect(warnings).toEqual([
    expect.stringMatching(/^More than 200000 lines of the log waited: 100\d were left out\.$/),
  ]);
});

it("the bodies of requests are not kept while lines of the log wait", async () => {
  let written = 0;
  const log = { wants: (level: string) => level === "info", write: () => void written++ };
  const { api, cancelAll } = await openFailing(log, 150_000, { ...DEFAULT_LIMITS, requests: 1 });
  await cancelAll();
  const refuse = () => api("POST", "/v1/charges", { junk: Array.from({ length: 50_000 }, () => []) });
  await refuse();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < 60; n++) expect((await refuse()).status).toBe(400);
  collect();
  expect(written).toBeLessThan(150_000);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(30 * 1024 * 1024);
});

it("replaced states are not kept while lines of the log wait", async () => {
  let written = 0;
  const log = { wants: (level: string) => level === "info", write: () => void written++ };
  const { api, control, cancelAll } = await openFailing(log, 150_000);
  const metadata = { texts: Array.from({ length: 40_000 }, (_, n) => `text ${n}`) };
  await cancelAll();
  await control("POST", "/reset");
  expect((await api("POST", "/v1/charges", chargeRequest({ metadata }))).status).toBe(201);
  expect((await control("POST", "/snapshots/large")).status).toBe(201);
  const restore = async (): Promise<void> => {
    expect((await control("PUT", "/snapshots/large")).status).toBe(200);
    expect((await api("GET", "/v1/balance")).status).toBe(200);
  };
  await restore();
  collect();
  const before = process.memoryUsage().heapUsed;
  for (let n = 0; n < 40; n++) await restore();
  collect();
  expect(written).toBeLessThan(150_000);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(30 * 1024 * 1024);
});
