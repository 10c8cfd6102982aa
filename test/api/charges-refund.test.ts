import { expect, it } from "vitest";
import { type ApiWorld, describeApi } from "../support/describe-api.js";
import { chargeRequest } from "../support/requests.js";
import { anError, anUuid } from "../support/shapes.js";
import { WORLD_START } from "../support/world.js";

async function createPaid({ api }: ApiWorld, amount = 10_000): Promise<string> {
  const { id } = (await api("POST", "/v1/charges", chargeRequest({ amount, externalId: "order-7" }))).body;
  await api("POST", `/v1/charges/${id}/pay`, { msisdn: "+2250700000019" });
  return id;
}

describeApi("POST /v1/charges/:id/refund", (open) => {
  it("refunds in full, with exactly the contract's fields, the refund before the payment", async () => {
    const world = await open({ balance: 500 });
    const id = await createPaid(world);
    const { status, body } = await world.api("POST", `/v1/charges/${id}/refund`);
    expect(status).toBe(200);
    const entry = {
      id: anUuid,
      recipientMsisdn: "2250700000019",
      amount: 10_000,
      service: "wallet",
      status: "completed",
      error: null,
    };
    expect(body).toEqual({
      id,
      createdAt: WORLD_START,
      externalId: "order-7",
      description: "Shoes",
      currency: "XOF",
      amount: 10_000,
      due: 0,
      fees: { currency: "XOF", rate: 0.01, value: 100 },
      status: "refunded",
      droppedReason: null,
      paid: 10_000,
      refunded: 10_000,
      attempts: 1,
      metadata: {},
      transactions: [
        { ...entry, type: "refund" },
        { ...entry, type: "payment" },
      ],
    });
    expect((await world.api("GET", "/v1/balance")).body.balance).toBe(500);
    expect((await world.api("GET", `/v1/charges/${id}`)).body).toEqual(body);
  });

  it.each([
    ["no body", undefined],
    ["an empty object", {}],
    ["an object without amount", { reason: "broken" }],
    ["the whole amount", { amount: 10_000 }],
  ])("refunds everything with %s", async (_, request) => {
    const world = await open();
    const id = await createPaid(world);
    const { status, body } = await world.api("POST", `/v1/charges/${id}/refund`, request);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "refunded", refunded: 10_000, paid: 10_000 });
  });

  it("needs no content type when it has no body", async () => {
    const world = await open();
    const id = await createPaid(world);
    expect((await world.api("POST", `/v1/charges/${id}/refund`, undefined, { "content-type": null })).status).toBe(200);
  });

  it("refunds in parts until nothing is left", async () => {
    const world = await open({ balance: 0 });
    const id = await createPaid(world);
    const refund = (request?: unknown) => world.api("POST", `/v1/charges/${id}/refund`, request);
    const balance = async (): Promise<number> => (await world.api("GET", "/v1/balance")).body.balance;

    expect((await refund({ amount: 4_000 })).body).toMatchObject({
      status: "refunded_partially",
      refunded: 4_000,
      paid: 10_000,
      due: 0,
    });
    expect(await balance()).toBe(6_000);
    expect((await refund({ amount: 5_999 })).body).toMatchObject({ status: "refunded_partially", refunded: 9_999 });
    const tooMuch = await refund({ amount: 2 });
    expect(tooMuch.status).toBe(400);
    expect(tooMuch.body.message).toEqual(["amount must be at most what is left to refund, 1 XOF, got 2"]);
    const last = await refund();
    expect(last.body).toMatchObject({ status: "refunded", refunded: 10_000 });
    expect(last.body.transactions.map(({ type, amount }: { type: string; amount: number }) => [type, amount])).toEqual([
      ["refund", 1],
      ["refund", 5_999],
      ["refund", 4_000],
      ["payment", 10_000],
    ]);
    expect(await balance()).toBe(0);
    const path = `/v1/charges/${id}/refund`;
    const over = anError(422, path, ["The charge is refunded; only one that is paid can be refunded"]);
    expect((await refund()).body).toEqual(over);
    expect((await refund({ amount: 1 })).body).toEqual(over);
  });

  it("refuses more than was paid with 400 and changes nothing", async () => {
    const world = await open();
    const id = await createPaid(world);
    const path = `/v1/charges/${id}/refund`;
    const { status, body } = await world.api("POST", path, { amount: 10_001 });
    expect(status).toBe(400);
    expect(body).toEqual(
      anError(400, path, ["amount must be at most what is left to refund, 10000 XOF, got 10001"], WORLD_START),
    );
    expect((await world.api("GET", `/v1/charges/${id}`)).body).toMatchObject({ status: "paid", refunded: 0 });
  });

  it.each([
    ["null", null, "null"],
    ["0", 0, "0"],
    ["a negative amount", -1, "-1"],
    ["a fraction", 0.5, "0.5"],
    ["text", "5000", '"5000"'],
    ["true", true, "true"],
    ["a list", [5000], "a list of 1"],
    ["an object", { value: 5000 }, "an object"],
  ])("refuses %s as the amount", async (_, amount, got) => {
    const world = await open();
    const id = await createPaid(world);
    const { status, body } = await world.api("POST", `/v1/charges/${id}/refund`, { amount });
    expect(status).toBe(400);
    expect(body.message).toEqual([expect.stringMatching(/^amount must be a whole number of XOF from 1 to \d+, got /)]);
    expect(body.message[0].endsWith(`, got ${got}`)).toBe(true);
  });

  it("refuses with 422 a charge that is due or dropped, before it checks the amount", async () => {
    const world = await open();
    const { id } = (await world.api("POST", "/v1/charges", chargeRequest())).body;
    const path = `/v1/charges/${id}/refund`;
    for (const request of [undefined, { amount: 1 }, { amount: 99_999 }]) {
      const { status, body } = await world.api("POST", path, request);
      expect(status).toBe(422);
      expect(body).toEqual(anError(422, path, ["The charge is due; only one that is paid can be refunded"]));
    }
    await world.advance("1h");
    const dropped = await world.api("POST", path, { amount: 99_999 });
    expect(dropped.status).toBe(422);
    expect(dropped.body.message).toEqual(["The charge is dropped; only one that is paid can be refunded"]);
  });

  it("answers 404 for an unknown id", async () => {
    const { api } = await open();
    const { status, body } = await api("POST", "/v1/charges/nope/refund", { amount: 5 });
    expect(status).toBe(404);
    expect(body).toEqual(anError(404, "/v1/charges/nope/refund", ['No charge has the id "nope"']));
  });

  it("names the payer in the refund, even after failed attempts by others", async () => {
    const world = await open();
    const { id } = (await world.api("POST", "/v1/charges", chargeRequest())).body;
    await world.api("POST", `/v1/charges/${id}/pay`, { msisdn: "+2250700000002" });
    await world.api("POST", `/v1/charges/${id}/pay`, { msisdn: "0102030405" });
    const { body } = await world.api("POST", `/v1/charges/${id}/refund`, { amount: 10 });
    expect(body.transactions[0]).toMatchObject({ type: "refund", recipientMsisdn: "0102030405", amount: 10 });
  });
});
