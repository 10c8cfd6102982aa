import { afterEach, describe, expect, it } from "vitest";
import { assertBooksAreRight } from "../support/books.js";
import { chargeRequest } from "../support/requests.js";
import { createWorld, type LooseJson, type TestWorld, type WorldOptions } from "../support/world.js";

let world: TestWorld;
afterEach(async () => {
  await assertBooksAreRight(world);
  await world.close();
});

async function withRule(rule: LooseJson, options?: WorldOptions): Promise<LooseJson> {
  world = createWorld(options);
  const { status, text } = await world.control("POST", "/rules", { on: "payment", ...rule });
  if (status !== 201) throw new Error(text);
  return (await world.api("POST", "/v1/charges", chargeRequest({ externalId: "order-a" }))).body;
}

const pay = async ({ id }: LooseJson, msisdn?: string) =>
  world.api("POST", `/v1/charges/${id}/pay`, msisdn === undefined ? undefined : { msisdn });
const read = async ({ id }: LooseJson) => (await world.api("GET", `/v1/charges/${id}`)).body;
const advance = async (by: string) => (await world.control("POST", "/clock/advance", { by })).body;
const eventTypes = async () =>
  (await world.control("GET", "/events?limit=100")).body.data.map(({ type }: LooseJson) => type);

describe("outcome", () => {
  it("failed answers with a success status, the charge still due, and the error in its entry", async () => {
    const charge = await withRule({ then: { outcome: "failed", error: "wallet_locked" } });
    const { status, body } = await pay(charge);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "due", attempts: 1, webRedirectionUrl: "https://shop.test/no" });
    expect(body.transactions).toMatchObject([{ status: "failed", error: "wallet_locked" }]);
  });

  it.each(["+2250700000002", "+2250700000007"])("paid overrides the test number %s", async (msisdn) => {
    const charge = await withRule({ then: { outcome: "paid" } });
    expect((await pay(charge, msisdn)).body).toMatchObject({ status: "paid", paid: 10_000 });
  });

  it("also applies to a payment by hand", async () => {
    const charge = await withRule({ then: { outcome: "failed" } });
    const { body } = await world.control("POST", `/charges/${charge.id}/pay`);
    expect(body.transactions).toMatchObject([{ status: "failed", error: "payment_declined" }]);
  });
});

describe("after", () => {
  it("answers due, and the result comes later", async () => {
    const charge = await withRule({ then: { after: "5m" } });
    const { body } = await pay(charge);
    expect(body).toMatchObject({ status: "due", paid: 0, attempts: 1, transactions: [] });
    expect((await world.control("GET", "/clock")).body.next).toMatchObject({
      at: "2026-01-15T09:05:00.000Z",
      kind: "payment.settle",
    });
    const { fired } = await advance("5m");
    expect(fired).toMatchObject([{ kind: "payment.settle", at: "2026-01-15T09:05:00.000Z" }]);
    const paid = await read(charge);
    expect(paid).toMatchObject({ status: "paid", paid: 10_000, attempts: 1 });
    expect(paid.transactions[0].id).toBe(fired[0].id);
  });

  it("may end after the drop: then no money moves, and the event log shows it", async () => {
    const charge = await withRule({ then: { outcome: "paid", after: "1h" } });
    await advance("1m");
    await pay(charge);
    await advance("2h");
    expect(await read(charge)).toMatchObject({ status: "dropped", paid: 0 });
    expect((await world.api("GET", "/v1/balance")).body.balance).toBe(10_000_000);
    expect(await eventTypes()).toEqual(["charge.created", "charge.dropped", "charge.payment_lost"]);
  });

  it("with two payments pays the charge once, by the first result", async () => {
    const charge = await withRule({ then: { after: "5m" } });
    await pay(charge);
    await world.control("DELETE", "/rules");
    expect((await pay(charge)).body).toMatchObject({ status: "paid", attempts: 2 });
    await advance("5m");
    expect(await read(charge)).toMatchObject({ status: "paid", paid: 10_000 });
    expect(await eventTypes()).toEqual(["charge.created", "charge.paid", "charge.payment_lost"]);
  });

  it("reports a later failure when it happens", async () => {
    const charge = await withRule({ then: { outcome: "failed", error: "timeout", after: "30s" } });
    await pay(charge);
    await advance("30s");
    const { status, transactions } = await read(charge);
    expect([status, transactions[0].error]).toEqual(["due", "timeout"]);
  });

  it("keeps pending results in the state", async () => {
    const charge = await withRule({ then: { after: "5m" } });
    await pay(charge);
    const { text, body: state } = await world.control("GET", "/state");
    await advance("10m");
    await world.control("PUT", "/state", state);
    expect((await world.control("GET", "/state")).text).toBe(text);
    expect(await read(charge)).toMatchObject({ status: "due" });
    await advance("5m");
    expect(await read(charge)).toMatchObject({ status: "paid" });
  });
});

describe("match", () => {
  it.each([
    [{ msisdn: "0700000001" }, true],
    [{ msisdn: "0700000003" }, false],
    [{ amount: { $lte: 10_000 } }, true],
    [{ externalId: "order-a" }, true],
    [{ externalId: { $in: ["order-b"] } }, false],
  ])("%j", async (match, applies) => {
    const charge = await withRule({ match, then: { outcome: "failed", error: "by_rule" } });
    expect((await pay(charge)).body.status).toBe(applies ? "due" : "paid");
  });
});
