import { expect, it } from "vitest";
import { type ApiWorld, describeApi } from "../support/describe-api.js";
import { chargeRequest } from "../support/requests.js";
import { anError, anUuid } from "../support/shapes.js";
import { WORLD_START } from "../support/world.js";

const create = async ({ api }: ApiWorld, change = {}): Promise<string> =>
  (await api("POST", "/v1/charges", chargeRequest(change))).body.id;

describeApi("POST /v1/charges/:id/pay", (open) => {
  it("answers 200 with exactly the contract's fields and credits the account", async () => {
    const world = await open({ balance: 500 });
    const id = await create(world, { externalId: "order-7", metadata: { a: 1 } });
    const { status, body } = await world.api("POST", `/v1/charges/${id}/pay`, { msisdn: "+2250700000019" });
    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      createdAt: WORLD_START,
      externalId: "order-7",
      description: "Shoes",
      currency: "XOF",
      amount: 10_000,
      due: 0,
      fees: { currency: "XOF", rate: 0.01, value: 100 },
      status: "paid",
      droppedReason: null,
      paid: 10_000,
      refunded: 0,
      attempts: 1,
      metadata: { a: 1 },
      webRedirectionUrl: "https://shop.test/yes",
      transactions: [
        {
          id: anUuid,
          recipientMsisdn: "2250700000019",
          amount: 10_000,
          service: "wallet",
          status: "completed",
          type: "payment",
          error: null,
        },
      ],
    });
    expect((await world.api("GET", "/v1/balance")).body.balance).toBe(10_500);
  });

  it.each([
    ["no body", undefined],
    ["an empty object", {}],
    ["an object without msisdn", { amount: 5 }],
  ])("pays with the success number when there is %s", async (_, request) => {
    const world = await open();
    const id = await create(world);
    const { status, body } = await world.api("POST", `/v1/charges/${id}/pay`, request);
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: "paid", transactions: [{ recipientMsisdn: "2250700000001" }] });
  });

  it("needs no content type when it has no body", async () => {
    const world = await open();
    const id = await create(world);
    expect((await world.api("POST", `/v1/charges/${id}/pay`, undefined, { "content-type": null })).status).toBe(200);
    const other = await create(world);
    const empty = await world.api("POST", `/v1/charges/${other}/pay`, undefined, { "content-type": "text/plain" });
    expect(empty.status).toBe(200);
  });

  it("answers a failed attempt like a success, with the charge still due", async () => {
    const world = await open({ balance: 500 });
    const id = await create(world);
    const { status, body } = await world.api("POST", `/v1/charges/${id}/pay`, { msisdn: "0700000002" });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "due",
      due: 10_000,
      paid: 0,
      attempts: 1,
      droppedReason: null,
      webRedirectionUrl: "https://shop.test/no",
      transactions: [{ recipientMsisdn: "0700000002", status: "failed", type: "payment", error: "payment_declined" }],
    });
    expect((await world.api("GET", "/v1/balance")).body.balance).toBe(500);
  });

  it.each([
    ["stay", "due"],
    ["drop", "dropped"],
  ] as const)(
    "answers due until a payment is confirmed, as described with failedAttempt: %s",
    async (failedAttempt, failed) => {
      const world = await open({ profile: { charges: { failedAttempt } } });
      const path = `/v1/charges/${await create(world)}/pay`;
      expect((await world.api("POST", path, { msisdn: "+2250700000009" })).body.status).toBe("due");
      expect((await world.api("POST", path, { msisdn: "+2250700000002" })).body.status).toBe(failed);
    },
  );

  it.each(["+2250700000019", "002250700000019", "2250700000019"])("shows the digits of %s", async (msisdn) => {
    const world = await open();
    const { body } = await world.api("POST", `/v1/charges/${await create(world)}/pay`, { msisdn });
    expect(body.transactions[0].recipientMsisdn).toBe("2250700000019");
  });

  it("refuses with 422 a charge that is paid, refunded in part or in full, or dropped", async () => {
    const world = await open();
    const id = await create(world);
    const path = `/v1/charges/${id}/pay`;
    const pay = () => world.api("POST", path);
    const refusal = (status: string) =>
      anError(422, path, [`The charge is ${status}; only a charge that is due can be paid`]);
    await pay();
    expect((await pay()).body).toEqual(refusal("paid"));
    await world.api("POST", `/v1/charges/${id}/refund`, { amount: 1 });
    expect((await pay()).body).toEqual(refusal("refunded_partially"));
    await world.api("POST", `/v1/charges/${id}/refund`);
    expect((await pay()).body).toEqual(refusal("refunded"));
    expect((await world.api("GET", `/v1/charges/${id}`)).body.attempts).toBe(1);

    const dropped = await create(world);
    await world.advance("1h");
    const late = await world.api("POST", `/v1/charges/${dropped}/pay`);
    expect(late.status).toBe(422);
    expect(late.body.message).toEqual(["The charge is dropped; only a charge that is due can be paid"]);
  });

  it("refuses with 422 a payer who does not accept, and counts no attempt", async () => {
    const world = await open();
    const id = await create(world);
    const { status, body } = await world.api("POST", `/v1/charges/${id}/pay`, { msisdn: "+2250700000007" });
    expect(status).toBe(422);
    expect(body.message).toEqual(["msisdn +2250700000007 does not accept payment requests"]);
    expect((await world.api("GET", `/v1/charges/${id}`)).body).toMatchObject({
      status: "due",
      attempts: 0,
      transactions: [],
    });
  });

  it("ends the time-to-live", async () => {
    const world = await open();
    const id = await create(world);
    expect((await world.control("GET", "/clock")).body).toMatchObject({
      pendingTimers: 1,
      next: { at: "2026-01-15T10:00:00.000Z", kind: "charge.expire", id },
    });
    await world.api("POST", `/v1/charges/${id}/pay`);
    expect((await world.control("GET", "/clock")).body).toMatchObject({ pendingTimers: 0, next: null });
  });

  it("answers 404 for an unknown id", async () => {
    const { api } = await open();
    const { status, body } = await api("POST", "/v1/charges/nope/pay");
    expect(status).toBe(404);
    expect(body).toEqual(anError(404, "/v1/charges/nope/pay", ['No charge has the id "nope"'], WORLD_START));
  });

  it.each([
    ["null", null, "null"],
    ["a list", [], "a list of 0"],
    ["text", '"x"', '"x"'],
  ])("refuses %s as the body", async (_, request, got) => {
    const world = await open();
    const { status, body } = await world.api("POST", `/v1/charges/${await create(world)}/pay`, request);
    expect(status).toBe(400);
    expect(body.message).toEqual([`body must be a JSON object, or nothing, got ${got}`]);
  });
});
