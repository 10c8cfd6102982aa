import { describe, expect, it } from "vitest";
import { longestStop } from "../../support/loop-stops.js";
import { chargeRequest } from "../../support/requests.js";
import { type LooseJson, openWorld, type TestWorld, type WorldOptions } from "../../support/world.js";

let world: TestWorld | undefined;

function started(options?: WorldOptions): TestWorld {
  world = openWorld(options);
  return world;
}

async function journalOf({ control }: TestWorld, headers?: Record<string, string>): Promise<LooseJson[]> {
  return (await control("GET", "/requests", undefined, headers)).body.data;
}

describe("the journal does not show", () => {
  it.each([
    ["the access token", "at_sandbox"],
    ["the secret key", "secret_sandbox"],
  ])("%s, wherever it is", async (_, secret) => {
    const { api } = started();
    await api("GET", `/v1/charges/${secret}?key=${secret}&${secret}=yes`, undefined, {
      "x-note": `it is ${secret}!`,
      authorization: `Basic ${secret}`,
    });
    await api(
      "POST",
      "/v1/charges",
      chargeRequest({ description: `x${secret}x`, amount: secret, metadata: { [secret]: [{ deep: secret }] } }),
    );
    const journal = await journalOf(world!);
    expect(JSON.stringify(journal)).not.toContain(secret);
    expect(journal[0]).toMatchObject({
      path: "/v1/charges/[redacted]",
      query: { key: "[redacted]", "[redacted]": "yes" },
      headers: { authorization: "[redacted]", "x-note": "it is [redacted]!" },
      answer: { path: "/v1/charges/[redacted]" },
    });
    expect(journal[1].body).toMatchObject({
      description: "x[redacted]x",
      metadata: { "[redacted]": [{ deep: "[redacted]" }] },
    });
    expect(journal[1].answer.message.join()).toContain('got "[redacted]"');
  });

  it("a secret that is encoded for a URL", async () => {
    const { api, control } = started();
    await control("POST", "/companies/company_sandbox/rotate", { secretKey: "pass/wörd+1 2" });
    await api("GET", "/v1/charges/pass%2Fw%C3%B6rd%2B1%202");
    await api("GET", "/v1/balance?a=pass/w%C3%B6rd%2B1%202&b=%61t%5Fsandbox");
    await api("GET", "/v1/charges/%61t%5Fsandbox");
    expect(await journalOf(world!)).toMatchObject([
      { path: "/v1/charges/[redacted]" },
      { query: { a: "[redacted]", b: "[redacted]" } },
      { path: "/v1/charges/[redacted]" },
    ]);
  });

  it("a token with a slash and a plus, unescaped in a URL or quoted in a message", async () => {
    const { api, control } = started();
    const token = String.raw`tk/9f8e+7d6c"5b\4a`;
    await control("POST", "/companies/company_sandbox/rotate", { secretKey: token });
    await api("GET", "/v1/nope/tk/9f8e+7d6c%225b%5C4a?key=tk/9f8e+7d6c%225b%5C4a");
    await api("POST", "/v1/charges", chargeRequest({ amount: token }));
    const journal = await journalOf(world!);
    expect(journal[0]).toMatchObject({ path: "/v1/nope/[redacted]", query: { key: "[redacted]" } });
    expect(journal[1].answer.message.join()).toContain('got "[redacted]"');
  });

  it.each(["base64", "base64url", "hex"] as const)("a secret that is %s, whatever surrounds it", async (encoding) => {
    const { api } = started();
    for (const around of ["", "x", "user", "so:", '{"a": "']) {
      for (const secret of ["at_sandbox", "secret_sandbox"]) {
        const encoded = Buffer.from(`${around}${secret}${around}`).toString(encoding);
        await api("GET", `/v1/charges/${encodeURIComponent(encoded)}?key=${encodeURIComponent(encoded)}`, undefined, {
          "x-note": `it is ${encoded}!`,
        });
        await api("POST", "/v1/charges", chargeRequest({ description: encoded, metadata: { [encoded]: 1 } }));
        const [asked, made] = await journalOf(world!);
        await world!.control("DELETE", "/requests");
        // `%3D` at its end may remain.
        expect(asked.path).toMatch(/^\/v1\/charges\/\[redacted\](?:%3D)*$/);
        expect(asked.query).toEqual({ key: "[redacted]" });
        expect(asked.headers["x-note"]).toBe("it is [redacted]!");
        expect(made.body).toMatchObject({ description: "[redacted]", metadata: { "[redacted]": 1 } });
      }
    }
  });

  it("a secret in base64 whose plus was not encoded for the query", async () => {
    const { api, control } = started();
    await control("POST", "/companies/company_sandbox/rotate", { secretKey: "clé ~>~>~ secrète" });
    const encoded = Buffer.from("x clé ~>~>~ secrète").toString("base64");
    expect(encoded).toContain("+");
    const { body } = await api("GET", `/v1/webhooks?cursor=${encoded}`);
    expect(body.message).toEqual(["[redacted]"]);
    const [{ query, answer }] = await journalOf(world!);
    expect(query).toEqual({ cursor: "[redacted]" });
    expect(answer.message).toEqual(["[redacted]"]);
  });

  it("the beginning of a secret that a message cuts off", async () => {
    const { api, control } = started();
    const secretKey = "0123456789abcdef".repeat(4);
    await control("POST", "/companies/company_sandbox/rotate", { secretKey });
    const { body } = await api("POST", "/v1/charges", chargeRequest({ amount: secretKey }));
    expect(body.message.join()).toContain('got "[redacted]…"');
    const [{ answer }] = await journalOf(world!);
    expect(answer.message).toEqual(body.message);
  });

  it("a secret as the name of a header", async () => {
    const { api } = started();
    await api("GET", "/v1/balance", undefined, { at_sandbox: "1" });
    const [{ headers }] = await journalOf(world!);
    expect(headers).toMatchObject({ "[redacted]": "1" });
    expect(headers).not.toHaveProperty("at_sandbox");
  });

  it("a replaced secret, since a client may still use it", async () => {
    const { api, control } = started();
    await control("POST", "/companies/company_sandbox/rotate", { secretKey: "secret_next" });
    await control("POST", "/companies/company_sandbox/rotate", { accessToken: "at_next" });
    const authorization = "Bearer at_next";
    const description = "at_sandbox secret_sandbox at_next secret_next";
    await api("POST", "/v1/charges", chargeRequest({ description }), { authorization });
    const [request] = await journalOf(world!);
    expect(request.body.description).toBe("[redacted] [redacted] [redacted] [redacted]");
    expect(request.answer.description).toBe("[redacted] [redacted] [redacted] [redacted]");
    expect(request.headers.authorization).toBe("[redacted]");
  });

  it("another company's secrets, and an unknown token", async () => {
    const { api, control } = started();
    await control("POST", "/companies", { companyId: "company_two" });
    await api("GET", "/v1/balance?a=at_two&b=secret_two");
    await api("GET", "/v1/balance?a=at_elsewhere", undefined, { authorization: "Bearer at_elsewhere" });
    expect(await journalOf(world!)).toMatchObject([
      { query: { a: "[redacted]", b: "[redacted]" } },
      { query: { a: "[redacted]" }, headers: { authorization: "[redacted]" } },
    ]);
  });

  it("the admin token", async () => {
    const { api } = started({ adminToken: "admin-token-1" });
    await api("GET", "/v1/balance?token=admin-token-1");
    const [request] = await journalOf(world!, { authorization: "Bearer admin-token-1" });
    expect(request.query).toEqual({ token: "[redacted]" });
  });

  it("other credentials of the request", async () => {
    const { api } = started();
    await api("GET", "/v1/balance", undefined, {
      cookie: "session=1",
      "proxy-authorization": "Basic eDp5",
      "x-api-key": "key-1",
    });
    const [{ headers }] = await journalOf(world!);
    expect(headers).toMatchObject({
      cookie: "[redacted]",
      "proxy-authorization": "[redacted]",
      "x-api-key": "[redacted]",
    });
  });

  it("a token that is a plain word, as a whole text but not within other words", async () => {
    const { api } = started({ autoProvision: true });
    const headers = { authorization: "Bearer shop", "x-company-id": "company_shop" };
    await api("POST", "/v1/charges", chargeRequest({ externalId: "shop", description: "A shop" }), headers);
    const { body } = await world!.control("GET", "/requests?company=company_shop");
    expect(body.data[0]).toMatchObject({
      headers: { authorization: "[redacted]", "x-company-id": "company_shop" },
      body: { externalId: "[redacted]", description: "A shop", onCanceledRedirectionUrl: "https://shop.test/no" },
    });
  });
});

describe("the message of an error does not show", () => {
  it("the beginning of a secret in a host that it cuts off", async () => {
    const { control } = started();
    await control("POST", "/companies/company_sandbox/rotate", { secretKey: "0123456789abcdef".repeat(4) });
    const allow = [`https://shop.test/hooks/${"0123456789abcdef".repeat(4)}`];
    const { body } = await control("PATCH", "/profile", { webhooks: { allow } });
    expect(body.message.join()).toContain('"https://shop.test/hooks/[redacted]…" is not a host name');
  });

  it("a secret that it would quote", async () => {
    const { api, control } = started({ adminToken: "admin-token-1" });
    const sent = chargeRequest({ amount: "at_sandbox", externalId: ["x"], description: { secret_sandbox: 1 } });
    const refused = await api("POST", "/v1/charges", sent);
    expect(refused.status).toBe(400);
    expect(refused.body.message[0]).toMatch(/^amount must be .*, got "\[redacted\]"$/);
    const found = await api("GET", "/v1/charges/secret_sandbox");
    expect(found.body.message).toEqual(['No charge has the id "[redacted]"']);
    const admin = { authorization: "Bearer admin-token-1" };
    const unknown = await control("POST", "/companies", { "admin-token-1": 1 }, admin);
    expect(unknown.body.message.join()).toMatch(/^body has no "\[redacted\]"/);
    const named = await control("GET", "/charges?company=at_sandbox", undefined, admin);
    expect(named.status).toBe(404);
    expect(named.body.message.join()).not.toContain("at_sandbox");
  });
});

describe("a verification does not show", () => {
  it("a secret, in what was expected and in what was sent", async () => {
    const { api, control } = started();
    await api("POST", "/v1/charges", chargeRequest({ description: "at_sandbox" }));
    const match = {
      path: "/v1/secret_sandbox",
      headers: { authorization: "Bearer other" },
      body: { description: "secret_sandbox" },
    };
    const { status, body, text } = await control("POST", "/requests/verify", { match });
    expect(status).toBe(422);
    expect(text).not.toMatch(/at_sandbox|secret_sandbox/);
    expect(body.nearest[0].differences).toEqual([
      { path: "path", expected: '"/v1/[redacted]"', actual: "/v1/charges" },
      { path: "headers.authorization", expected: '"Bearer other"', actual: "[redacted]" },
      { path: "body.description", expected: '"[redacted]"', actual: "[redacted]" },
    ]);
  });

  it("a part of a secret that contains characters of a URL", async () => {
    const { api, control } = started();
    await control("POST", "/companies/company_sandbox/rotate", { secretKey: "s3cret-of?the-shop&no-one-else" });
    await api("GET", "/v1/x/s3cret-of?the-shop&no-one-else");
    await api("GET", "/v1/y?key=s3cret-of?the-shop&no-one-else&a=b");
    for (const query of [{ $length: 9 }, { key: "other", a: "c" }]) {
      const { body, text } = await control("POST", "/requests/verify", { match: { path: "/v1/y/z", query } });
      expect(text).not.toMatch(/s3cret-of|the-shop|no-one-else/);
      expect(body.nearest).toHaveLength(2);
    }
  });

  it("but still matches the original values", async () => {
    const { api, control } = started();
    await api("GET", "/v1/balance?key=secret_sandbox");
    const match = { query: { key: "secret_sandbox" }, headers: { authorization: "Bearer at_sandbox" } };
    expect((await control("POST", "/requests/verify", { match })).body).toEqual({ matched: 1, requests: ["req_1"] });
  });
});

it.each([
  ["another", `zq1${"=".repeat(15_000)}`, "zqzzz"],
  ["a repeated character", "a".repeat(7_900), "a".repeat(7_800)],
])("requests with long unknown tokens are listed without a long stop, beside %s", async (_, token, text) => {
  const { api, control } = started();
  await api("GET", "/v1/balance", undefined, { authorization: `Bearer ${token}`, "x-begins-like-it": text });
  const stopMs = await longestStop(async () => {
    expect((await control("GET", "/requests")).body.count).toBe(1);
  });
  expect(stopMs).toBeLessThan(150);
});

it("a list of requests is redacted to its end, even when the company is closed meanwhile", async () => {
  const accessToken = "at_k2Jq8ZpT0vXw5LrN";
  const { app, control } = started({ tenancy: true, adminToken: "admin-9f3b7c2d" });
  const admin = { authorization: "Bearer admin-9f3b7c2d" };
  await control("POST", "/companies", { companyId: "company_moved", accessToken }, admin);
  const headers = { authorization: `Bearer ${accessToken}`, "x-company-id": "company_moved" };
  const body = JSON.stringify(Array.from({ length: 2_000 }, (_, n) => `text ${n}`));
  for (let n = 0; n < 30; n++) {
    await app.request(`/v1/charges?key=${accessToken}`, {
      method: "POST",
      body,
      headers: { ...headers, "content-type": "application/json" },
    });
  }
  const listing = control("GET", "/requests?limit=1000&company=company_moved", undefined, admin);
  const closing = control("POST", "/companies/company_moved/export", { close: true }, admin);
  expect((await closing).status).toBe(200);
  const { status, text } = await listing;
  expect(status).toBe(200);
  expect(text).toContain("[redacted]");
  expect(text).not.toContain(accessToken);
});
