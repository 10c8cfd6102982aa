import { expect, it } from "vitest";
import { type ApiWorld, describeApi } from "../support/describe-api.js";
import { chargeRequest } from "../support/requests.js";
import { anError, anUuid } from "../support/shapes.js";
import { WORLD_START } from "../support/world.js";

const create = async ({ api }: ApiWorld, change = {}) => (await api("POST", "/v1/charges", chargeRequest(change))).body;

describeApi("GET /v1/charges/:id", (open) => {
  it("shows a new charge as due, with exactly the fields of a read", async () => {
    const world = await open();
    const created = await create(world, { externalId: "order-7" });
    const { status, body } = await world.api("GET", `/v1/charges/${created.id}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: created.id,
      createdAt: WORLD_START,
      externalId: "order-7",
      description: "Shoes",
      currency: "XOF",
      amount: 10_000,
      due: 10_000,
      fees: { currency: "XOF", rate: 0.01, value: 100 },
      status: "due",
      droppedReason: null,
      paid: 0,
      refunded: 0,
      attempts: 0,
      metadata: {},
      transactions: [],
    });
  });

  it("shows a paid one without the fields of the pay answer", async () => {
    const world = await open();
    const { id } = await create(world);
    const paid = await world.api("POST", `/v1/charges/${id}/pay`);
    const { webRedirectionUrl, ...shown } = paid.body;
    expect(webRedirectionUrl).toBe("https://shop.test/yes");
    expect((await world.api("GET", `/v1/charges/${id}`)).body).toEqual(shown);
  });

  it("answers 404 for an unknown id", async () => {
    const world = await open();
    const transfer = { amount: 5000, msisdn: "+2250700000001", reference: "r", type: "transfer" };
    const transaction = (await world.api("POST", "/v1/transactions", transfer)).body;
    for (const id of ["nope", "00000000-0000-4000-8000-000000000000", transaction.id, transaction.id.slice(4)]) {
      const { status, body } = await world.api("GET", `/v1/charges/${id}`);
      expect(status).toBe(404);
      expect(body).toEqual(anError(404, `/v1/charges/${id}`, [`No charge has the id "${id}"`]));
    }
  });
});

describeApi("the time to live of a charge", (open) => {
  it("ends one hour after its creation, to the millisecond", async () => {
    const world = await open();
    const { id } = await create(world);
    await world.advance("59m59.999s");
    expect((await world.api("GET", `/v1/charges/${id}`)).body).toMatchObject({ status: "due", droppedReason: null });
    await world.advance("1ms");
    expect((await world.api("GET", `/v1/charges/${id}`)).body).toMatchObject({
      status: "dropped",
      droppedReason: "expired",
      due: 10_000,
      paid: 0,
      attempts: 0,
      transactions: [],
    });
  });

  it("does not drop a charge that was paid in the last millisecond", async () => {
    const world = await open();
    const { id } = await create(world);
    await world.advance("59m59.999s");
    expect((await world.api("POST", `/v1/charges/${id}/pay`)).body.status).toBe("paid");
    await world.advance("2h");
    expect((await world.api("GET", `/v1/charges/${id}`)).body).toMatchObject({ status: "paid", droppedReason: null });
  });

  it("continues through failed attempts, each of which is shown, newest first", async () => {
    const world = await open();
    const { id } = await create(world);
    await world.api("POST", `/v1/charges/${id}/pay`, { msisdn: "+2250700000002" });
    await world.api("POST", `/v1/charges/${id}/pay`, { msisdn: "+2250700000006" });
    await world.api("POST", `/v1/charges/${id}/pay`, { msisdn: "+2250700000001" });
    await world.api("POST", `/v1/charges/${id}/refund`, { amount: 1 });
    const entry = { id: anUuid, amount: 10_000, service: "wallet", type: "payment" };
    const { body } = await world.api("GET", `/v1/charges/${id}`);
    expect(body).toMatchObject({ attempts: 3, paid: 10_000, due: 0, refunded: 1, status: "refunded_partially" });
    expect(body.transactions).toEqual([
      { ...entry, recipientMsisdn: "2250700000001", status: "completed", type: "refund", error: null, amount: 1 },
      { ...entry, recipientMsisdn: "2250700000001", status: "completed", error: null },
      { ...entry, recipientMsisdn: "2250700000006", status: "failed", error: "insufficient_funds" },
      { ...entry, recipientMsisdn: "2250700000002", status: "failed", error: "payment_declined" },
    ]);
    expect(new Set(body.transactions.map((one: { id: string }) => one.id)).size).toBe(4);
  });

  it("still ends after one hour when only failed attempts were made", async () => {
    const world = await open();
    const { id } = await create(world);
    await world.advance("59m");
    await world.api("POST", `/v1/charges/${id}/pay`, { msisdn: "+2250700000002" });
    await world.advance("1m");
    expect((await world.api("GET", `/v1/charges/${id}`)).body).toMatchObject({ status: "dropped", attempts: 1 });
  });
});
