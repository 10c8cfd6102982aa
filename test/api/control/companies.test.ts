import { describe, expect, it } from "vitest";
import { startReceiver } from "../../support/receiver.js";
import { chargeRequest } from "../../support/requests.js";
import { sign } from "../../support/signature.js";
import { openWorld, type TestWorld, type WorldOptions } from "../../support/world.js";

let world: TestWorld;

const open = (options?: WorldOptions): TestWorld => (world = openWorld(options));

function as(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}

describe("POST /companies", () => {
  it.each([
    [{ companyId: "company_x" }, "company_x", "at_x", "secret_x"],
    [{ companyId: "shop" }, "shop", "at_shop", "secret_shop"],
    [{ accessToken: "at_y" }, "company_y", "at_y", "secret_y"],
    [{ accessToken: "token" }, "company_token", "token", "secret_token"],
    [{ companyId: "company_x", accessToken: "at_y", secretKey: "s p a c e" }, "company_x", "at_y", "s p a c e"],
  ])("%j derives the missing values", async (body, companyId, accessToken, secretKey) => {
    const answer = await open().control("POST", "/companies", body);
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ companyId, accessToken, secretKey, balance: 10_000_000 });
    expect(answer.body.clock).toEqual({
      mode: "frozen",
      now: "2026-01-15T09:00:00.000Z",
      pendingTimers: 0,
      next: null,
    });
    expect(answer.body.profile.transfers.settlement).toEqual({ after: "2s" });
    const balance = await world.api("GET", "/v1/balance", undefined, { ...as(accessToken), "x-company-id": companyId });
    expect(balance.body).toEqual({ balance: 10_000_000, currency: "XOF" });
  });

  it.each<[{ secretKey?: string } | undefined]>([[{}], [undefined], [{ secretKey: "mine" }]])(
    "%j generates an id",
    async (body) => {
      const { body: made } = await open().control("POST", "/companies", body);
      const name = /^company_(.{21})$/.exec(made.companyId)?.[1];
      expect(name).toBeDefined();
      expect(made.accessToken).toBe(`at_${name}`);
      expect(made.secretKey).toBe(body?.secretKey ?? `secret_${name}`);
    },
  );

  it("takes balance and profile", async () => {
    const body = { companyId: "c", balance: 0.5, profile: { transfers: { settlement: "manual" } } };
    const { body: made } = await open({ profile: { charges: { min: 100 } } }).control("POST", "/companies", body);
    expect(made.balance).toBe(0.5);
    expect(made.profile.transfers.settlement).toBe("manual");
    expect(made.profile.charges.min).toBe(100);
    expect((await world.control("GET", "/profile")).body.transfers.settlement).toEqual({ after: "2s" });
  });

  it.each([
    ["2026-03-01T00:00:00Z", "frozen", "2026-03-01T00:00:00.000Z"],
    ["frozen", "frozen", "2026-01-15T09:00:00.000Z"],
    [{ now: "2025-01-01" }, "frozen", "2025-01-01T00:00:00.000Z"],
    [{ mode: "frozen", now: "2025-01-01" }, "frozen", "2025-01-01T00:00:00.000Z"],
  ])("takes the clock %j", async (clock, mode, now) => {
    const { body } = await open().control("POST", "/companies", { companyId: "c", clock });
    expect(body.clock).toMatchObject({ mode, now });
  });

  it("starts a running clock now, or at a given time, and again there at a reset", async () => {
    open();
    const { body: now } = await world.control("POST", "/companies", { clock: "running" });
    expect(now.clock.mode).toBe("running");
    expect(now.clock.now > "2026-01-15T09").toBe(true);
    await world.control("POST", "/companies", { companyId: "c", clock: { mode: "running", now: "2030-05-05" } });
    await world.control("POST", "/clock/advance?company=c", { by: "300d" });
    await world.control("POST", "/reset?company=c");
    const { body: clock } = await world.control("GET", "/clock?company=c");
    expect(clock.mode).toBe("running");
    expect(clock.now >= "2030-05-05T00:00:00.000Z" && clock.now < "2030-05-05T00:01").toBe(true);
  });

  it.each([
    [{ companyId: "" }, "companyId must be a company id"],
    [{ companyId: "*" }, 'companyId must not be "*"'],
    [{ companyId: "a b" }, "companyId must be a company id"],
    [{ companyId: 5 }, "companyId must be a company id"],
    [{ accessToken: "é" }, "accessToken must be an access token"],
    [{ secretKey: " " }, "secretKey must be a secret key"],
    [{ balance: -1 }, "balance must be a number of XOF"],
    [{ balance: 0.00001 }, "balance must be a number of XOF"],
    [{ balance: "5" }, "balance must be a number of XOF"],
    [{ clock: "noon" }, "clock must be"],
    [{ clock: {} }, "clock must"],
    [{ clock: { mode: "fast" } }, "clock must"],
    [{ profile: { transfers: { mim: 5 } } }, 'Did you mean "transfers.min"?'],
    [{ profile: 5 }, "A profile must be an object"],
    [{ companyID: "x" }, 'Did you mean "companyId"?'],
    ["{", "not JSON"],
    [[], "body must be a JSON object"],
  ])("%j is 400 and opens nothing", async (body, message) => {
    const answer = await open().control("POST", "/companies", body);
    expect(answer.status).toBe(400);
    expect(answer.body.message.join("\n")).toContain(message);
    expect((await world.control("GET", "/companies")).body.count).toBe(1);
  });

  it("reports all problems at once", async () => {
    const body = { companyId: 1, balance: -1, profile: { transfers: { min: -1, settlement: "never" } }, x: 1 };
    const answer = await open().control("POST", "/companies", body);
    expect(answer.body.message).toHaveLength(5);
  });

  it.each([
    { companyId: "company_sandbox", accessToken: "new" },
    { companyId: "new", accessToken: "at_sandbox" },
    { companyId: "sandbox" },
  ])("%j is taken: 422", async (body) => {
    const answer = await open().control("POST", "/companies", body);
    expect(answer.status).toBe(422);
    expect((await world.control("GET", "/companies")).body.count).toBe(1);
  });
});

describe("GET /companies", () => {
  it("skips no company when another is removed meanwhile", async () => {
    open();
    for (let at = 0; at < 6; at++) await world.control("POST", "/companies", { companyId: `c${at}` });
    const [first] = await Promise.all([
      world.control("GET", "/companies?limit=4"),
      world.control("DELETE", "/companies/c0"),
    ]);
    const { body: second } = await world.control("GET", `/companies?limit=4&cursor=${first.body.cursor.next}`);
    const listed = [first.body, second].flatMap(({ data }) => data.map((one: { companyId: string }) => one.companyId));
    expect(listed.filter((id) => id !== "c0")).toEqual(["company_sandbox", "c1", "c2", "c3", "c4", "c5"]);
    expect(first.body.count).toBe(first.body.data.length);
  });

  it("lists them in the order of opening, page by page", async () => {
    open();
    for (const companyId of ["a", "b", "c"]) await world.control("POST", "/companies", { companyId });
    const { body: first } = await world.control("GET", "/companies?limit=3");
    expect(first).toMatchObject({ count: 3, limit: 3, cursor: { prev: null } });
    expect(first.data.map(({ companyId }: { companyId: string }) => companyId)).toEqual(["company_sandbox", "a", "b"]);
    const { body: second } = await world.control("GET", `/companies?limit=3&cursor=${first.cursor.next}`);
    expect(second.data).toHaveLength(1);
    expect(second.data[0]).toMatchObject({ companyId: "c", accessToken: "at_c", secretKey: "secret_c" });
    const { body: back } = await world.control("GET", `/companies?limit=3&cursor=${second.cursor.prev}`);
    expect(back.data).toEqual(first.data);
  });

  it("shows each like the answer that opened it", async () => {
    open();
    const { body: opened } = await world.control("POST", "/companies", { companyId: "a" });
    expect((await world.control("GET", "/companies")).body.data[1]).toEqual(opened);
  });
});

describe("DELETE /companies/:id", () => {
  it("removes a company, its token and its due work", async () => {
    open();
    await world.control("POST", "/companies", { companyId: "a" });
    const answer = await world.control("DELETE", "/companies/a");
    expect(answer.status).toBe(204);
    expect(answer.text).toBe("");
    expect((await world.api("GET", "/v1/balance", undefined, as("at_a"))).status).toBe(401);
    expect((await world.control("GET", "/state?company=a")).status).toBe(404);
    expect((await world.control("POST", "/companies", { companyId: "a" })).status).toBe(201);
  });

  it("is 404 for an unknown one", async () => {
    expect((await open().control("DELETE", "/companies/nobody")).status).toBe(404);
    expect((await world.control("POST", "/companies/nobody/rotate")).status).toBe(404);
  });
});

describe("POST /companies/:id/rotate", () => {
  const path = "/companies/company_sandbox/rotate";

  it.each([[undefined], [{}], [{ secretKey: true }]])("%j makes a new secret key", async (body) => {
    const answer = await open().control("POST", path, body);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ secretKey: expect.stringMatching(/^secret_.{21}$/) });
    expect((await world.control("GET", "/companies")).body.data[0].secretKey).toBe(answer.body.secretKey);
  });

  it("signs every later attempt with the new key, retries included", async () => {
    open();
    const receiver = await startReceiver((_, index) => ({ status: index === 0 ? 500 : 200 }));
    await world.api("POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url });
    const { body: charge } = await world.api("POST", "/v1/charges", chargeRequest());
    await world.api("POST", `/v1/charges/${charge.id}/pay`);
    await receiver.waitFor(1);
    await world.control("POST", "/settle");
    expect((await world.control("POST", path, { secretKey: "new key" })).body).toEqual({ secretKey: "new key" });
    await world.control("POST", "/clock/advance", { by: "10s" });
    const signatures = receiver.received.map(({ raw }) => [sign(raw, "secret_sandbox"), sign(raw, "new key")]);
    expect(receiver.received.map(({ headers }) => headers["x-service-hmac-sha256"])).toEqual([
      signatures[0]?.[0],
      signatures[1]?.[1],
    ]);
  });

  it("gives a new access token, and the old one stops working immediately", async () => {
    open();
    const { body } = await world.control("POST", path, { accessToken: true });
    expect(body).toEqual({ accessToken: expect.stringMatching(/^at_.{21}$/) });
    expect((await world.api("GET", "/v1/balance")).status).toBe(401);
    expect((await world.api("GET", "/v1/balance", undefined, as(body.accessToken))).status).toBe(200);
    const [company] = (await world.control("GET", "/companies")).body.data;
    expect(company.accessTokens).toEqual([{ accessToken: body.accessToken, expiresAt: null }]);
  });

  it("keeps the old one valid for an overlap, and lets the new one expire", async () => {
    open();
    await world.control("POST", path, { accessToken: "at_2", overlap: "10m", expiresIn: "1h" });
    const [company] = (await world.control("GET", "/companies")).body.data;
    expect(company.accessTokens).toEqual([
      { accessToken: "at_2", expiresAt: "2026-01-15T10:00:00.000Z" },
      { accessToken: "at_sandbox", expiresAt: "2026-01-15T09:10:00.000Z" },
    ]);
    const statuses = async (): Promise<number[]> => [
      (await world.api("GET", "/v1/balance")).status,
      (await world.api("GET", "/v1/balance", undefined, as("at_2"))).status,
    ];
    expect(await statuses()).toEqual([200, 200]);
    await world.control("POST", "/clock/advance", { by: "10m" });
    expect(await statuses()).toEqual([401, 200]);
    await world.control("POST", "/clock/advance", { by: "50m" });
    expect(await statuses()).toEqual([401, 401]);
  });

  it.each([
    [{ secretKey: false }, "secretKey must be true or the new secret key"],
    [{ secretKey: "" }, "secretKey must be a secret key"],
    [{ accessToken: "a b" }, "accessToken must be an access token"],
    [{ accessToken: true, secretKey: true }, "accessToken must be absent"],
    [{ overlap: "1h" }, "overlap goes with accessToken only"],
    [{ secretKey: true, expiresIn: "1h" }, "expiresIn goes with accessToken only"],
    [{ accessToken: true, overlap: "soon" }, 'overlap: "soon" is not a duration'],
    [{ token: true }, 'body has no "token"'],
  ])("%j is 400", async (body, message) => {
    const answer = await open().control("POST", path, body);
    expect(answer.status).toBe(400);
    expect(answer.body.message.join("\n")).toContain(message);
    expect((await world.api("GET", "/v1/balance")).status).toBe(200);
  });

  it("is 422 for a token that a company already has", async () => {
    open();
    await world.control("POST", "/companies", { accessToken: "at_b" });
    expect((await world.control("POST", path, { accessToken: "at_b" })).status).toBe(422);
    expect((await world.control("POST", path, { accessToken: "at_sandbox" })).status).toBe(422);
  });
});
