import { describe, expect, it } from "vitest";
import { describeApi } from "../support/describe-api.js";
import { chargeRequest } from "../support/requests.js";
import { anError, anUuid } from "../support/shapes.js";
import { WORLD_START } from "../support/world.js";

describeApi("POST /v1/charges", (open) => {
  it("answers 201 with exactly the contract's fields", async () => {
    const { api } = await open({ clock: "2025-01-28T08:39:08.249Z" });
    const { status, body, headers } = await api("POST", "/v1/charges", {
      amount: 10_000,
      externalId: "order-7",
      description: "Shoes",
      onCanceledRedirectionUrl: "https://shop.test/no",
      onCompletedRedirectionUrl: "https://shop.test/yes",
      metadata: { cart: [1, { size: "42" }] },
    });
    expect(status).toBe(201);
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(body).toEqual({
      id: anUuid,
      createdAt: "20250128T083908.249Z",
      externalId: "order-7",
      description: "Shoes",
      currency: "XOF",
      amount: 10_000,
      due: 10_000,
      fees: { currency: "XOF", rate: 0.01, value: 100 },
      status: "created",
      paid: 0,
      refunded: 0,
      attempts: 0,
      metadata: { cart: [1, { size: "42" }] },
      paymentUrl: expect.stringMatching(/^http:\/\/[^/]+\/checkout\//),
      transactions: [],
    });
    expect(body.paymentUrl.endsWith(`/checkout/${body.id}`)).toBe(true);
  });

  it("shows an empty metadata when none was given", async () => {
    const { api } = await open();
    expect((await api("POST", "/v1/charges", chargeRequest())).body.metadata).toEqual({});
  });

  it("does not change the balance", async () => {
    const { api } = await open({ balance: 500 });
    await api("POST", "/v1/charges", chargeRequest());
    expect((await api("GET", "/v1/balance")).body).toEqual({ balance: 500, currency: "XOF" });
  });

  it("has a paymentUrl under the address that the request came to, or under --public-url", async () => {
    const world = await open();
    const { body } = await world.api("POST", "/v1/charges", chargeRequest());
    expect(new URL(body.paymentUrl).hostname).toMatch(/^(?:localhost|127\.0\.0\.1)$/);
    const published = await open({ publicUrl: "https://sandbox.example/base" });
    const other = await published.api("POST", "/v1/charges", chargeRequest());
    expect(other.body.paymentUrl).toBe(`https://sandbox.example/base/checkout/${other.body.id}`);
  });

  it("ignores fields that it does not know", async () => {
    const { api } = await open();
    const { status, body } = await api(
      "POST",
      "/v1/charges",
      chargeRequest({ currency: "EUR", status: "paid", id: 5, paid: 1 }),
    );
    expect(status).toBe(201);
    expect(body).toMatchObject({ currency: "XOF", status: "created", paid: 0, id: anUuid });
    expect(Object.keys(body)).toHaveLength(15);
  });

  it("rounds the fee half up to whole XOF", async () => {
    const { api } = await open();
    const valueOf = async (amount: number): Promise<number> =>
      (await api("POST", "/v1/charges", chargeRequest({ amount }))).body.fees.value;
    expect(await valueOf(1)).toBe(0);
    expect(await valueOf(49)).toBe(0);
    expect(await valueOf(50)).toBe(1);
    expect(await valueOf(149)).toBe(1);
    expect(await valueOf(150)).toBe(2);
  });

  it("takes the amounts from 1 to 200 000 000, both included", async () => {
    const { api } = await open();
    for (const [amount, status] of [
      [0, 400],
      [1, 201],
      [200_000_000, 201],
      [200_000_001, 400],
    ] as const) {
      expect({ amount, status: (await api("POST", "/v1/charges", chargeRequest({ amount }))).status }).toEqual({
        amount,
        status,
      });
    }
  });

  it("refuses a second charge with the same externalId, whatever the status of the first", async () => {
    const { api, advance } = await open();
    const first = await api("POST", "/v1/charges", chargeRequest({ externalId: "order-1" }));
    const taken = ['A charge with externalId "order-1" already exists'];
    const conflict = anError(409, "/v1/charges", taken);
    const again = () => api("POST", "/v1/charges", chargeRequest({ externalId: "order-1", amount: 77 }));
    expect((await again()).body).toEqual(conflict);
    await api("POST", `/v1/charges/${first.body.id}/pay`);
    expect((await again()).body).toEqual(conflict);
    await api("POST", `/v1/charges/${first.body.id}/refund`);
    expect((await again()).body).toEqual(conflict);

    await api("POST", "/v1/charges", chargeRequest({ externalId: "order-2" }));
    await advance("1h");
    expect((await api("POST", "/v1/charges", chargeRequest({ externalId: "order-2" }))).status).toBe(409);
    // Another spelling is another reference.
    expect((await api("POST", "/v1/charges", chargeRequest({ externalId: "ORDER-1" }))).status).toBe(201);
    expect((await api("POST", "/v1/charges", chargeRequest({ externalId: "order-1 " }))).status).toBe(201);
  });

  it("lists every missing field at once", async () => {
    const { api } = await open();
    const { status, body } = await api("POST", "/v1/charges", {});
    expect(status).toBe(400);
    const messages = [
      "amount must be a whole number of XOF from 1 to 200000000, but it is missing",
      "externalId must be the caller's reference, a string that is not blank, but it is missing",
      "description must be the purpose of the payment, a string that is not blank, but it is missing",
      "onCanceledRedirectionUrl must be an absolute http or https URL, but it is missing",
      "onCompletedRedirectionUrl must be an absolute http or https URL, but it is missing",
    ];
    expect(body).toEqual(anError(400, "/v1/charges", messages, WORLD_START));
  });

  it("stores nothing of a request that it refuses", async () => {
    const { api } = await open();
    expect((await api("POST", "/v1/charges", chargeRequest({ externalId: "x", amount: -1 }))).status).toBe(400);
    expect((await api("POST", "/v1/charges", chargeRequest({ externalId: "x" }))).status).toBe(201);
  });

  describe("metadata", () => {
    it.each([
      ["empty", "{}"],
      ["nested", '{"a":{"b":[{"c":null},[],"x",1.5,true]}}'],
      ["unicode, in keys too", '{"clé 💳":"Koné \\u0000 \\ud800"}'],
      [
        "names that every object has",
        '{"__proto__":{"admin":true},"constructor":1,"toString":"x","hasOwnProperty":null}',
      ],
      ["a nested __proto__", '{"a":{"__proto__":{"b":1}}}'],
      ["a toJSON", '{"toJSON":"x"}'],
      ["numeric keys, which come back in their order", '{"1":"a","2":"b","x":"c"}'],
      ["an empty key", '{"":""}'],
    ])("is returned as it was sent: %s", async (_, json) => {
      const { api } = await open();
      const request = JSON.stringify(chargeRequest()).replace(/}$/, `,"metadata":${json}}`);
      const created = await api("POST", "/v1/charges", request);
      expect(created.status).toBe(201);
      const sent = JSON.stringify(JSON.parse(json));
      expect(created.text).toContain(`"metadata":${sent},`);
      const read = await api("GET", `/v1/charges/${created.body.id}`);
      expect(read.text).toContain(`"metadata":${sent},`);
    });

    it.each([
      ["null", "null", "null"],
      ["a list", "[]", "a list of 0"],
      ["text", '"x"', '"x"'],
      ["a number", "5", "5"],
      ["a number that JSON cannot give back", '{"a":[1e400]}', "an object"],
      ["101 levels", `{"a":${"[".repeat(100)}${"]".repeat(100)}}`, "an object"],
    ])("must be an object: %s is refused", async (_, json, got) => {
      const { api } = await open();
      const request = JSON.stringify(chargeRequest()).replace(/}$/, `,"metadata":${json}}`);
      const { status, body } = await api("POST", "/v1/charges", request);
      expect(status).toBe(400);
      expect(body.message).toEqual([
        `metadata must be an object, nested at most 100 deep, with finite numbers, got ${got}`,
      ]);
    });

    it("may be 100 levels deep", async () => {
      const { api } = await open();
      const request = JSON.stringify(chargeRequest()).replace(
        /}$/,
        `,"metadata":{"a":${"[".repeat(99)}${"]".repeat(99)}}}`,
      );
      expect((await api("POST", "/v1/charges", request)).status).toBe(201);
    });
  });
});
