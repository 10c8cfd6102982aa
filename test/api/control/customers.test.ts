import { beforeEach, describe, expect, it } from "vitest";
import { openWorld, type TestWorld } from "../../support/world.js";

let world: TestWorld;
beforeEach(() => {
  world = openWorld();
});

const awa = { firstName: "Awa", lastName: "Koné", kycStatus: "incomplete" };

async function check(msisdn: string): Promise<unknown> {
  return (await world.api("GET", `/v1/transactions/customers/check?msisdn=${msisdn}`)).body;
}

describe("PUT /customers/:msisdn", () => {
  it.each(["%2B2250700000010", "+2250700000010", "002250700000010", "0700000010"])(
    "registers a person under %s, however the number is written",
    async (msisdn) => {
      const answer = await world.control("PUT", `/customers/${msisdn}`, awa);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ msisdn: decodeURIComponent(msisdn), ...awa });
      for (const other of ["%2B2250700000010", "2250700000010", "0700000010"]) {
        expect((await world.control("GET", `/customers/${other}`)).body).toEqual(answer.body);
        expect(await check(other)).toEqual(awa);
      }
    },
  );

  it("replaces the customer of the number, with a complete status if none is given", async () => {
    await world.control("PUT", "/customers/0700000010", awa);
    await world.control("PUT", "/customers/+2250700000010", { firstName: "Issa", lastName: "Traoré" });
    expect((await world.control("GET", "/customers")).body.data).toEqual([
      { msisdn: "+2250700000010", firstName: "Issa", lastName: "Traoré", kycStatus: "complete" },
    ]);
  });

  it("overrides a test number until it is removed", async () => {
    await world.control("PUT", "/customers/+2250700000001", awa);
    expect(await check("%2B2250700000001")).toEqual(awa);
    await world.control("DELETE", "/customers/+2250700000001");
    expect(await check("%2B2250700000001")).toEqual({ kycStatus: "complete", firstName: "Awa", lastName: "Koné" });
  });

  it.each([
    ["0700000010", {}, ["firstName must be", "lastName must be"]],
    ["0700000010", undefined, ["body must be a JSON object"]],
    ["0700000010", { ...awa, firstName: " " }, ["firstName must be"]],
    ["0700000010", { ...awa, lastName: 5, kycStatus: "" }, ["lastName must be", "kycStatus must be"]],
    [
      "0700000010",
      { ...awa, kycstatus: "x" },
      ['body has no "kycstatus", only firstName, lastName, kycStatus. Did you mean "kycStatus"?'],
    ],
    ["123", awa, ["The path must end with a phone number"]],
    ["abcdefgh", awa, ["The path must end with a phone number"]],
  ])("%s %j is 400", async (msisdn, body, messages) => {
    const answer = await world.control("PUT", `/customers/${msisdn}`, body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toEqual(messages.map((message) => expect.stringContaining(message)));
    expect((await world.control("GET", "/customers")).body.count).toBe(0);
  });
});

describe("GET and DELETE", () => {
  it("lists them oldest first", async () => {
    for (const last of [3, 1, 2]) await world.control("PUT", `/customers/070000010${last}`, awa);
    const { body } = await world.control("GET", "/customers?limit=2");
    expect(body).toMatchObject({ count: 2, limit: 2, cursor: { prev: null, next: expect.any(String) } });
    expect(body.data.map(({ msisdn }: { msisdn: string }) => msisdn)).toEqual(["0700000103", "0700000101"]);
  });

  it("removes one", async () => {
    await world.control("PUT", "/customers/0700000010", awa);
    const answer = await world.control("DELETE", "/customers/%2B2250700000010");
    expect(answer.status).toBe(204);
    expect(answer.text).toBe("");
    expect(await check("0700000010")).toEqual({ kycStatus: "unknown", firstName: "unknown", lastName: "unknown" });
  });

  it("is 404 for an unregistered number, reserved ones included, and 400 for text that is not a number", async () => {
    for (const method of ["GET", "DELETE"]) {
      expect((await world.control(method, "/customers/0700000010")).status).toBe(404);
      expect((await world.control(method, "/customers/+2250700000001")).status).toBe(404);
      expect((await world.control(method, "/customers/me")).status).toBe(400);
    }
  });
});
