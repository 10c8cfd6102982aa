import { describe, expect, it } from "vitest";
import { describeApi } from "../support/describe-api.js";
import { transferRequest } from "../support/requests.js";
import { aBatchId, anError, aTransactionId } from "../support/shapes.js";
import { WORLD_START } from "../support/world.js";

const LATER = "2026-01-15T09:00:02.000Z";

describeApi("POST /v1/transactions", (open) => {
  it("answers 201 with exactly the contract's fields", async () => {
    const { api } = await open();
    const request = {
      amount: 5_051,
      msisdn: "+2250700000009",
      reference: "payout-7",
      type: "transfer",
      description: "Salary",
    };
    const { status, body, headers } = await api("POST", "/v1/transactions", request);
    expect(status).toBe(201);
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(body).toEqual({
      id: aTransactionId,
      amount: 5_051,
      fee: 50.51,
      totalAmount: 5_101.51,
      msisdn: "+2250700000009",
      status: "pending",
      reference: "payout-7",
      description: "Salary",
      type: "transfer",
      createdAt: WORLD_START,
      updatedAt: WORLD_START,
    });
  });

  it("shows no description when none was given", async () => {
    const { api } = await open();
    const { body } = await api("POST", "/v1/transactions", transferRequest());
    expect(body).not.toHaveProperty("description");
    expect(Object.keys(body)).toHaveLength(10);
  });

  it.each(["+2250700000009", "002250700000009", "2250700000009", "0700000009", "12345678", "123456789012345"])(
    "echoes the number %s as it was sent",
    async (msisdn) => {
      const { api } = await open();
      const { status, body } = await api("POST", "/v1/transactions", transferRequest({ msisdn }));
      expect(status).toBe(201);
      expect(body.msisdn).toBe(msisdn);
      expect((await api("GET", `/v1/transactions/${body.id}`)).body.msisdn).toBe(msisdn);
    },
  );

  it("takes the amounts from 5 000 to 500 000, both included", async () => {
    const { api } = await open();
    for (const [amount, expected] of [
      [4_999, 400],
      [5_000, 201],
      [500_000, 201],
      [500_001, 400],
    ] as const) {
      const { status } = await api("POST", "/v1/transactions", transferRequest({ amount }));
      expect({ amount, status }).toEqual({ amount, status: expected });
    }
  });

  it("ignores fields that it does not know", async () => {
    const { api } = await open();
    const request = transferRequest({
      currency: "EUR",
      fee: 0,
      status: "completed",
      batchId: "bat_x",
      failureReason: "x",
    });
    const { status, body } = await api("POST", "/v1/transactions", request);
    expect(status).toBe(201);
    expect(body).toMatchObject({ fee: 50, status: "pending" });
    expect(body).not.toHaveProperty("batchId");
    expect(body).not.toHaveProperty("failureReason");
  });

  it("debits amount and fee immediately", async () => {
    const { api } = await open({ balance: 6_000 });
    await api("POST", "/v1/transactions", transferRequest({ amount: 5_051 }));
    expect((await api("GET", "/v1/balance")).body.balance).toBe(898.49);
  });

  it("lists every missing field at once", async () => {
    const { api } = await open();
    const { status, body } = await api("POST", "/v1/transactions", {});
    expect(status).toBe(400);
    const messages = [
      "amount must be a whole number of XOF from 5000 to 500000, but it is missing",
      "msisdn must be a phone number: a string of 8 to 15 digits after an optional + or 00, but it is missing",
      "reference must be the caller's reference, a string that is not blank, but it is missing",
      'type must be "transfer", but it is missing',
    ];
    expect(body).toEqual(anError(400, "/v1/transactions", messages, WORLD_START));
  });

  it("refuses a reference that is taken, whatever the status of its transfer", async () => {
    const { api, advance } = await open();
    const conflict = anError(409, "/v1/transactions", ['reference "r" was used by an earlier transaction']);
    const again = () => api("POST", "/v1/transactions", transferRequest({ reference: "r", amount: 7_000 }));
    await api("POST", "/v1/transactions", transferRequest({ reference: "r", msisdn: "+2250700000002" }));
    expect((await again()).body).toEqual(conflict);
    await advance("1m"); // it has failed by now
    expect((await again()).body).toMatchObject({ statusCode: 409 });
    expect((await api("POST", "/v1/transactions", transferRequest({ reference: "R" }))).status).toBe(201);
  });

  it("refuses more than the balance with 422 and stores nothing", async () => {
    const { api } = await open({ balance: 5_049.99 });
    const { status, body } = await api("POST", "/v1/transactions", transferRequest({ reference: "r" }));
    expect(status).toBe(422);
    expect(body).toEqual(
      anError(422, "/v1/transactions", ["The balance is 5049.99 XOF; 5050 XOF are needed, fees included"], WORLD_START),
    );
    expect((await api("GET", "/v1/balance")).body.balance).toBe(5_049.99);
  });

  it("takes exactly the balance", async () => {
    const { api } = await open({ balance: 5_050 });
    expect((await api("POST", "/v1/transactions", transferRequest())).status).toBe(201);
    expect((await api("GET", "/v1/balance")).body.balance).toBe(0);
  });

  it("refuses with 422 a recipient who does not accept, and says what else is wrong", async () => {
    const { api } = await open({ balance: 0 });
    const { status, body } = await api("POST", "/v1/transactions", transferRequest({ msisdn: "0700000007" }));
    expect(status).toBe(422);
    expect(body.message).toEqual([
      "msisdn 0700000007 does not accept transfers",
      "The balance is 0 XOF; 5050 XOF are needed, fees included",
    ]);
  });
});

describeApi("GET /v1/transactions/:id", (open) => {
  it("shows a pending one with failureReason null and without batchId", async () => {
    const { api } = await open();
    const created = (await api("POST", "/v1/transactions", transferRequest({ description: "Salary" }))).body;
    const { status, body } = await api("GET", `/v1/transactions/${created.id}`);
    expect(status).toBe(200);
    expect(body).toEqual({ ...created, failureReason: null });
  });

  it("shows it completed two seconds after its creation, to the millisecond", async () => {
    const { api, advance } = await open();
    const created = (await api("POST", "/v1/transactions", transferRequest())).body;
    await advance("1.999s");
    expect((await api("GET", `/v1/transactions/${created.id}`)).body).toMatchObject({
      status: "pending",
      updatedAt: WORLD_START,
    });
    await advance("1ms");
    const settled = { ...created, status: "completed", failureReason: null, updatedAt: LATER };
    expect((await api("GET", `/v1/transactions/${created.id}`)).body).toEqual(settled);
    await advance("365d");
    expect((await api("GET", `/v1/transactions/${created.id}`)).body).toEqual(settled);
  });

  it("shows why it failed, and the money is back, fee included", async () => {
    const { api, advance } = await open({ balance: 10_000 });
    const created = (await api("POST", "/v1/transactions", transferRequest({ msisdn: "+2250700000002" }))).body;
    expect((await api("GET", "/v1/balance")).body.balance).toBe(4_950);
    await advance("2s");
    expect((await api("GET", `/v1/transactions/${created.id}`)).body).toEqual({
      ...created,
      status: "failed",
      failureReason: "recipient_unreachable",
      updatedAt: LATER,
    });
    expect((await api("GET", "/v1/balance")).body.balance).toBe(10_000);
  });

  it("takes the id with and without its prefix", async () => {
    const { api } = await open();
    const { id } = (await api("POST", "/v1/transactions", transferRequest())).body;
    const plain = await api("GET", `/v1/transactions/${id.slice("txn_".length)}`);
    expect(plain.status).toBe(200);
    expect(plain.body.id).toBe(id);
  });

  it("answers 404 for an unknown id", async () => {
    const { api } = await open();
    const item = { amount: 5000, msisdn: "+2250700000001", reference: "r" };
    const batch = (await api("POST", "/v1/transactions/batch", { transactions: [item] })).body;
    for (const id of ["nope", "txn_", "txn_nope", "customers", batch.id, `txn_txn_${batch.id}`]) {
      const { status, body } = await api("GET", `/v1/transactions/${id}`);
      expect(status).toBe(404);
      expect(body).toEqual(anError(404, `/v1/transactions/${id}`, [`No transaction has the id "${id}"`]));
    }
  });
});

describeApi("POST /v1/transactions/batch", (open) => {
  const item = (reference: string, change = {}) => ({ amount: 5_051, msisdn: "+2250700000009", reference, ...change });

  it("answers 201 with exactly the contract's fields, in the order of the request", async () => {
    const { api } = await open();
    const { status, body } = await api("POST", "/v1/transactions/batch", {
      transactions: [item("a", { description: "Salary" }), item("b", { amount: 7_000, type: "transfer" })],
    });
    expect(status).toBe(201);
    const common = { id: aTransactionId, msisdn: "+2250700000009", status: "pending", type: "transfer" };
    const times = { createdAt: WORLD_START, updatedAt: WORLD_START };
    expect(body).toEqual({
      id: aBatchId,
      ...times,
      totalAmount: 12_171.51,
      totalFee: 120.51,
      status: "processing",
      transactions: [
        {
          ...common,
          ...times,
          amount: 5_051,
          fee: 50.51,
          totalAmount: 5_101.51,
          reference: "a",
          description: "Salary",
          batchId: body.id,
        },
        { ...common, ...times, amount: 7_000, fee: 70, totalAmount: 7_070, reference: "b", batchId: body.id },
      ],
    });
    const ids = body.transactions.map(({ id }: { id: string }) => id);
    expect(new Set(ids).size).toBe(2);
  });

  it("shows batchId and failureReason when one of its transactions is read", async () => {
    const { api, advance } = await open();
    const { body } = await api("POST", "/v1/transactions/batch", {
      transactions: [item("a"), item("b", { msisdn: "+2250700000002" })],
    });
    const [first, second] = body.transactions;
    expect((await api("GET", `/v1/transactions/${first.id}`)).body).toEqual({ ...first, failureReason: null });
    await advance("2s");
    expect((await api("GET", `/v1/transactions/${first.id}`)).body).toMatchObject({
      status: "completed",
      batchId: body.id,
    });
    expect((await api("GET", `/v1/transactions/${second.id}`)).body).toMatchObject({
      status: "failed",
      failureReason: "recipient_unreachable",
      batchId: body.id,
    });
  });

  it("may have one item, and 500, but not none and not 501", async () => {
    const { api } = await open();
    const send = (count: number, prefix: string) =>
      api("POST", "/v1/transactions/batch", {
        transactions: Array.from({ length: count }, (_, index) => item(`${prefix}${index}`, { amount: 5_000 })),
      });
    expect((await send(1, "a")).status).toBe(201);
    expect((await send(500, "b")).status).toBe(201);
    for (const count of [0, 501]) {
      const { status, body } = await send(count, "c");
      expect(status).toBe(400);
      expect(body.message).toEqual([`transactions must be a list of 1 to 500 transactions, got a list of ${count}`]);
    }
  });

  it.each([
    ["missing", undefined, "but it is missing"],
    ["null", null, "got null"],
    ["an object", {}, "got an object"],
    ["text", "x", 'got "x"'],
  ])("refuses transactions that are %s", async (_, transactions, got) => {
    const { api } = await open();
    const { status, body } = await api("POST", "/v1/transactions/batch", { transactions });
    expect(status).toBe(400);
    expect(body.message).toEqual([`transactions must be a list of 1 to 500 transactions, ${got}`]);
  });

  it("refuses the whole batch for bad items, each message naming the item's index, and stores nothing", async () => {
    const { api } = await open({ balance: 100_000 });
    const { status, body } = await api("POST", "/v1/transactions/batch", {
      transactions: [
        item("a"),
        item("b", { amount: 4_999 }),
        5,
        item("", { msisdn: "x", type: "payout", description: " " }),
      ],
    });
    expect(status).toBe(400);
    expect(body.message).toEqual([
      "transactions[1].amount must be a whole number of XOF from 5000 to 500000, got 4999",
      "transactions[2] must be a JSON object, got 5",
      'transactions[3].msisdn must be a phone number: a string of 8 to 15 digits after an optional + or 00, got "x"',
      `transactions[3].reference must be the caller's reference, a string that is not blank, got ""`,
      'transactions[3].type must be "transfer", got "payout"',
      `transactions[3].description must be the caller's description, a string that is not blank, got " "`,
    ]);
    expect((await api("GET", "/v1/balance")).body.balance).toBe(100_000);
    expect((await api("POST", "/v1/transactions", transferRequest({ reference: "a" }))).status).toBe(201);
  });

  it("refuses references that were used before or twice in it with 409, and stores nothing", async () => {
    const { api } = await open({ balance: 100_000 });
    await api("POST", "/v1/transactions", transferRequest({ reference: "a" }));
    const { status, body } = await api("POST", "/v1/transactions/batch", {
      transactions: [item("a"), item("b"), item("b"), item("b")],
    });
    expect(status).toBe(409);
    expect(body.message).toEqual([
      'transactions[0].reference "a" was used by an earlier transaction',
      'transactions[2].reference "b" was used by an earlier transaction',
      'transactions[3].reference "b" was used by an earlier transaction',
    ]);
    expect((await api("GET", "/v1/balance")).body.balance).toBe(94_950);
    expect((await api("POST", "/v1/transactions", transferRequest({ reference: "b" }))).status).toBe(201);
  });

  it("is accepted whole or not at all: a balance that lacks a cent is 422", async () => {
    const { api } = await open({ balance: 10_203.01 });
    const pair = { transactions: [item("a"), item("b")] };
    const { status, body } = await api("POST", "/v1/transactions/batch", pair);
    expect(status).toBe(422);
    expect(body.message).toEqual(["The balance is 10203.01 XOF; 10203.02 XOF are needed, fees included"]);
    expect((await api("GET", "/v1/balance")).body.balance).toBe(10_203.01);

    const enough = await open({ balance: 10_203.02 });
    expect((await enough.api("POST", "/v1/transactions/batch", pair)).status).toBe(201);
    expect((await enough.api("GET", "/v1/balance")).body.balance).toBe(0);
  });

  it("is refused whole with 422 for recipients who do not accept", async () => {
    const { api } = await open();
    const { status, body } = await api("POST", "/v1/transactions/batch", {
      transactions: [item("a"), item("b", { msisdn: "0700000007" }), item("b", { msisdn: "+2250700000007" })],
    });
    expect(status).toBe(422);
    expect(body).toEqual(
      anError(422, "/v1/transactions/batch", [
        "transactions[1].msisdn 0700000007 does not accept transfers",
        "transactions[2].msisdn +2250700000007 does not accept transfers",
      ]),
    );
  });

  it("answers a huge list of wrong items with a short message", async () => {
    const { api } = await open();
    const { status, text } = await api("POST", "/v1/transactions/batch", {
      transactions: Array.from({ length: 200_000 }, () => 0),
    });
    expect(status).toBe(400);
    expect(text.length).toBeLessThan(1_000);
  });

  describe("of one transfer", () => {
    it("costs what that transfer costs", async () => {
      const { api } = await open();
      const single = (await api("POST", "/v1/transactions", transferRequest({ amount: 6_543 }))).body;
      const { body } = await api("POST", "/v1/transactions/batch", { transactions: [item("a", { amount: 6_543 })] });
      expect(body).toMatchObject({ totalAmount: single.totalAmount, totalFee: single.fee });
    });
  });
});
