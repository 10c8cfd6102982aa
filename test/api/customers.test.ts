import { expect, it } from "vitest";
import { describeApi } from "../support/describe-api.js";
import { emptyFixture } from "../../src/sandbox/state/fixture.js";
import { anError } from "../support/shapes.js";
import { WORLD_START } from "../support/world.js";

const CHECK = "/v1/transactions/customers/check";
const unknownCustomer = { kycStatus: "unknown", firstName: "unknown", lastName: "unknown" };
const msisdnError = "msisdn must be a phone number: a string of 8 to 15 digits after an optional + or 00";

describeApi(`GET ${CHECK}`, (open) => {
  it("answers `unknown` for a user who is not found, not an error", async () => {
    const { api } = await open();
    const { status, body } = await api("GET", `${CHECK}?msisdn=%2B2250199999999`);
    expect(status).toBe(200);
    expect(body).toEqual(unknownCustomer);
  });

  it.each(["%2B2250700000010", "+2250700000010", "002250700000010", "2250700000010", "0700000010", "%200700000010"])(
    "knows a customer of a fixture as %s",
    async (msisdn) => {
      const awa = { firstName: "Awa", lastName: "Koné", kycStatus: "complete" };
      const { api } = await open({
        fixtures: [{ ...emptyFixture, customers: [{ msisdn: "+2250700000010", ...awa }] }],
      });
      const { status, body } = await api("GET", `${CHECK}?msisdn=${msisdn}`);
      expect(status).toBe(200);
      expect(body).toEqual(awa);
    },
  );

  it("prefers a fixture to the reserved numbers", async () => {
    const known = { firstName: "Issa", lastName: "Diop", kycStatus: "suspended" };
    const { api } = await open({ fixtures: [{ ...emptyFixture, customers: [{ msisdn: "0700000001", ...known }] }] });
    expect((await api("GET", `${CHECK}?msisdn=%2B2250700000001`)).body).toEqual(known);
  });

  it("accepts a subCompanyId, without effect", async () => {
    const { api } = await open();
    const { status, body } = await api("GET", `${CHECK}?msisdn=0199999999&subCompanyId=company_x`);
    expect(status).toBe(200);
    expect(body).toEqual(unknownCustomer);
  });

  it.each([
    ["", "but it is missing"],
    ["?MSISDN=0700000001", "but it is missing"],
    ["?msisdn=", 'got ""'],
    ["?msisdn=1234567", 'got "1234567"'],
    ["?msisdn=1234567890123456", 'got "1234567890123456"'],
    ["?msisdn=abc", 'got "abc"'],
    ["?msisdn=++0700000001", 'got "+ 0700000001"'],
    ["?msisdn=07%2000000001", 'got "07 00000001"'],
    ["?msisdn=0700000001%0A", String.raw`got "0700000001\n"`],
  ])("refuses %j", async (query, got) => {
    const { api } = await open();
    const { status, body } = await api("GET", CHECK + query);
    expect(status).toBe(400);
    expect(body).toEqual(anError(400, CHECK, [`${msisdnError}, ${got}`], WORLD_START));
  });

  it("takes the first of several numbers", async () => {
    const { api } = await open();
    expect((await api("GET", `${CHECK}?msisdn=0700000001&msisdn=x`)).body.kycStatus).toBe("complete");
  });
});

describeApi("GET /v1/balance", (open) => {
  it("shows the balance and its currency", async () => {
    const { api } = await open();
    const { status, body } = await api("GET", "/v1/balance");
    expect(status).toBe(200);
    expect(body).toEqual({ balance: 10_000_000, currency: "XOF" });
  });

  it.each([0, 1, 0.01, 123.45, 225_000_000_000])("shows %d exactly", async (balance) => {
    const { api } = await open({ balance });
    expect((await api("GET", "/v1/balance")).text).toBe(JSON.stringify({ balance, currency: "XOF" }));
  });

  it("needs no X-Company-Id", async () => {
    const { api } = await open();
    expect((await api("GET", "/v1/balance", undefined, { "x-company-id": null })).status).toBe(200);
  });
});
