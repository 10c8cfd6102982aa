import { beforeEach, describe, expect, it } from "vitest";
import { chargeRequest } from "../../support/requests.js";
import { openWorld, type TestWorld } from "../../support/world.js";

let world: TestWorld;
beforeEach(() => {
  world = openWorld({ profile: { charges: { min: 100 } } });
});

describe("GET /profile", () => {
  it("shows the values, nested, and every setting with its alternatives", async () => {
    const { body } = await world.control("GET", "/profile");
    expect(body.charges.min).toBe(100);
    expect(body.transfers).toMatchObject({ min: 5000, max: 500_000, fee: { rate: 0.01, fixed: 0, decimals: 2 } });
    expect(body.settings.find(({ setting }: { setting: string }) => setting === "charges.min")).toMatchObject({
      setting: "charges.min",
      value: 100,
      default: 1,
      contract: expect.any(String),
      alternatives: expect.any(Array),
    });
  });
});

describe("PATCH /profile", () => {
  it("applies from the next request on, and answers like GET", async () => {
    const answer = await world.control("PATCH", "/profile", {
      http: { createdStatus: 200 },
      charges: { creationStatus: "due" },
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual((await world.control("GET", "/profile")).body);
    const made = await world.api("POST", "/v1/charges", chargeRequest());
    expect(made.status).toBe(200);
    expect(made.body.status).toBe("due");
  });

  it("leaves other settings as they are, and replaces a value whole", async () => {
    await world.control("PATCH", "/profile", {
      webhooks: { retry: ["1s", "2s"] },
      transfers: { fee: { rate: 0, fixed: 5 } },
    });
    const { body } = await world.control("PATCH", "/profile", {
      webhooks: { retry: ["5s"] },
      transfers: { fee: { fixed: 6 } },
      rateLimit: { requests: 5, per: "1m" },
    });
    expect(body.transfers.fee).toEqual({ rate: 0.01, fixed: 6, decimals: 2 });
    expect(body.webhooks.retry).toEqual(["5s"]);
    expect(body.rateLimit).toEqual({ requests: 5, per: "1m" });
    expect(body.charges.min).toBe(100);
  });

  it("returns a setting or a group to its default with null", async () => {
    await world.control("PATCH", "/profile", { transfers: { min: 1, settlement: "manual" } });
    const one = await world.control("PATCH", "/profile", { transfers: { min: null } });
    expect(one.body.transfers).toMatchObject({ min: 5000, settlement: "manual" });
    await world.control("PATCH", "/profile", { transfers: { settlement: null }, rateLimit: "off" });
    const written = async () => (await world.control("GET", "/state")).body.profile;
    expect(await written()).toEqual({ charges: { min: 100 }, rateLimit: "off" });
    const all = await world.control("PATCH", "/profile", { transfers: null, charges: null, rateLimit: null });
    expect(all.body.transfers.settlement).toEqual({ after: "2s" });
    expect(all.body.charges.min).toBe(1);
    expect(await written()).toEqual({});
  });

  it("accepts what GET returned", async () => {
    const { body: before } = await world.control("GET", "/profile");
    const answer = await world.control("PATCH", "/profile", before);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(before);
  });

  it("applies to one company alone, until a reset", async () => {
    await world.control("POST", "/companies", { companyId: "b" });
    await world.control("PATCH", "/profile?company=b", { charges: { min: 7 } });
    expect((await world.control("GET", "/profile")).body.charges.min).toBe(100);
    expect((await world.control("GET", "/profile?company=b")).body.charges.min).toBe(7);
    await world.control("POST", "/reset?company=b");
    expect((await world.control("GET", "/profile?company=b")).body.charges.min).toBe(100);
  });

  it.each([
    [
      { transfer: { settlement: "manual" } },
      ['transfer.settlement is not a setting. Did you mean "transfers.settlement"?'],
    ],
    [{ transfers: { settlement: "sometimes" } }, ["transfers.settlement must be"]],
    [
      { transfers: { min: "5" }, charges: { ttl: "-1h" }, x: 1 },
      ["transfers.min must be", "charges.ttl", "x is not a setting"],
    ],
    [{ transfers: { min: 600_000 } }, ["transfers.min (600000) must not be above transfers.max (500000)"]],
    [{ "": 1, " x": 1 }, ['"" is not a setting', '" x" is not a setting']],
    [{ "transfers.min": 5 }, ["transfers.min is written nested"]],
    [{ transfers: 5, nope: null }, ["transfers must be an object", "nope is not a setting"]],
    [JSON.parse('{"__proto__": {"min": 1}}'), ["__proto__.min is not a setting"]],
    [[], ["A profile must be an object"]],
    ["5", ["A profile must be an object"]],
    [undefined, ["A profile must be an object"]],
  ])("%j is 400 with all that is wrong, and changes nothing", async (body, messages) => {
    const { body: before } = await world.control("GET", "/profile");
    const answer = await world.control("PATCH", "/profile", body);
    expect(answer.status).toBe(400);
    for (const message of messages) expect(answer.body.message.join("\n")).toContain(message);
    expect(answer.body.message).toHaveLength(messages.length);
    expect((await world.control("GET", "/profile")).body).toEqual(before);
  });
});
