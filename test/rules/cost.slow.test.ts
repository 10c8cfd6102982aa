import { expect, it } from "vitest";
import { createSandbox } from "../../src/index.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { createScriptedTransport } from "../support/scripted-transport.js";
import { longestStop } from "../support/loop-stops.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import { type TestWorld, openWorld } from "../support/world.js";

/** A company with 20 receivers of each transfer. */
async function openBusyWorld(): Promise<TestWorld> {
  const world = openWorld({ transport: createScriptedTransport(() => 200), balance: 1_000_000_000 });
  for (let n = 0; n < 20; n++)
    await world.api("POST", "/v1/webhooks", { topic: "transactions/started", url: `http://hook.test/${n}` });
  return world;
}

async function payBatch({ api }: TestWorld): Promise<void> {
  const transactions = Array.from({ length: 500 }, () => transferRequest());
  expect((await api("POST", "/v1/transactions/batch", { transactions })).status).toBe(201);
}

it("a long rule is not rendered for each webhook to which it applies", async () => {
  const world = await openBusyWorld();
  const long = "x".repeat(99_000);
  const match = { topic: { $in: ["transactions/started", long] }, url: { $contains: "hook" } };
  const rule = await world.control("POST", "/rules", { on: "delivery", match, then: { drop: true } });
  expect(rule.status).toBe(201);
  expect(await longestStop(() => payBatch(world))).toBeLessThan(1300);
  const { body } = await world.control("GET", "/coverage");
  expect(body.rules.map(({ count }: { count: number }) => count)).toEqual([10_000]);
});

it("rules that are used up, but hold webhooks, take no time for each webhook of a batch", async () => {
  const world = await openBusyWorld();
  await world.api("POST", "/v1/webhooks", { topic: "charges/events", url: "http://hook.test/" });
  for (let n = 0; n < 1_000; n++) {
    const rule = { on: "delivery", match: { topic: "charges/events" }, then: { reverse: true }, times: 1 };
    expect((await world.control("POST", "/rules", rule)).status).toBe(201);
    const { id } = (await world.api("POST", "/v1/charges", chargeRequest())).body;
    expect((await world.api("POST", `/v1/charges/${id}/pay`)).status).toBe(200);
  }
  expect(await longestStop(() => payBatch(world))).toBeLessThan(1500);
});

it("a reset does not read all rules again for each rule", async () => {
  const rules = Array.from({ length: 1_000 }, (_, n) => ({
    on: "transfer" as const,
    match: { reference: `${"x".repeat(950)}${n}` },
    then: { outcome: "failed" as const },
  }));
  await using sandbox = await createSandbox({ rules });
  const stopMs = await longestStop(() => sandbox.reset());
  expect(stopMs).toBeLessThan(500);
  expect(sandbox.rules.list()).toHaveLength(1_000);
});

it("rules take less than a second when a batch falls due while a request is being handled", async () => {
  let ahead = 0;
  const system = { ...systemClock, now: () => systemClock.now() + ahead };
  const world = openWorld({ system, clock: "running", transport: createScriptedTransport(() => 200), balance: 1e9 });
  await world.api("POST", "/v1/webhooks", { topic: "transactions/completed", url: "http://hook.test/" });
  const matches = [
    ...Array.from({ length: 40 }, (_, n) => ({ reference: { $regex: `(x+x+)+y${n}|([a-z]+[0-9]+)*z{1,40}${n}` } })),
    ...Array.from({ length: 300 }, () => ({ amount: { $in: Array.from({ length: 900 }, () => 1) } })),
  ];
  for (const data of matches) {
    const rule = { on: "delivery", match: { data }, then: { drop: true } };
    expect((await world.control("POST", "/rules", rule)).status).toBe(201);
  }
  const transactions = Array.from({ length: 500 }, (_, n) => transferRequest({ reference: "x".repeat(200) + n }));
  expect((await world.api("POST", "/v1/transactions/batch", { transactions })).status).toBe(201);
  const [company] = world.sandbox.companies;
  ahead = 2_000;
  // The step of a request that begins before they fall due.
  expect(await longestStop(async () => company?.run(() => undefined, undefined))).toBeLessThan(2_500);
  const completed = await world.control("GET", "/transactions?status=completed&limit=1000");
  expect(completed.body.count).toBe(500);
});

it("items that fall due while a request is being handled take half a second, and the others follow it", async () => {
  let ahead = 0;
  const system = { ...systemClock, now: () => systemClock.now() + ahead };
  const world = openWorld({ system, clock: "running", transport: createScriptedTransport(() => 200), balance: 1e9 });
  await world.api("POST", "/v1/webhooks", { topic: "transactions/completed", url: "http://hook.test/" });
  // The use of each of these rules is counted for each payout, and written as JSON.
  for (let n = 0; n < 10; n++) {
    const url = { $in: ["http://hook.test/", "x".repeat(95_000)] };
    const rule = { name: `rule ${n}`, on: "delivery", match: { url, nth: 1_000_000 }, then: { drop: true } };
    expect((await world.control("POST", "/rules", rule)).status).toBe(201);
  }
  for (let n = 0; n < 4; n++) await payBatch(world);
  const [company] = world.sandbox.companies;
  ahead = 10_000;
  let at = 0;
  const stopMs = await longestStop(async () => company?.run((work) => (at = work.at), undefined));
  expect(stopMs).toBeLessThan(2_500);
  expect(at).toBeLessThan(company?.now() ?? 0);
  await world.control("GET", "/clock");
  const settled = company?.world.transfers.values() ?? [];
  expect(settled.map(({ status }) => status)).toEqual(Array(2_000).fill("completed"));
});
