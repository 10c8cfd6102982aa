import { describe, expect, it } from "vitest";
import { fromXof } from "../../src/domain/values/money.js";
import { parseInstant } from "../../src/kernel/time/instant.js";
import type { CompanySetup } from "../../src/sandbox/state/fixture.js";
import { DEFAULT_LIMITS } from "../../src/sandbox/company/limits.js";
import { setupFor } from "../../src/sandbox/config/options.js";
import { type ApiWorld, describeApi, useWorlds } from "../support/describe-api.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import { type GivenHeaders, WORLD_START } from "../support/world.js";

function setup(token: string, change: Partial<CompanySetup> = {}): CompanySetup {
  const frozenAt = parseInstant(WORLD_START);
  return { ...setupFor(token), balance: fromXof(100_000), frozenAt, profile: {}, fixtures: [], ...change };
}

const as = (token: string, company?: string): GivenHeaders => ({
  authorization: `Bearer ${token}`,
  "x-company-id": company ?? null,
});

describeApi("a request without a valid token", (open) => {
  const LATER = "2031-01-01T00:00:00.000Z";
  const plain = { frozenAt: parseInstant(LATER), profile: { errors: { shape: "message" } } };
  const openTwo = async (): Promise<ApiWorld> => {
    const world = await open({ companies: [setup("at_one"), setup("at_two", plain)] });
    const expired = { token: "at_expired", expiresAt: parseInstant("2030-01-01T00:00:00Z") ?? 0 };
    const two = world.sandbox.findCompany("company_two");
    if (two === undefined) throw new Error("There is no company_two.");
    world.sandbox.identify(two, { ...two.record.identity, tokens: [...two.record.identity.tokens, expired] });
    return world;
  };

  it.each([
    ["an unknown token and X-Company-Id", "/v1/balance", as("at_unknown", "company_two"), 401],
    ["X-Company-Id alone", "/v1/balance", { authorization: null, "x-company-id": "company_two" }, 401],
    ["a token that has expired", "/v1/balance", as("at_expired"), 401],
    ["an unknown path and its token", "/v1/nope", as("at_two"), 404],
    ["an unknown path outside of /v1 and its token", "/nope", as("at_two"), 404],
    ["an unknown path and X-Company-Id", "/v1/nope", { authorization: null, "x-company-id": "company_two" }, 404],
  ] as const)("is answered as the company that it names: %s", async (_, path, headers, status) => {
    const { api } = await openTwo();
    const answer = await api("GET", path, undefined, headers);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ message: expect.any(String) });
    expect(answer.headers.get("x-sandbox-now")).toBe(LATER);
  });

  it("is in the journal of that company, at its time", async () => {
    const { api, control } = await openTwo();
    await api("GET", "/v1/balance", undefined, as("at_expired"));
    await api("GET", "/v1/nope", undefined, { authorization: null, "x-company-id": "company_two" });
    const { body } = await control("GET", "/requests?company=company_two");
    expect(body.data).toMatchObject([
      { path: "/v1/balance", at: LATER },
      { path: "/v1/nope", at: LATER },
    ]);
  });

  it("is answered as the first company when it names none, even for an unknown method", async () => {
    const { api } = await openTwo();
    const nobody = { authorization: null, "x-company-id": "company_none" };
    for (const path of ["/v1/balance", "/v1/nope"]) {
      const answer = await api("GET", path, undefined, nobody);
      expect(answer.body).toMatchObject({ statusCode: answer.status, timestamp: WORLD_START });
    }
    expect((await api("DELETE", "/v1/balance", undefined, as("at_two"))).body).toEqual({ message: expect.any(String) });
  });
});

describeApi("two companies", (open) => {
  const openTwo = (): Promise<ApiWorld> =>
    open({ companies: [setup("at_one"), setup("at_two", { balance: fromXof(7) })] });

  it("do not see each other's charges, transactions or subscriptions: 404", async () => {
    const { api } = await openTwo();
    const [one, two] = [as("at_one", "company_one"), as("at_two", "company_two")];
    const charge = (await api("POST", "/v1/charges", chargeRequest(), one)).body;
    const transaction = (await api("POST", "/v1/transactions", transferRequest(), one)).body;
    const webhook = (await api("POST", "/v1/webhooks", { topic: "charges/events", url: "https://a.test" }, one)).body;
    for (const [method, path] of [
      ["GET", `/v1/charges/${charge.id}`],
      ["POST", `/v1/charges/${charge.id}/pay`],
      ["POST", `/v1/charges/${charge.id}/refund`],
      ["GET", `/v1/transactions/${transaction.id}`],
      ["GET", `/v1/webhooks/${webhook.id}`],
      ["DELETE", `/v1/webhooks/${webhook.id}`],
    ] as const) {
      expect({ path, status: (await api(method, path, undefined, two)).status }).toEqual({ path, status: 404 });
    }
    expect((await api("GET", "/v1/webhooks", undefined, two)).body.count).toBe(0);
    expect((await api("GET", `/v1/webhooks/${webhook.id}`, undefined, one)).status).toBe(200);
    expect((await api("GET", `/v1/charges/${charge.id}`, undefined, one)).body.status).toBe("due");
  });

  it("each have their own balance, references and external ids", async () => {
    const { api } = await openTwo();
    const charge = chargeRequest({ externalId: "same" });
    for (const token of ["one", "two"]) {
      const headers = as(`at_${token}`, `company_${token}`);
      expect((await api("POST", "/v1/charges", charge, headers)).status).toBe(201);
    }
    await api("POST", "/v1/transactions", transferRequest({ reference: "same" }), as("at_one"));
    expect((await api("GET", "/v1/balance", undefined, as("at_one"))).body.balance).toBe(94_950);
    expect((await api("GET", "/v1/balance", undefined, as("at_two"))).body.balance).toBe(7);
  });

  it("each have their own customers, profile and clock", async () => {
    const { api, control } = await openTwo();
    const check = "/v1/transactions/customers/check?msisdn=0102030405";
    await control("PUT", "/customers/0102030405?company=company_two", {
      firstName: "Awa",
      lastName: "Koné",
      kycStatus: "complete",
    });
    expect((await api("GET", check, undefined, as("at_one"))).body.firstName).toBe("unknown");
    expect((await api("GET", check, undefined, as("at_two"))).body.firstName).toBe("Awa");

    await control("PATCH", "/profile?company=company_two", {
      transfers: { fee: { rate: 0 } },
      http: { createdStatus: 200 },
    });
    const webhook = { topic: "charges/events", url: "https://a.test" };
    expect((await api("POST", "/v1/webhooks", webhook, as("at_one"))).status).toBe(201);
    expect((await api("POST", "/v1/webhooks", webhook, as("at_two"))).status).toBe(200);

    const charge = async (token: string) =>
      (await api("POST", "/v1/charges", chargeRequest(), as(`at_${token}`, `company_${token}`))).body;
    const [first, second] = [await charge("one"), await charge("two")];
    await control("POST", "/clock/advance?company=company_two", { by: "1h" });
    expect((await api("GET", `/v1/charges/${first.id}`, undefined, as("at_one"))).body.status).toBe("due");
    const dropped = await api("GET", `/v1/charges/${second.id}`, undefined, as("at_two"));
    expect(dropped.body.status).toBe("dropped");
    expect(dropped.headers.get("x-sandbox-now")).toBe("2026-01-15T10:00:00.000Z");
  });

  it("are selected by the token alone; another company's id is 403 on every endpoint", async () => {
    const { api } = await openTwo();
    for (const [method, path] of [
      ["GET", "/v1/balance"],
      ["POST", "/v1/charges"],
      ["GET", "/v1/charges/x"],
      ["POST", "/v1/transactions"],
      ["DELETE", "/v1/webhooks/x"],
    ] as const) {
      const { status, body } = await api(method, path, undefined, as("at_one", "company_two"));
      expect(status).toBe(403);
      expect(body.message).toEqual([`X-Company-Id must be company_one, the access token's company, got "company_two"`]);
    }
    expect((await api("GET", "/v1/balance", undefined, as("at_two", "company_two"))).status).toBe(200);
  });

  it("are reset one by one", async () => {
    const { api, control } = await openTwo();
    for (const token of ["at_one", "at_two"]) {
      await api("POST", "/v1/webhooks", { topic: "charges/events", url: "https://a.test" }, as(token));
    }
    await control("POST", "/reset?company=company_one");
    expect((await api("GET", "/v1/webhooks", undefined, as("at_one"))).body.count).toBe(0);
    expect((await api("GET", "/v1/webhooks", undefined, as("at_two"))).body.count).toBe(1);
  });
});

describeApi("a company's tokens", (open) => {
  const tokens = [
    { token: "at_always", expiresAt: null },
    { token: "at_short", expiresAt: parseInstant("2026-01-15T10:00:00Z") ?? null },
  ];

  it("all select the company, each until it expires on the company's clock", async () => {
    const { api, advance } = await open({ companies: [setup("at_always", { tokens })] });
    const { id } = (
      await api("POST", "/v1/webhooks", { topic: "charges/events", url: "https://a.test" }, as("at_always"))
    ).body;
    expect((await api("GET", `/v1/webhooks/${id}`, undefined, as("at_short"))).status).toBe(200);
    await advance("59m59.999s");
    expect((await api("GET", "/v1/balance", undefined, as("at_short"))).status).toBe(200);
    await advance("1ms");
    const { status, body } = await api("GET", "/v1/balance", undefined, as("at_short"));
    expect(status).toBe(401);
    expect(body.message).toEqual(["The access token is unknown or has expired"]);
    expect((await api("GET", "/v1/balance", undefined, as("at_always"))).status).toBe(200);
  });

  it("are restored by a reset, which moves the clock back too", async () => {
    const { api, advance, control } = await open({ companies: [setup("at_always", { tokens })] });
    await advance("2h");
    expect((await api("GET", "/v1/balance", undefined, as("at_short"))).status).toBe(401);
    await control("POST", "/reset");
    expect((await api("GET", "/v1/balance", undefined, as("at_short"))).status).toBe(200);
  });
});

describeApi("auto-provision", (open) => {
  it("opens a new company for any unknown token, and names it after the token", async () => {
    const { api, control } = await open({ autoProvision: true, balance: 123 });
    for (const [token, company, secret] of [
      ["at_worker-1", "company_worker-1", "secret_worker-1"],
      ["worker.2", "company_worker.2", "secret_worker.2"],
      ["at_", "company_at_", "secret_at_"],
    ] as const) {
      const charge = await api("POST", "/v1/charges", chargeRequest({ externalId: "same" }), as(token, company));
      expect(charge.status).toBe(201);
      expect((await api("GET", "/v1/balance", undefined, as(token))).body.balance).toBe(123);
      const companies = (await control("GET", "/companies")).body.data;
      expect(companies).toContainEqual(
        expect.objectContaining({ companyId: company, accessToken: token, secretKey: secret }),
      );
    }
  });

  it("keeps a token's company across calls", async () => {
    const { api } = await open({ autoProvision: true });
    const { id } = (await api("POST", "/v1/webhooks", { topic: "charges/events", url: "https://a.test" }, as("at_w")))
      .body;
    expect((await api("GET", `/v1/webhooks/${id}`, undefined, as("at_w"))).status).toBe(200);
    expect((await api("GET", `/v1/webhooks/${id}`, undefined, as("at_v"))).status).toBe(404);
  });

  it("isolates the companies of different tokens", async () => {
    const { api } = await open({ autoProvision: true });
    expect((await api("GET", "/v1/balance", undefined, as("at_w"))).status).toBe(200);
    // `w` would be company_w too.
    expect((await api("GET", "/v1/balance", undefined, as("w"))).status).toBe(401);
    expect((await api("GET", "/v1/balance", undefined, as("at_x", "company_y"))).status).toBe(403);
  });

  it.each([`at_${"x".repeat(200)}`, `at_x${"=".repeat(200)}`, "at_<script>", "at_%00", "{token}"])(
    "opens no company for the token %s",
    async (token) => {
      const { api } = await open({ autoProvision: true });
      expect((await api("GET", "/v1/balance", undefined, as(token))).status).toBe(401);
    },
  );

  it("opens no company for a token that was replaced, until its company is removed", async () => {
    const { api, control } = await open({ autoProvision: true });
    const opening = { companyId: "company_shop", accessToken: "at_first" };
    const statusOf = async (token: string) => (await api("GET", "/v1/balance", undefined, as(token))).status;
    await control("POST", "/companies", opening);
    await control("POST", "/companies/company_shop/rotate", { accessToken: "at_second" });
    await control("POST", "/companies/company_shop/rotate", { accessToken: "at_third" });
    expect([await statusOf("at_first"), await statusOf("at_second"), await statusOf("at_third")]).toEqual([
      401, 401, 200,
    ]);
    await control("DELETE", "/companies/company_shop");
    expect([await statusOf("at_first"), await statusOf("at_second")]).toEqual([200, 200]);
  });

  it.each(["company_sandbox", "*"])("opens no company for a token that a reset of %s took back", async (company) => {
    const { api, control } = await open({ autoProvision: true });
    await control("POST", "/companies/company_sandbox/rotate", { accessToken: "at_second" });
    expect((await control("POST", `/reset?company=${company}`)).status).toBe(200);
    expect((await api("GET", "/v1/balance", undefined, as("at_second"))).status).toBe(401);
    expect((await api("GET", "/v1/balance")).status).toBe(200);
  });

  it("opens no company for a replaced token while its company is closed to be moved, and after it is back", async () => {
    const { api, control } = await open({ autoProvision: true });
    for (const accessToken of ["at_second", "at_third"])
      await control("POST", "/companies/company_sandbox/rotate", { accessToken });
    const statusOf = async () => (await api("GET", "/v1/balance", undefined, as("at_second"))).status;
    const { body } = await control("POST", "/companies/company_sandbox/export", { close: true });
    expect(await statusOf()).toBe(401);
    expect((await control("PUT", "/companies/company_sandbox", body)).status).toBe(201);
    expect(await statusOf()).toBe(401);
    await control("POST", "/reset?company=*");
    expect(await statusOf()).toBe(401);
  });

  it("is off by default", async () => {
    const { api } = await open();
    expect((await api("GET", "/v1/balance", undefined, as("at_w"))).status).toBe(401);
  });
});

describe("companies that were opened by their tokens", () => {
  const open = useWorlds();
  const limits = { ...DEFAULT_LIMITS, companies: 3 };

  /** In the order in which they were opened. */
  const ids = ({ sandbox }: ApiWorld): string[] => sandbox.companies.map(({ id }) => id);

  it("are limited: the longest idle one is removed, and is empty when its token is used again", async () => {
    const world = await open({ autoProvision: true, limits });
    const use = async (name: string) =>
      (await world.api("GET", "/v1/balance", undefined, as(`at_${name}`))).body.balance;
    for (const name of ["a", "b", "c"]) await use(name);
    await world.control("PUT", "/balance?company=company_b", { balance: 7 });
    await use("a");
    await use("d");
    expect(ids(world)).toEqual(["company_sandbox", "company_a", "company_c", "company_d"]);
    expect(await use("b")).toBe(10_000_000);
    expect(ids(world)).toEqual(["company_sandbox", "company_a", "company_d", "company_b"]);
  });

  it("are removed last while something is due in them", async () => {
    const world = await open({ autoProvision: true, limits });
    const busy = as("at_busy", "company_busy");
    expect((await world.api("POST", "/v1/charges", chargeRequest(), busy)).status).toBe(201);
    for (const name of ["a", "b", "c", "d"]) await world.api("GET", "/v1/balance", undefined, as(`at_${name}`));
    expect(ids(world)).toEqual(["company_sandbox", "company_busy", "company_c", "company_d"]);
    for (const name of ["c", "d", "e"]) {
      const charge = await world.api("POST", "/v1/charges", chargeRequest(), as(`at_${name}`, `company_${name}`));
      expect(charge.status).toBe(201);
    }
    expect(ids(world)).toEqual(["company_sandbox", "company_c", "company_d", "company_e"]);
  });

  it("are kept while they are new, even when nothing is due in them but in all others", async () => {
    const world = await open({ autoProvision: true, limits: { ...limits, companies: 4 } });
    const charge = async (name: string): Promise<void> => {
      const headers = as(`at_${name}`, `company_${name}`);
      expect((await world.api("POST", "/v1/charges", chargeRequest(), headers)).status).toBe(201);
    };
    for (const name of ["a", "b", "c"]) await charge(name);
    await world.api("GET", "/v1/balance", undefined, as("at_new"));
    await charge("d");
    expect(ids(world)).toEqual(["company_sandbox", "company_b", "company_c", "company_new", "company_d"]);
  });

  it("never replace those that were configured or opened by hand", async () => {
    const world = await open({ autoProvision: true, limits: { ...limits, companies: 1 } });
    for (const name of ["x", "y"]) await world.control("POST", "/companies", { companyId: `company_${name}` });
    for (const name of ["a", "b", "c"]) await world.api("GET", "/v1/balance", undefined, as(`at_${name}`));
    expect(ids(world)).toEqual(["company_sandbox", "company_x", "company_y", "company_c"]);
    await world.control("DELETE", "/companies/company_c");
    await world.api("GET", "/v1/balance", undefined, as("at_d"));
    expect(ids(world)).toEqual(["company_sandbox", "company_x", "company_y", "company_d"]);
  });
});

describe("two sandboxes in one process", () => {
  const open = useWorlds();

  it("are isolated, whatever their seeds and clocks", async () => {
    const one = await open({ seed: 1, clock: "2026-01-15T09:00:00Z" });
    const two = await open({ seed: 2, clock: "2030-06-01T00:00:00Z", balance: 5 });
    const created = (await one.api("POST", "/v1/charges", chargeRequest({ externalId: "same" }))).body;
    expect((await two.api("GET", `/v1/charges/${created.id}`)).status).toBe(404);
    const other = (await two.api("POST", "/v1/charges", chargeRequest({ externalId: "same" }))).body;
    expect(other.id).not.toBe(created.id);
    expect([created.createdAt, other.createdAt]).toEqual(["20260115T090000.000Z", "20300601T000000.000Z"]);

    await one.control("PATCH", "/profile", { charges: { ttl: "1m" } });
    await one.advance("10m");
    expect((await two.api("GET", "/v1/balance")).headers.get("x-sandbox-now")).toBe("2030-06-01T00:00:00.000Z");
    await two.advance("59m");
    expect((await two.api("GET", `/v1/charges/${other.id}`)).body.status).toBe("due");
    await one.control("POST", "/reset");
    expect((await two.api("GET", `/v1/charges/${other.id}`)).status).toBe(200);
    await one.close();
    expect((await two.api("GET", "/v1/balance")).body.balance).toBe(5);
  });

  const play = async ({ api, advance }: ApiWorld): Promise<string[]> => {
    const answers = [
      await api("POST", "/v1/charges", chargeRequest({ externalId: "a" })),
      await api("POST", "/v1/transactions", transferRequest({ reference: "a" })),
      await api("POST", "/v1/transactions/batch", { transactions: [transferRequest({ reference: "b" })] }),
      await api("POST", "/v1/webhooks", { topic: "charges/events", url: "http://127.0.0.1:9/" }),
      await api("POST", "/v1/charges", {}),
    ];
    await advance("1h");
    answers.push(await api("POST", `/v1/charges/${answers[0]?.body.id}/pay`));
    return answers.map(({ text }) => text);
  };

  it("give the same answers, to the byte, for the same seed and requests", async () => {
    const [one, two] = [await open({ seed: 7 }), await open({ seed: 7 })];
    expect(await play(one)).toEqual(await play(two));
  });

  it("give the same answers again after a reset", async () => {
    const world = await open({ seed: 7 });
    const first = await play(world);
    await world.control("POST", "/reset");
    expect(await play(world)).toEqual(first);
  });

  it("give different ids with different seeds, and without a seed", async () => {
    const idOf = async (seed: number | undefined): Promise<string> =>
      (await (await open({ seed })).api("POST", "/v1/charges", chargeRequest({ externalId: "a" }))).body.id;
    expect(new Set([await idOf(7), await idOf(8), await idOf(undefined), await idOf(undefined)]).size).toBe(4);
  });

  it("draw the same people for the same seed", async () => {
    const profile = { customers: { unlisted: "generated" } };
    const person = async (seed: number): Promise<string> =>
      (await (await open({ seed, profile })).api("GET", "/v1/transactions/customers/check?msisdn=0102030405")).text;
    expect(await person(7)).toBe(await person(7));
    expect(await person(7)).not.toBe(await person(8));
  });
});
