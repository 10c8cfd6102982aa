import { describe, expect, it } from "vitest";
import { startLive } from "../support/live.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import { type LooseJson, type TestWorld, openWorld } from "../support/world.js";

async function open(...rules: LooseJson[]): Promise<TestWorld> {
  const world = openWorld();
  for (const rule of rules) expect((await world.control("POST", "/rules", rule)).status).toBe(201);
  return world;
}

async function statusesOf(world: TestWorld, requests: readonly (readonly [string, string])[]): Promise<number[]> {
  const statuses: number[] = [];
  for (const [method, path] of requests) statuses.push((await world.api(method, path)).status);
  return statuses;
}

const balances = (count: number) => Array.from({ length: count }, () => ["GET", "/v1/balance"] as const);

describe("match.nth", () => {
  it("is the Nth of the requests that match the rest", async () => {
    const world = await open({
      on: "request",
      match: { path: "/v1/balance", nth: 2 },
      then: { status: 500 },
      times: 1,
    });
    const requests = [["GET", "/v1/balance"], ["GET", "/v1/webhooks"], ...balances(2)] as const;
    expect(await statusesOf(world, requests)).toEqual([200, 200, 500, 200]);
    expect((await world.control("GET", "/rules")).body.data).toEqual([]);
  });

  it("takes a matcher", async () => {
    const world = await open({ on: "request", match: { nth: { $gt: 2 } }, then: { status: 500 }, times: 2 });
    expect(await statusesOf(world, balances(5))).toEqual([200, 200, 500, 500, 200]);
  });

  it("counts for each rule, even while another rule answers", async () => {
    const world = await open(
      { on: "request", match: { nth: 3 }, then: { status: 500 } },
      { on: "request", match: { nth: 2 }, then: { status: 403 } },
      { on: "request", match: { nth: 1 }, then: { status: 401 }, times: 1 },
    );
    expect(await statusesOf(world, balances(4))).toEqual([401, 403, 500, 200]);
  });

  it("counts from the time when the rule is added, and is kept with the state", async () => {
    const world = await open();
    await statusesOf(world, balances(3));
    await world.control("POST", "/rules", { on: "request", match: { nth: 3 }, then: { status: 500 }, times: 1 });
    expect(await statusesOf(world, balances(1))).toEqual([200]);
    const { body: state } = await world.control("GET", "/state");
    expect(await statusesOf(world, balances(1))).toEqual([200]);
    await world.control("PUT", "/state", state);
    expect(await statusesOf(world, balances(3))).toEqual([200, 500, 200]);
  });

  it("counts transfers that are created, in batches too", async () => {
    const world = await open({ on: "transfer", match: { nth: 3 }, then: { outcome: "failed" }, times: 1 });
    await world.api("POST", "/v1/transactions", transferRequest({ reference: "a" }));
    expect((await world.api("POST", "/v1/transactions", transferRequest({ reference: "a" }))).status).toBe(409);
    const transactions = ["b", "c", "d"].map((reference) => transferRequest({ reference }));
    await world.api("POST", "/v1/transactions/batch", { transactions });
    await world.control("POST", "/clock/advance", { by: "1h" });
    const { body } = await world.control("GET", "/transactions");
    const byReference = body.data.map(({ reference, status }: LooseJson) => [reference, status]);
    expect(Object.fromEntries(byReference)).toEqual({ a: "completed", b: "completed", c: "failed", d: "completed" });
  });

  it("counts payments", async () => {
    const world = await open({ on: "payment", match: { nth: 2 }, then: { outcome: "failed" }, times: 1 });
    const statuses: string[] = [];
    for (const externalId of ["a", "b", "c"]) {
      const { body } = await world.api("POST", "/v1/charges", chargeRequest({ externalId }));
      statuses.push((await world.api("POST", `/v1/charges/${body.id}/pay`)).body.status);
    }
    expect(statuses).toEqual(["paid", "due", "paid"]);
  });

  it("counts the webhooks of a topic, or of a resource, without copies", async () => {
    const live = await startLive();
    const receiver = await live.receiverFor("charges/events");
    const add = async (rule: LooseJson) => expect((await live.control("POST", "/rules", rule)).status).toBe(201);
    await add({ on: "delivery", match: { topic: "charge/events", nth: 3 }, then: { drop: true } });
    await add({ on: "delivery", match: { data: { externalId: "b" }, nth: 1 }, then: { duplicate: 1 } });
    for (const externalId of ["a", "b", "c", "d"]) {
      const { id } = await live.createCharge({ externalId });
      await live.ok("POST", `/v1/charges/${id}/pay`);
      await live.settle();
    }
    expect(receiver.received.map(({ body }) => body.data.externalId)).toEqual(["a", "b", "b", "d"]);
  });

  it.each([
    [0, "match.nth must be a whole number from 1, or a matcher such as {$gte: 2}, got 0"],
    ["2", 'match.nth must be a whole number from 1, or a matcher such as {$gte: 2}, got "2"'],
  ])("%s is refused", async (nth, message) => {
    const { status, body } = await openWorld().control("POST", "/rules", {
      on: "payment",
      match: { nth },
      then: { outcome: "failed" },
    });
    expect([status, body.message]).toEqual([400, [message]]);
  });
});
