import { describe, expect, it } from "vitest";
import { systemClock } from "../../../src/kernel/time/system-clock.js";
import { createFakeSystem } from "../../support/fake-system.js";
import { startReceiver } from "../../support/receiver.js";
import { chargeRequest, transferRequest } from "../../support/requests.js";
import { createScriptedTransport } from "../../support/scripted-transport.js";
import { type LooseJson, openWorld, type TestWorld } from "../../support/world.js";

async function stateOf(world: TestWorld, company = "company_sandbox"): Promise<LooseJson> {
  return (await world.control("GET", `/state?company=${company}`)).body;
}

async function createCharge(world: TestWorld): Promise<string> {
  return (await world.api("POST", "/v1/charges", chargeRequest())).body.id;
}

async function namesIn(world: TestWorld, company = "company_sandbox"): Promise<string[]> {
  const { data } = (await world.control("GET", `/snapshots?company=${company}`)).body;
  return data.map(({ name }: LooseJson) => name);
}

describe("POST /snapshots/:name", () => {
  it("saves the state and does not change the company", async () => {
    const world = openWorld({ system: { ...systemClock, now: () => Date.parse("2026-06-01T12:00:00.5Z") } });
    await createCharge(world);
    const { text } = await world.control("GET", "/state");
    const answer = await world.control("POST", "/snapshots/one-charge");
    expect(answer.status).toBe(201);
    const size = Buffer.byteLength(text);
    const saved = { name: "one-charge", savedAt: "2026-06-01T12:00:00.500Z", now: "2026-01-15T09:00:00.000Z", size };
    expect(answer.body).toEqual(saved);
    expect((await world.control("GET", "/snapshots")).body.data).toEqual([saved]);
    expect((await world.control("GET", "/state")).text).toBe(text);
  });

  it("replaces a snapshot of the same name, which becomes the newest", async () => {
    const world = openWorld();
    for (const name of ["a", "b"]) await world.control("POST", `/snapshots/${name}`);
    await world.control("PUT", "/balance", { balance: 5 });
    expect((await world.control("POST", "/snapshots/a")).status).toBe(201);
    expect(await namesIn(world)).toEqual(["b", "a"]);
    await world.control("PUT", "/balance", { balance: 6 });
    await world.control("PUT", "/snapshots/a");
    expect((await world.api("GET", "/v1/balance")).body.balance).toBe(5);
  });

  it("saves a hundred for each company, and answers 422 until one is removed", async () => {
    const world = openWorld();
    await world.control("POST", "/companies", { companyId: "b" });
    for (let count = 0; count < 100; count++) await world.control("POST", `/snapshots/${count}`);
    const answer = await world.control("POST", "/snapshots/more");
    expect(answer.status).toBe(422);
    expect(answer.body.message).toEqual([
      'Failed to save the snapshot "more": 100 snapshots are kept, and there are as many. Remove one with DELETE /_sandbox/snapshots/:name, or save over one that is there.',
    ]);
    expect((await world.control("POST", "/snapshots/99")).status).toBe(201);
    expect((await world.control("POST", "/snapshots/more?company=b")).status).toBe(201);
    await world.control("DELETE", "/snapshots/7");
    expect((await world.control("POST", "/snapshots/more")).status).toBe(201);
  });
});

describe("GET /snapshots", () => {
  it("lists in pages, oldest first", async () => {
    const world = openWorld();
    expect((await world.control("GET", "/snapshots")).body).toEqual({
      count: 0,
      limit: 15,
      cursor: { prev: null, next: null },
      data: [],
    });
    for (const name of ["c", "a", "b"]) await world.control("POST", `/snapshots/${name}`);
    const first = (await world.control("GET", "/snapshots?limit=2")).body;
    expect(first.data.map(({ name }: LooseJson) => name)).toEqual(["c", "a"]);
    const second = (await world.control("GET", `/snapshots?limit=2&cursor=${first.cursor.next}`)).body;
    expect(second.data.map(({ name }: LooseJson) => name)).toEqual(["b"]);
  });
});

describe("GET /snapshots/:name", () => {
  it("returns what GET /state returned", async () => {
    const world = openWorld();
    await createCharge(world);
    const { text } = await world.control("GET", "/state");
    await world.control("POST", "/snapshots/then");
    await createCharge(world);
    await world.control("POST", "/clock/advance", { by: "1d" });
    expect((await world.control("GET", "/snapshots/then")).text).toBe(text);
  });

  it("can be put into another process with PUT /state, which continues in the same way", async () => {
    const transport = createScriptedTransport(({ body }) => (body.length % 2 === 0 ? 500 : 200));
    const [one, other] = [
      openWorld({ seed: 7, transport }),
      openWorld({ seed: 7, transport, clock: "2040-01-01T00:00:00Z" }),
    ];
    await one.api("POST", "/v1/webhooks", { topic: "charges/events", url: "http://shop.test/hook" });
    await one.api("POST", "/v1/transactions", transferRequest());
    await one.control("POST", `/charges/${await createCharge(one)}/pay`);
    await createCharge(one);
    await one.control("POST", "/settle");
    await one.control("POST", "/snapshots/here");
    await one.control("POST", "/clock/advance", { by: "2s" });
    await one.control("PUT", "/snapshots/here");
    expect((await other.control("PUT", "/state", (await one.control("GET", "/snapshots/here")).text)).status).toBe(200);
    const moved = [one, other].map((world) => world.control("POST", "/clock/advance", { by: "3h" }));
    const [first, second] = await Promise.all(moved);
    expect(first?.body.fired.length).toBeGreaterThan(1);
    expect(second?.body).toEqual(first?.body);
    expect((await other.control("GET", "/state")).text).toBe((await one.control("GET", "/state")).text);
  });
});

describe("PUT /snapshots/:name", () => {
  it("restores everything, including the clock, and answers like PUT /state", async () => {
    const world = openWorld();
    const paid = await createCharge(world);
    const { text } = await world.control("GET", "/state");
    await world.control("POST", "/snapshots/due");
    await world.control("POST", `/charges/${paid}/pay`);
    await world.control("PATCH", "/profile", { charges: { min: 50 } });
    await world.control("POST", "/clock/advance", { by: "3h" });
    const answer = await world.control("PUT", "/snapshots/due");
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(text);
    expect(answer.headers.get("x-sandbox-now")).toBe("2026-01-15T09:00:00.000Z");
    expect((await world.control("GET", "/state")).text).toBe(text);
    expect((await world.api("GET", `/v1/charges/${paid}`)).body.status).toBe("due");
  });

  it("restores the same state any number of times", async () => {
    const world = openWorld({ seed: 1 });
    await world.control("POST", "/snapshots/start");
    const request = chargeRequest();
    const made: unknown[] = [];
    for (let round = 0; round < 3; round++) {
      await world.control("PUT", "/snapshots/start");
      made.push((await world.api("POST", "/v1/charges", request)).body);
    }
    expect(made[0]).toHaveProperty("id");
    expect(made).toEqual([made[0], made[0], made[0]]);
  });

  it("keeps the present tokens and secret key", async () => {
    const world = openWorld();
    await world.control("POST", "/snapshots/before");
    await world.control("POST", "/companies/company_sandbox/rotate", { secretKey: "other key" });
    await world.control("POST", "/companies/company_sandbox/rotate", { accessToken: "other" });
    await world.control("PUT", "/snapshots/before");
    expect((await world.control("GET", "/companies")).body.data).toMatchObject([
      { accessToken: "other", secretKey: "other key" },
    ]);
  });

  it("does not make a rotation draw the present credentials again", async () => {
    const world = openWorld({ seed: 1 });
    await world.control("POST", "/snapshots/before");
    const rotate = async (given: object): Promise<LooseJson> => {
      await world.control("PUT", "/snapshots/before");
      const { status, body } = await world.control("POST", "/companies/company_sandbox/rotate", given);
      expect(status).toBe(200);
      return body;
    };
    expect(await rotate({})).not.toEqual(await rotate({}));
    expect(await rotate({ accessToken: true })).not.toEqual(await rotate({ accessToken: true }));
  });

  it("sends interrupted and waiting deliveries in their order after the answer", async () => {
    const world = openWorld();
    const shop = await startReceiver("hang");
    await world.api("POST", "/v1/webhooks", { topic: "charges/events", url: shop.url });
    const id = await createCharge(world);
    await world.control("POST", `/charges/${id}/pay`);
    await world.api("POST", `/v1/charges/${id}/refund`);
    await shop.waitFor(1);
    await world.control("POST", "/snapshots/owing");
    shop.reply({ status: 200 });
    await world.control("POST", "/reset");
    expect((await world.control("PUT", "/snapshots/owing")).status).toBe(200);
    expect(shop.received).toHaveLength(1);
    await world.control("POST", "/settle");
    expect(shop.received.map(({ body }) => body.data.status)).toEqual(["paid", "paid", "refunded"]);
  });

  it("plans retries again that were made after the snapshot", async () => {
    const world = openWorld({ transport: createScriptedTransport(() => 500) });
    await world.api("POST", "/v1/webhooks", { topic: "charges/events", url: "http://shop.test/hook" });
    await world.control("POST", `/charges/${await createCharge(world)}/pay`);
    await world.control("POST", "/settle");
    await world.control("POST", "/snapshots/once");
    const first = (await world.control("POST", "/clock/advance", { by: "1d" })).body;
    expect(first.deliveries.attempted).toBe(5);
    await world.control("PUT", "/snapshots/once");
    expect((await world.control("POST", "/clock/advance", { by: "1d" })).body).toEqual(first);
  });

  it("restores exactly the time that it shows", async () => {
    let ms = Date.parse("2026-01-15T09:00:00Z");
    const world = openWorld({ clock: "running", system: { ...systemClock, now: () => ms++ } });
    const { now } = (await world.control("POST", "/snapshots/a")).body;
    expect((await world.control("GET", "/snapshots/a")).body.clock.now).toBe(now);
  });

  it("continues a running clock from the time of the snapshot", async () => {
    const system = createFakeSystem();
    const world = openWorld({ clock: "running", system });
    const id = await createCharge(world);
    await world.control("POST", "/snapshots/fresh");
    system.pass(3_600_000);
    expect((await world.api("GET", `/v1/charges/${id}`)).body.status).toBe("dropped");
    const answer = await world.control("PUT", "/snapshots/fresh");
    expect(answer.headers.get("x-sandbox-now")).toBe("2026-01-15T09:00:00.000Z");
    system.pass(3_599_999);
    expect((await world.api("GET", `/v1/charges/${id}`)).body.status).toBe("due");
    system.pass(1);
    expect((await world.api("GET", `/v1/charges/${id}`)).body.status).toBe("dropped");
  });

  it("ends a running advance and the queued ones with 422", async () => {
    const world = openWorld();
    const shop = await startReceiver("hang");
    const id = await createCharge(world);
    await world.api("POST", "/v1/webhooks", { topic: "charges/events", url: shop.url });
    await world.control("POST", "/snapshots/before");
    const advances = [1, 2].map(() => world.control("POST", "/clock/advance", { by: "2h" }));
    await shop.waitFor(1);
    expect((await world.control("PUT", "/snapshots/before")).status).toBe(200);
    for (const ended of await Promise.all(advances)) {
      expect(ended.status).toBe(422);
      expect(ended.body.message).toEqual([
        "The clock was not advanced to the end: the company was reset, restored or closed meanwhile.",
      ]);
    }
    expect((await world.api("GET", `/v1/charges/${id}`)).body.status).toBe("due");
    expect(await stateOf(world)).toEqual((await world.control("GET", "/snapshots/before")).body);
  });

  it("restores a state that was saved during an advance", async () => {
    const world = openWorld();
    const shop = await startReceiver("hang");
    await world.api("POST", "/v1/webhooks", { topic: "charges/events", url: shop.url });
    await createCharge(world);
    const advancing = world.control("POST", "/clock/advance", { by: "2h" });
    await shop.waitFor(1);
    expect((await world.control("POST", "/snapshots/middle")).body.now).toBe("2026-01-15T10:00:00.000Z");
    shop.reply({ status: 204 });
    await world.control("PUT", "/snapshots/middle");
    expect((await advancing).status).toBe(422);
    await world.control("POST", "/settle");
    const { data } = (await world.control("GET", "/deliveries")).body;
    expect(data).toMatchObject([{ status: "succeeded", attempts: [{ at: "2026-01-15T10:00:00.000Z", status: 204 }] }]);
  });

  it("leaves one company after concurrent restores", async () => {
    const system = createFakeSystem();
    const transport = createScriptedTransport(() => 200);
    const world = openWorld({ clock: "running", system, transport });
    await world.api("POST", "/v1/webhooks", { topic: "charges/events", url: "http://shop.test/hook" });
    await createCharge(world);
    await world.control("POST", "/snapshots/a");
    const state = await stateOf(world);
    const calls = [1, 2, 3].flatMap(() => [
      world.control("PUT", "/snapshots/a"),
      world.control("PUT", "/state", state),
      world.control("PUT", "/balance", { balance: 7 }),
    ]);
    for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
    // A timer left from an earlier state would also drop the charge and send a webhook.
    expect(system.pending).toHaveLength(1);
    system.pass(3_600_000);
    await world.control("POST", "/settle");
    expect(transport.sent).toHaveLength(1);
  });

  it("answers concurrent requests, and the last restore discards their changes", async () => {
    const world = openWorld();
    const before = await stateOf(world);
    await world.control("POST", "/snapshots/empty");
    const calls = Array.from({ length: 60 }, (_, index) =>
      index % 6 === 5 ? world.control("PUT", "/snapshots/empty") : world.api("POST", "/v1/charges", chargeRequest()),
    );
    const statuses = new Set((await Promise.all(calls)).map(({ status }) => status));
    expect(statuses).toEqual(new Set([200, 201]));
    await world.control("PUT", "/snapshots/empty");
    expect(await stateOf(world)).toEqual(before);
  });
});

describe("DELETE /snapshots/:name", () => {
  it("removes it", async () => {
    const world = openWorld();
    for (const name of ["a", "b"]) await world.control("POST", `/snapshots/${name}`);
    const answer = await world.control("DELETE", "/snapshots/a");
    expect([answer.status, answer.text]).toEqual([204, ""]);
    expect(await namesIn(world)).toEqual(["b"]);
    expect((await world.control("DELETE", "/snapshots/a")).status).toBe(404);
  });
});

describe("snapshots belong to their company", () => {
  it("survive its reset, a reset of all, and a PUT of a state", async () => {
    const world = openWorld();
    await createCharge(world);
    await world.control("POST", "/snapshots/kept");
    const state = await stateOf(world);
    await world.control("POST", "/reset");
    await world.control("PUT", "/state", state);
    await world.control("PUT", "/snapshots/kept");
    await world.control("POST", "/reset?company=*");
    expect(await namesIn(world)).toEqual(["kept"]);
    expect((await world.control("PUT", "/snapshots/kept")).body).toEqual(state);
  });

  it("are invisible to other companies", async () => {
    const world = openWorld();
    await world.control("POST", "/companies", { companyId: "b" });
    await world.control("POST", "/snapshots/mine");
    expect(await namesIn(world, "b")).toEqual([]);
    for (const method of ["GET", "PUT", "DELETE"]) {
      expect((await world.control(method, "/snapshots/mine?company=b")).status).toBe(404);
    }
    await world.control("POST", "/snapshots/mine?company=b");
    await world.control("DELETE", "/snapshots/mine?company=b");
    expect(await namesIn(world)).toEqual(["mine"]);
  });

  it("restore one company and not the others", async () => {
    const world = openWorld();
    await world.control("POST", "/companies", { companyId: "b" });
    await world.control("POST", "/snapshots/start");
    await world.control("POST", "/clock/advance?company=b", { by: "1h" });
    await world.control("PUT", "/balance?company=b", { balance: 5 });
    const other = await stateOf(world, "b");
    await world.control("PUT", "/snapshots/start");
    expect(await stateOf(world, "b")).toEqual(other);
  });

  it("are removed with it", async () => {
    const world = openWorld();
    for (const _ of [1, 2]) {
      await world.control("POST", "/companies", { companyId: "b" });
      expect(await namesIn(world, "b")).toEqual([]);
      await world.control("POST", "/snapshots/a?company=b");
      await world.control("DELETE", "/companies/b");
    }
  });

  it("are not part of a state", async () => {
    const world = openWorld();
    const { size } = (await world.control("POST", "/snapshots/a")).body;
    expect((await world.control("POST", "/snapshots/b")).body.size).toBe(size);
  });
});

describe("wrong use", () => {
  it.each([".hidden", "a b", "a%2Fb", "%C3%A9", "a".repeat(65), "a:b", "%00"])(
    "the name %j is 400 and says what would be right",
    async (name) => {
      const world = openWorld();
      for (const method of ["POST", "PUT", "GET", "DELETE"]) {
        const answer = await world.control(method, `/snapshots/${name}`);
        expect(answer.status).toBe(400);
        expect(answer.body.message).toEqual([
          expect.stringMatching(
            /^The name of a snapshot must be 1 to 64 of A-Z, a-z, 0-9, dot, _ and -, not a dot first/,
          ),
        ]);
      }
      expect(await namesIn(world)).toEqual([]);
    },
  );

  it.each(["a", "a".repeat(64), "Before.the_2nd-payout", "-", "0", "__proto__", "constructor"])(
    "the name %j is a name",
    async (name) => {
      const world = openWorld();
      expect((await world.control("GET", `/snapshots/${name}`)).status).toBe(404);
      expect((await world.control("POST", `/snapshots/${name}`)).status).toBe(201);
      expect((await world.control("PUT", `/snapshots/${name}`)).status).toBe(200);
    },
  );

  it.each(["PUT", "GET", "DELETE"])("%s of an unknown name is 404 and suggests the nearest", async (method) => {
    const world = openWorld();
    await world.control("POST", "/snapshots/before-payout");
    const answer = await world.control(method, "/snapshots/before-payuot");
    expect(answer.status).toBe(404);
    expect(answer.body.message).toEqual([
      'There is no snapshot "before-payuot". Did you mean "before-payout"? POST saves one.',
    ]);
  });

  it.each(["POST", "PUT"])("%s with a body is 400", async (method) => {
    const world = openWorld();
    await world.control("POST", "/snapshots/a");
    await world.control("PUT", "/balance", { balance: 5 });
    const before = await stateOf(world);
    const answer = await world.control(method, "/snapshots/a", before);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toContain('body has no "schemaVersion", nothing is expected there.');
    expect((await world.control("GET", "/snapshots/a")).body).not.toEqual(before);
    expect(await stateOf(world)).toEqual(before);
    expect((await world.control(method, "/snapshots/a", {})).status).toBeLessThan(300);
  });

  it("an unknown company is 404, a wrong method 405", async () => {
    const world = openWorld();
    expect((await world.control("POST", "/snapshots/a?company=nobody")).status).toBe(404);
    const answer = await world.control("PATCH", "/snapshots/a");
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("POST, PUT, GET, DELETE");
    expect((await world.control("POST", "/snapshots")).headers.get("allow")).toBe("GET");
  });
});
