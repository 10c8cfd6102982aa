import { afterEach, describe, expect, it } from "vitest";
import { assertBooksAreRight } from "../support/books.js";
import { transferRequest } from "../support/requests.js";
import { createWorld, type LooseJson, type TestWorld, type WorldOptions } from "../support/world.js";

let world: TestWorld;
afterEach(async () => {
  await assertBooksAreRight(world);
  await world.close();
});

async function withRule(rule: LooseJson, options?: WorldOptions): Promise<void> {
  world = createWorld(options);
  const { status, text } = await world.control("POST", "/rules", { on: "transfer", ...rule });
  if (status !== 201) throw new Error(text);
}

const create = async (change?: LooseJson) =>
  (await world.api("POST", "/v1/transactions", transferRequest(change))).body;
const read = async ({ id }: LooseJson) => (await world.api("GET", `/v1/transactions/${id}`)).body;
const advance = (by: string) => world.control("POST", "/clock/advance", { by });
const balance = async () => (await world.api("GET", "/v1/balance")).body.balance;

describe("outcome", () => {
  it("failed has its reason, and returns the money", async () => {
    await withRule({ then: { outcome: "failed", reason: "wallet_closed" } });
    const transfer = await create();
    await advance("2s");
    expect(await read(transfer)).toMatchObject({ status: "failed", failureReason: "wallet_closed" });
    expect(await balance()).toBe(10_000_000);
  });

  it("failed without a reason is recipient_unreachable", async () => {
    await withRule({ then: { outcome: "failed" } });
    const transfer = await create();
    await advance("2s");
    expect(await read(transfer)).toMatchObject({ failureReason: "recipient_unreachable" });
  });

  it("pending never ends by itself", async () => {
    await withRule({ then: { outcome: "pending" } });
    const transfer = await create();
    await advance("30d");
    expect(await read(transfer)).toMatchObject({ status: "pending" });
  });

  it.each(["+2250700000002", "+2250700000007"])("completed overrides the test number %s", async (msisdn) => {
    await withRule({ then: { outcome: "completed" } });
    const transfer = await create({ msisdn });
    await advance("2s");
    expect(await read(transfer)).toMatchObject({ status: "completed" });
  });

  it("completed still refuses an amount above the balance", async () => {
    await withRule({ then: { outcome: "completed" } }, { balance: 5_000 });
    const answer = await world.api("POST", "/v1/transactions", transferRequest());
    expect(answer.status).toBe(422);
  });

  it("applies to each item of a batch", async () => {
    await withRule({ match: { reference: { $regex: "-b$" } }, then: { outcome: "failed" } });
    const transactions = ["x-a", "x-b", "x-c"].map((reference) => transferRequest({ reference }));
    const { body } = await world.api("POST", "/v1/transactions/batch", { transactions });
    await advance("2s");
    const statuses = await Promise.all(body.transactions.map(async (item: LooseJson) => (await read(item)).status));
    expect(statuses).toEqual(["completed", "failed", "completed"]);
  });
});

describe("after", () => {
  it.each(["manual", "immediate", { polls: 1 }, { after: "1h" }])(
    "is the time of settlement, whatever transfers.settlement says: %j",
    async (settlement) => {
      await withRule({ then: { after: "10m" } }, { profile: { transfers: { settlement } } });
      const transfer = await create();
      await advance("9m59s");
      expect(await read(transfer)).toMatchObject({ status: "pending" });
      await advance("1s");
      expect(await read(transfer)).toMatchObject({ status: "completed" });
    },
  );
});

it("after alone also settles a transfer to the number that stays pending", async () => {
  await withRule({ then: { after: "1h" } });
  const transfer = await create({ msisdn: "+2250700000003" });
  await advance("1h");
  expect(await read(transfer)).toMatchObject({ status: "completed" });
});

describe("match", () => {
  it.each([
    [{ msisdn: "0700000001" }, true],
    [{ msisdn: "+2250700000002" }, false],
    [{ msisdn: { $regex: "1$" } }, true],
    [{ amount: 5_000 }, true],
    [{ amount: { $gt: 5_000 } }, false],
    [{ reference: "r-1" }, true],
    [{ reference: "r-2" }, false],
    [{ reference: "r-1", amount: 6_000 }, false],
    [{}, true],
  ])("%j", async (match, applies) => {
    await withRule({ match, then: { outcome: "failed", reason: "by_rule" } });
    const transfer = await create({ reference: "r-1", msisdn: "+2250700000001" });
    await advance("2s");
    expect((await read(transfer)).failureReason === "by_rule").toBe(applies);
  });
});
