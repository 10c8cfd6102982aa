import { describe, expect, it, vi } from "vitest";
import { type ApiWorld, describeApi, useWorlds } from "../support/describe-api.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import { aCorrelationId, anError } from "../support/shapes.js";
import { type GivenHeaders, WORLD_START } from "../support/world.js";

const tooLarge = `{"description":"${"x".repeat(1_100_000)}"}`;
const noToken: GivenHeaders = { authorization: null };
const otherCompany: GivenHeaders = { "x-company-id": "company_other" };

describeApi("an error", (open) => {
  it("has the same body for every status, in the company's time", async () => {
    const { api } = await open({ clock: "2030-05-06T07:08:09.010Z" });
    const { id } = (await api("POST", "/v1/charges", chargeRequest({ externalId: "taken" }))).body;
    const cases = [
      [400, await api("POST", "/v1/charges", {})],
      [401, await api("GET", "/v1/balance", undefined, noToken)],
      [403, await api("GET", "/v1/balance", undefined, otherCompany)],
      [404, await api("GET", "/v1/charges/nope")],
      [405, await api("DELETE", "/v1/balance")],
      [409, await api("POST", "/v1/charges", chargeRequest({ externalId: "taken" }))],
      [413, await api("POST", "/v1/charges", tooLarge)],
      [415, await api("POST", "/v1/charges", "{}", { "content-type": "text/plain" })],
      [422, await api("POST", `/v1/charges/${id}/refund`)],
    ] as const;
    const correlationIds = new Set<string>();
    for (const [status, answer] of cases) {
      expect(answer.status).toBe(status);
      expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
      const message = expect.toSatisfy(
        (list: unknown) => Array.isArray(list) && list.length > 0 && list.every((one) => typeof one === "string"),
      );
      expect(answer.body).toEqual(
        anError(status, expect.stringMatching(/^\/v1\//), message, "2030-05-06T07:08:09.010Z"),
      );
      expect(Object.keys(answer.body)).toEqual([
        "statusCode",
        "message",
        "error",
        "correlationId",
        "path",
        "timestamp",
      ]);
      correlationIds.add(answer.body.correlationId);
    }
    expect(correlationIds.size).toBe(cases.length);
  });

  it("shows the path without its query", async () => {
    const { api } = await open();
    expect((await api("GET", "/v1/charges/nope?token=secret")).body.path).toBe("/v1/charges/nope");
  });
});

/** Each request has all problems that are checked later. Fixing one leads to the next. */
describeApi("the order of the checks", (open) => {
  const id = "nope";

  it("checks token, company, body, existence", async () => {
    const { api } = await open();
    const refund = (body: unknown, headers?: GivenHeaders) => api("POST", `/v1/charges/${id}/refund`, body, headers);
    expect((await refund({ amount: null }, { ...noToken, ...otherCompany })).status).toBe(401);
    expect((await refund({ amount: null }, otherCompany)).status).toBe(403);
    expect((await refund(tooLarge)).status).toBe(413);
    expect((await refund("<xml>", { "content-type": "text/xml" })).status).toBe(415);
    expect((await refund("<xml>")).status).toBe(400);
    expect((await refund({ amount: null })).status).toBe(400);
    expect((await refund({ amount: 1 })).status).toBe(404);
  });

  it("checks the company header before it looks for the charge", async () => {
    const { api } = await open();
    const create = (headers?: GivenHeaders) => api("POST", "/v1/charges", "not json", headers);
    expect((await create({ ...noToken, "x-company-id": null })).status).toBe(401);
    const missing = await create({ "x-company-id": null });
    expect(missing.status).toBe(400);
    expect(missing.body.message).toEqual([
      "X-Company-Id is missing; it must be company_sandbox, the access token's company",
    ]);
    expect((await create(otherCompany)).status).toBe(403);
    expect((await create()).body.message).toEqual(['The body is not JSON: unexpected "o"']);
  });

  it("checks the state, then the amount", async () => {
    const { api } = await open();
    const charge = (await api("POST", "/v1/charges", chargeRequest({ amount: 100 }))).body;
    const refund = (body: unknown) => api("POST", `/v1/charges/${charge.id}/refund`, body);
    expect((await refund({ amount: 0 })).status).toBe(400);
    expect((await refund({ amount: 101 })).status).toBe(422);
    await api("POST", `/v1/charges/${charge.id}/pay`);
    expect((await refund({ amount: 101 })).status).toBe(400);
  });

  it("checks the state before a conflict", async () => {
    const { api } = await open({ balance: 5_050 });
    await api("POST", "/v1/transactions", transferRequest({ reference: "taken" }));
    const again = (change: Record<string, unknown>) =>
      api("POST", "/v1/transactions", transferRequest({ reference: "taken", ...change }));
    expect((await again({ amount: 1, msisdn: "+2250700000007" })).status).toBe(400);
    expect((await again({ msisdn: "+2250700000007" })).status).toBe(422);
    expect((await again({})).status).toBe(422); // the balance is used up
    const rich = await open();
    await rich.api("POST", "/v1/transactions", transferRequest({ reference: "taken" }));
    expect((await rich.api("POST", "/v1/transactions", transferRequest({ reference: "taken" }))).status).toBe(409);
  });

  it("checks the body before existence when paying", async () => {
    const { api } = await open();
    expect((await api("POST", `/v1/charges/${id}/pay`, { msisdn: "x" })).status).toBe(400);
    expect((await api("POST", `/v1/charges/${id}/pay`, { msisdn: "+2250700000007" })).status).toBe(404);
  });

  it("reports only the problem of an unknown token", async () => {
    const { api } = await open();
    const { body } = await api("POST", "/v1/charges", {}, { authorization: "Bearer nope", "x-company-id": null });
    expect(body.message).toEqual(["The access token is unknown or has expired"]);
  });
});

const authorizationCases = [
  [null, "Authorization is missing; it must be: Bearer <access token>"],
  ["", "Authorization must be: Bearer <access token>"],
  ["at_sandbox", "Authorization must be: Bearer <access token>"],
  ["Bearer", "Authorization must be: Bearer <access token>"],
  ["Bearer ", "Authorization must be: Bearer <access token>"],
  ["Basic YXRfc2FuZGJveA==", "Authorization must be: Bearer <access token>"],
  ["Bearer at_sandbox extra", "Authorization must be: Bearer <access token>"],
  ["Bearer\tat_sandbox", "Authorization must be: Bearer <access token>"],
  ["Bearer at_Sandbox", "The access token is unknown or has expired"],
  ["Bearer at_sandbox,", "The access token is unknown or has expired"],
  ["Bearer secret_sandbox", "The access token is unknown or has expired"],
  ["Bearer __proto__", "The access token is unknown or has expired"],
] as const;

describeApi("a token", (open) => {
  const endpoints = [
    ["POST", "/v1/transactions"],
    ["POST", "/v1/transactions/batch"],
    ["GET", "/v1/transactions/x"],
    ["GET", "/v1/transactions/customers/check"],
    ["GET", "/v1/balance"],
    ["POST", "/v1/charges"],
    ["POST", "/v1/charges/x/pay"],
    ["GET", "/v1/charges/x"],
    ["POST", "/v1/charges/x/refund"],
    ["POST", "/v1/webhooks"],
    ["GET", "/v1/webhooks/x"],
    ["GET", "/v1/webhooks"],
    ["DELETE", "/v1/webhooks/x"],
  ] as const;

  it.each(endpoints)("is required for %s %s", async (method, path) => {
    const { api } = await open();
    for (const [authorization, message] of authorizationCases.slice(0, 4)) {
      const { status, body } = await api(method, path, undefined, { authorization });
      // Some clients cannot send an empty header; then it is a missing one.
      const expected = authorization === "" ? expect.stringMatching(/^Authorization/) : message;
      expect(status).toBe(401);
      expect(body).toEqual(anError(401, path, [expected], WORLD_START));
    }
  });

  it.each(authorizationCases.filter(([given]) => given !== ""))(
    "written as %j is refused",
    async (authorization, message) => {
      const { api } = await open();
      const { status, body } = await api("GET", "/v1/balance", undefined, { authorization });
      expect(status).toBe(401);
      expect(body.message).toEqual([message]);
    },
  );

  it.each(["bearer at_sandbox", "BEARER at_sandbox", "Bearer   at_sandbox", "Bearer at_sandbox "])(
    "written as %j is accepted",
    async (authorization) => {
      const { api } = await open();
      expect((await api("GET", "/v1/balance", undefined, { authorization })).status).toBe(200);
    },
  );
});

const paths: readonly (readonly [string, string])[] = [
  ["/v1/transactions", "POST"],
  ["/v1/transactions/batch", "POST"],
  ["/v1/transactions/x", "GET"],
  ["/v1/transactions/customers/check", "GET"],
  ["/v1/balance", "GET"],
  ["/v1/charges", "POST"],
  ["/v1/charges/x", "GET"],
  ["/v1/charges/x/pay", "POST"],
  ["/v1/charges/x/refund", "POST"],
  ["/v1/webhooks", "POST, GET"],
  ["/v1/webhooks/x", "GET, DELETE"],
];

describeApi("a method that a path does not have", (open) => {
  it.each(paths)("%s answers 405 and allows %s", async (path, allow) => {
    const { api } = await open();
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].filter((name) => !allow.includes(name))) {
      const { status, headers, body } = await api(method, path, method === "GET" ? undefined : {});
      expect({ method, status, allow: headers.get("allow") }).toEqual({ method, status: 405, allow });
      expect(body).toEqual(
        anError(405, path, [`${method} is not a method of this path; it has ${allow}`], WORLD_START),
      );
    }
  });

  it("is refused for every client", async () => {
    const { api } = await open();
    expect((await api("PUT", "/v1/charges", {}, noToken)).status).toBe(405);
  });

  it.each(paths)("HEAD of %s is what GET would answer, without a body", async (path, allow) => {
    const { api } = await open();
    const head = await api("HEAD", path);
    const get = await api("GET", path);
    expect(head.text).toBe("");
    expect({ status: head.status, type: head.headers.get("content-type"), allow: head.headers.get("allow") }).toEqual({
      status: get.status,
      type: get.headers.get("content-type"),
      allow: allow.includes("GET") ? null : allow,
    });
  });
});

describeApi("a path that does not exist", (open) => {
  it.each([
    ["/"],
    ["/v1"],
    ["/v1/"],
    ["/v2/balance", "/v1/balance"],
    ["/v1/Balance", "/v1/balance"],
    ["/v1/balance/", "/v1/balance"],
    ["/v1//balance", "/v1/balance"],
    ["/v1/charge", "/v1/charges"],
    ["/v1/charges/", "/v1/charges"],
    ["/v1/charges/x/", "/v1/charges/x"],
    ["/v1/charge/6f6d261a-e7c0-4853-82cc-0c33613eb60d/pay", "/v1/charges/6f6d261a-e7c0-4853-82cc-0c33613eb60d/pay"],
    ["/v1/charges/x/pay/", "/v1/charges/x/pay"],
    ["/v1/charges/x/cancel"],
    ["/v1/webhooks/x/y"],
    ["/v1/transactions/customers/check/", "/v1/transactions/customers/check"],
    ["/v1/batches/x"],
    ["/transactions", "/v1/transactions"],
    ["/charges/x/refund", "/v1/charges/x/refund"],
    ["/v1/v1/charges", "/v1/charges"],
    ["/api/v1/webhook", "/v1/webhooks"],
    [`/v1/${"x".repeat(2_000)}`],
    ["/favicon.ico"],
    ["/__proto__"],
  ])("%s answers 404 with the error body, for every client", async (path, meant?: string) => {
    const hint = meant === undefined ? "" : `. Did you mean "${meant}"?`;
    const { api } = await open();
    for (const method of ["GET", "POST"]) {
      const { status, body } = await api(method, path, undefined, noToken);
      expect(status).toBe(404);
      expect(body).toEqual(anError(404, path, [`There is no ${method} ${path} here${hint}`], WORLD_START));
    }
  });
});

describeApi("the headers of the sandbox", (open) => {
  const answersOf = async ({ api }: ApiWorld) => [
    await api("GET", "/v1/balance"),
    await api("POST", "/v1/charges", {}),
    await api("GET", "/v1/balance", undefined, noToken),
    await api("GET", "/nope"),
    await api("PUT", "/v1/balance", {}),
    await api(
      "DELETE",
      `/v1/webhooks/${(await api("POST", "/v1/webhooks", { topic: "charges/events", url: "https://a.test" })).body.id}`,
    ),
  ];

  it("are on every answer: its version and the company's time", async () => {
    const world = await open();
    await world.advance("90m");
    for (const { headers } of await answersOf(world)) {
      expect(headers.get("x-sandbox")).toMatch(/^\d+\.\d+\.\d+/);
      expect(headers.get("x-sandbox-now")).toBe("2026-01-15T10:30:00.000Z");
    }
  });

  it("are on none with --production-headers-only", async () => {
    for (const { headers } of await answersOf(await open({ productionHeadersOnly: true }))) {
      expect([...headers.keys()].filter((name) => name.startsWith("x-sandbox"))).toEqual([]);
    }
  });
});

describe("a bug of ours", () => {
  const open = useWorlds();

  it("is 500 with the error body, without any details, which are logged under its correlationId", async () => {
    const logged: unknown[] = [];
    const world = await open({ log: { write: (level, event, fields) => logged.push({ level, event, ...fields }) } });
    vi.spyOn(world.sandbox.defaultCompany.world.accounts, "get").mockImplementation(() => {
      throw new TypeError("secret detail");
    });
    const { status, text, body } = await world.api("GET", "/v1/balance");
    expect(status).toBe(500);
    expect(body).toEqual({
      statusCode: 500,
      message: ["An error inside the sandbox; its log says more under this correlationId"],
      error: "Internal Server Error Exception",
      correlationId: aCorrelationId,
      path: "/v1/balance",
      timestamp: WORLD_START,
    });
    expect(text).not.toMatch(/secret detail|TypeError|\bat .*:\d+/);
    expect(logged).toEqual([
      expect.objectContaining({
        level: "error",
        event: "bug",
        correlationId: body.correlationId,
        error: expect.stringContaining("secret detail"),
      }),
    ]);
  });
});
