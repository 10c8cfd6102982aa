import { beforeEach, describe, expect, it } from "vitest";
import { chargeRequest, transferRequest } from "../../support/requests.js";
import { type LooseJson, openWorld, type TestWorld } from "../../support/world.js";

let world: TestWorld;
beforeEach(() => {
  world = openWorld();
});

describe("PUT /balance", () => {
  it.each([0, 1, 0.0001, 12_345.678, 225_000_000_000.0001])("%d becomes the balance", async (balance) => {
    const answer = await world.control("PUT", "/balance", { balance });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ balance, currency: "XOF" });
    expect((await world.control("GET", "/balance")).body).toEqual({ balance, currency: "XOF" });
    expect((await world.api("GET", "/v1/balance")).body).toEqual({ balance, currency: "XOF" });
  });

  it.each([
    [{ balance: -0.5 }],
    [{ balance: 1.00001 }],
    [{ balance: 1e12 }],
    [{ balance: null }],
    [{ balance: "100" }],
    ['{"balance": 1e400}'],
    [{}],
    [undefined],
    [{ balance: 1, currency: "XOF" }],
    [5],
  ])("%j is 400", async (body) => {
    const answer = await world.control("PUT", "/balance", body);
    expect(answer.status).toBe(400);
    expect((await world.control("GET", "/balance")).body.balance).toBe(10_000_000);
  });
});

describe("GET /ledger", () => {
  it("explains every movement, oldest first, and its sum is the balance", async () => {
    const { body: transfer } = await world.api("POST", "/v1/transactions", transferRequest({ amount: 5050 }));
    await world.control("POST", "/clock/advance", { by: "2s" });
    const { body: charge } = await world.api("POST", "/v1/charges", chargeRequest({ amount: 300 }));
    await world.api("POST", `/v1/charges/${charge.id}/pay`);
    await world.api("POST", `/v1/charges/${charge.id}/refund`, { amount: 100 });
    await world.control("PUT", "/balance", { balance: 7 });
    const { body: ledger } = await world.control("GET", "/ledger");
    expect(ledger.data.map((entry: LooseJson) => [entry.type, entry.resource, entry.amount, entry.balance])).toEqual([
      ["opening", null, 10_000_000, 10_000_000],
      ["transfer.debit", transfer.id, -5100.5, 9_994_899.5],
      ["transfer.settled", transfer.id, 0, 9_994_899.5],
      ["charge.payment", charge.id, 300, 9_995_199.5],
      ["charge.refund", charge.id, -100, 9_995_099.5],
      ["adjustment", null, -9_995_092.5, 7],
    ]);
    expect(ledger.data[2]).toEqual({
      id: expect.stringMatching(/^led_/),
      at: "2026-01-15T09:00:02.000Z",
      type: "transfer.settled",
      resource: transfer.id,
      amount: 0,
      balance: 9_994_899.5,
      postings: [
        { account: "pending", amount: -5100.5 },
        { account: "wallets", amount: 5050 },
        { account: "fees", amount: 50.5 },
      ],
    });
    expect(ledger).toMatchObject({
      count: 6,
      limit: 15,
      cursor: { prev: null, next: null },
      balance: 7,
      currency: "XOF",
      accounts: { balance: 7, pending: 0, wallets: 4850, fees: 50.5, capital: -4907.5 },
    });
    expect(ledger.data.reduce((sum: number, entry: LooseJson) => sum + entry.amount, 0)).toBe(7);
  });

  it("has pages in both directions", async () => {
    for (let balance = 1; balance < 40; balance++) await world.control("PUT", "/balance", { balance });
    const balances: number[] = [];
    let cursor: string | null = null;
    do {
      const page: LooseJson = (await world.control("GET", `/ledger${cursor === null ? "" : `?cursor=${cursor}`}`)).body;
      balances.push(...page.data.map((entry: LooseJson) => entry.balance));
      cursor = page.cursor.next;
    } while (cursor !== null);
    expect(balances).toEqual([10_000_000, ...Array.from({ length: 39 }, (_, index) => index + 1)]);
    const { body: first } = await world.control("GET", "/ledger?limit=2");
    const { body: second } = await world.control("GET", `/ledger?limit=2&cursor=${first.cursor.next}`);
    expect((await world.control("GET", `/ledger?limit=2&cursor=${second.cursor.prev}`)).body).toEqual(first);
    expect((await world.control("GET", "/ledger?limit=1000")).body.count).toBe(40);
  });

  it.each([
    ["limit=0", "limit must be a whole number from 1 to 1000"],
    ["limit=1001", "limit must be a whole number from 1 to 1000"],
    ["limit=1e2", "limit must be a whole number from 1 to 1000"],
    ["limit=", "limit must be a whole number from 1 to 1000"],
    ["cursor=x", "cursor must be the cursor.prev or cursor.next of an earlier answer"],
  ])("?%s is 400", async (query, message) => {
    const answer = await world.control("GET", `/ledger?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toHaveLength(1);
    expect(answer.body.message[0]).toContain(message);
  });
});

describe("beyond 800 billion XOF", () => {
  const most = 100_000_000_000;
  const settings = { charges: { max: most }, transfers: { max: most, insufficientBalance: "fail" } };
  const stateIsTaken = async (): Promise<void> => {
    const state = await world.control("GET", "/state");
    expect((await world.control("PUT", "/state", state.body)).text).toBe(state.text);
  };
  const pay = async (): Promise<LooseJson> => {
    const { body: charge } = await world.api("POST", "/v1/charges", chargeRequest({ amount: most }));
    return (await world.api("POST", `/v1/charges/${charge.id}/pay`)).body;
  };
  beforeEach(async () => {
    expect((await world.control("PATCH", "/profile", settings)).status).toBe(200);
  });

  it("payments fail, including those whose results come later", async () => {
    for (let paid = 0; paid < 7; paid++) expect((await pay()).status).toBe("paid");
    expect(await pay()).toMatchObject({ status: "due", transactions: [{ status: "failed", error: "limit_exceeded" }] });
    await world.control("POST", "/rules", { on: "payment", then: { outcome: "paid", after: "5m" } });
    const { id } = await pay();
    await world.control("POST", "/clock/advance", { by: "5m" });
    expect((await world.api("GET", `/v1/charges/${id}`)).body.transactions).toMatchObject([
      { error: "limit_exceeded" },
    ]);
    await stateIsTaken();
  });

  it("adjustments and batches are refused", async () => {
    const transfer = { amount: most / 2, msisdn: "+2250700000001" };
    for (let sent = 0; sent < 14; sent++) {
      expect((await world.control("PUT", "/balance", { balance: most })).status).toBe(200);
      expect((await world.api("POST", "/v1/transactions", transferRequest(transfer))).status).toBe(201);
    }
    const answer = await world.control("PUT", "/balance", { balance: most });
    expect([answer.status, answer.body.message]).toEqual([
      400,
      ["The accounts of a company hold at most 800000000000 XOF together"],
    ]);
    const transactions = Array.from({ length: 17 }, () => transferRequest(transfer));
    expect((await world.api("POST", "/v1/transactions/batch", { transactions })).status).toBe(400);
    await stateIsTaken();
  });
});
