import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { describe, expect, it } from "vitest";
import { GUESSES_MAX } from "../../../src/http/shared/address-limit.js";
import { systemClock } from "../../../src/kernel/time/system-clock.js";
import { signIn, visit } from "../../support/dashboard.js";
import { sendRaw } from "../../support/raw-http.js";
import { openWorld, type TestWorld, type WorldOptions } from "../../support/world.js";

let world: TestWorld;

const open = (options?: WorldOptions): TestWorld => (world = openWorld(options));

const errorKeys = ["statusCode", "message", "error", "correlationId", "path", "timestamp"];

describe("paths and methods", () => {
  it.each([
    ["GET", "/", ""],
    ["GET", "/nothing", ""],
    ["GET", "/clock/", '. Did you mean "/_sandbox/clock"?'],
    ["POST", "/charge/x/pay", '. Did you mean "/_sandbox/charges/x/pay"?'],
    ["POST", "/charges/x/settle", ""],
    ["GET", "/snapshots/a/b", ""],
  ])("%s %s is 404 with the error body%s", async (method, path, hint) => {
    const answer = await open().control(method, path);
    expect(answer.status).toBe(404);
    expect(Object.keys(answer.body)).toEqual(errorKeys);
    expect(answer.body).toMatchObject({
      statusCode: 404,
      message: [`There is no ${method} /_sandbox${path} here${hint}`],
      error: "Not Found Exception",
      path: `/_sandbox${path}`,
    });
  });

  it.each([
    ["DELETE", "/clock", "GET, PUT"],
    ["GET", "/clock/advance", "POST"],
    ["PUT", "/customers", "GET"],
    ["POST", "/deliveries/wait", "GET"],
    ["POST", "/profile", "GET, PATCH"],
    ["OPTIONS", "/health", "GET"],
  ])("%s %s is 405 with Allow: %s", async (method, path, allow) => {
    const answer = await open().control(method, path);
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe(allow);
    expect(answer.body.message).toEqual([`${method} is not a method of this path; it has ${allow}`]);
  });

  it("answers full errors, whatever errors.shape is", async () => {
    open({ profile: { errors: { shape: "message" } } });
    for (const path of ["/nothing", "/state?company=nobody", "/ledger?limit=0"]) {
      expect(Object.keys((await world.control("GET", path)).body)).toEqual(errorKeys);
    }
    expect(Object.keys((await world.api("GET", "/v1/charges/x")).body)).toEqual(["message"]);
  });

  it("has the version and the company's time", async () => {
    const { headers } = await open().control("GET", "/clock");
    expect(headers.get("x-sandbox")).toMatch(/^\d+\.\d+\.\d+/);
    expect(headers.get("x-sandbox-now")).toBe("2026-01-15T09:00:00.000Z");
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    await world.close();
    const production = await open({ productionHeadersOnly: true }).control("GET", "/clock");
    expect(production.headers.get("x-sandbox")).toBeNull();
  });
});

describe("the body of a call", () => {
  it.each([
    ["malformed JSON", "{", "application/json", 400],
    ["another content type", "{}", "text/plain", 415],
    ["a body beyond 1 MiB", JSON.stringify({ balance: "x".repeat(1024 * 1024) }), "application/json", 413],
  ])("%s is refused with %s", async (_, body, type, status) => {
    const answer = await open().control("PUT", "/balance", body, { "content-type": type });
    expect(answer.status).toBe(status);
    expect(Object.keys(answer.body)).toEqual(errorKeys);
  });

  it("may be larger than server.bodyLimit, which could otherwise not be reset", async () => {
    open({ profile: { server: { bodyLimit: 1 } } });
    const answer = await world.control("PATCH", "/profile", { server: { bodyLimit: null } });
    expect(answer.status).toBe(200);
  });

  it("needs no content type without a body", async () => {
    expect((await open().control("POST", "/settle")).status).toBe(200);
  });

  it("names every unknown key and the nearest right one", async () => {
    const answer = await open().control("POST", "/clock/advance", { byy: "1h", settel: false });
    expect(answer.status).toBe(400);
    expect(answer.body.message).toEqual([
      'body has no "byy", only by, to, toNext, settle, lookAhead, maxWaitMs. Did you mean "by"?',
      'body has no "settel", only by, to, toNext, settle, lookAhead, maxWaitMs. Did you mean "settle"?',
      "The body must have exactly one of by, to, toNext; it has none",
    ]);
  });

  it("names every unknown query parameter", async () => {
    const answer = await open().control("GET", "/charges?stauts=due&compny=company_sandbox");
    expect(answer.status).toBe(400);
    expect(answer.body.message).toEqual([
      'query has no "stauts", only company, limit, cursor, status. Did you mean "status"?',
      'query has no "compny", only company, limit, cursor, status. Did you mean "company"?',
    ]);
  });
});

describe("?company=", () => {
  it("selects a company, by default the first", async () => {
    open();
    await world.control("POST", "/companies", { companyId: "company_b", balance: 7 });
    expect((await world.control("GET", "/balance?company=company_b")).body.balance).toBe(7);
    expect((await world.control("GET", "/balance")).body.balance).toBe(10_000_000);
  });

  it.each(["nobody", "*", "company_sandbo", ""])("%j is 404, never the default", async (id) => {
    const answer = await open().control("GET", `/balance?company=${encodeURIComponent(id)}`);
    expect(answer.status).toBe(404);
    expect(answer.body.message[0]).toMatch(/^No company has the id "/);
  });

  it("suggests the nearest one", async () => {
    const answer = await open().control("GET", "/balance?company=company_sandbx");
    expect(answer.body.message).toEqual(['No company has the id "company_sandbx". Did you mean "company_sandbox"?']);
  });

  it("is 422 when no company is left, until a reset opens the first one again", async () => {
    open();
    expect((await world.control("DELETE", "/companies/company_sandbox")).status).toBe(204);
    expect((await world.control("GET", "/balance")).status).toBe(422);
    expect((await world.control("POST", "/reset?company=*")).body).toEqual({ reset: ["company_sandbox"] });
    expect((await world.control("GET", "/balance")).status).toBe(200);
  });
});

describe("the admin token", () => {
  it.each([
    ["none", {}],
    ["another", { authorization: "Bearer wrong" }],
    ["the same as Basic", { authorization: "Basic s3cret" }],
    ["the company's access token", { authorization: "Bearer at_sandbox" }],
  ])("is needed: %s is 401", async (_, headers) => {
    open({ adminToken: "s3cret" });
    for (const [method, path] of [
      ["GET", "/clock"],
      ["POST", "/reset"],
      ["GET", "/nothing"],
      ["DELETE", "/clock"],
    ]) {
      expect((await world.control(method!, path!, undefined, headers)).status).toBe(401);
    }
  });

  it("allows every call", async () => {
    open({ adminToken: "s3cret" });
    expect((await world.control("GET", "/clock", undefined, { authorization: "bearer s3cret" })).status).toBe(200);
  });

  it.each(["s3cre", "s3cret ", "s3crets", "S3cret", "x".repeat(10_000)])(
    "must match exactly: %s is refused",
    async (token) => {
      open({ adminToken: "s3cret" });
      const answer = await world.control("GET", "/clock", undefined, { authorization: `Bearer ${token}x` });
      expect(answer.status).toBe(401);
      expect(answer.text).not.toContain("s3cret");
    },
  );

  it("is not needed for health, nor by the API", async () => {
    open({ adminToken: "s3cret" });
    expect((await world.control("GET", "/health")).status).toBe(200);
    expect((await world.api("GET", "/v1/balance")).status).toBe(200);
  });

  it("is needed to learn the ids of companies, which show access tokens", async () => {
    open({ adminToken: "s3cret", autoProvision: true });
    await world.api("GET", "/v1/balance", undefined, { authorization: "Bearer at_team7391" });
    const path = "/openapi.json?company=company_team7390";
    const ask = (token: string) => world.api("GET", path, undefined, { authorization: `Bearer ${token}` });
    expect((await ask("s3cret")).text).toContain('Did you mean \\"company_team7391\\"?');
    for (const token of ["at_sandbox", "nobody"]) {
      const answer = await ask(token);
      expect(answer.status).toBe(404);
      expect(answer.text).not.toContain("team7391");
    }
  });
});

describe("requests from other sites", () => {
  it.each(["https://evil.test", "null", "http://localhost:5173", "http://127.0.0.1", "file://", "garbage"])(
    "refuses the origin %s with 403",
    async (origin) => {
      open();
      const headers = { host: "localhost:4010", origin };
      const answer = await world.control("POST", "/reset", undefined, headers);
      expect(answer.status).toBe(403);
      expect(answer.body.error).toBe("Forbidden Exception");
      expect((await world.api("GET", "/v1/balance", undefined, headers)).status).toBe(200);
    },
  );

  it.each([
    "evil.test",
    "evil.test:4010",
    "evil.test.",
    "localhost.evil.test",
    "192.168.0.1:4010",
    "localhost@evil.test",
    "user@localhost",
    "localhost/evil.test",
    "localhost#evil.test",
    "localhost:evil",
    "localhost, evil.test",
    "",
    "@",
    "[::2]",
    "[::ffff:192.168.0.1]",
  ])("refuses the host %s with 403", async (host) => {
    const answer = await open().control("GET", "/state", undefined, { host });
    expect(answer.status).toBe(403);
    expect(answer.body.message[0]).toContain("is not a name of this sandbox");
  });

  it.each(["localhost", "localhost:4010", "LOCALHOST:1", "127.0.0.1:9", "[::1]:4010"])(
    "takes the host %s",
    async (host) => {
      const answer = await open().control("GET", "/clock", undefined, { host, origin: `http://${host}` });
      expect(answer.status).toBe(200);
    },
  );

  it("accepts the host localhost with a trailing dot", async () => {
    expect((await open().control("GET", "/clock", undefined, { host: "localhost.:4010" })).status).toBe(200);
  });

  it.each([
    ["http://evil.test/_sandbox/clock", "localhost", 403],
    ["http://localhost/_sandbox/clock", "evil.test", 403],
    ["http://localhost:1/_sandbox/clock", "127.0.0.1", 200],
  ])("a request for %s with the host %s is %i: both names count", async (target, host, status) => {
    const url = await open().listen();
    const answer = await sendRaw(url, [`GET ${target} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`]);
    expect(answer.status).toBe(status);
  });

  const image = { "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" };
  const link = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
  it.each([
    ["cross-site", image, "GET", 403],
    ["same-site", image, "GET", 403],
    ["cross-site", { "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" }, "GET", 403],
    ["cross-site", link, "POST", 403],
    ["something new", image, "GET", 403],
    ["cross-site", link, "GET", 200],
    ["same-origin", image, "GET", 200],
    ["none", link, "GET", 200],
  ])("a request with Sec-Fetch-Site %s, %j, %s is %i", async (site, fetched, method, status) => {
    const path = method === "GET" ? "/clock" : "/reset";
    const answer = await open().control(method, path, undefined, { "sec-fetch-site": site, ...fetched });
    expect(answer.status).toBe(status);
  });

  it("an Origin of the sandbox outweighs Sec-Fetch-Site", async () => {
    open({ publicUrl: "https://pay.example.test" });
    const headers = { host: "localhost:4010", origin: "https://pay.example.test", "sec-fetch-site": "cross-site" };
    expect((await world.control("POST", "/reset", undefined, headers)).status).toBe(200);
  });

  it.each(["OPTIONS", "GET", "POST"])("%s has no CORS headers, for any origin", async (method) => {
    open();
    const asking = { origin: "https://evil.test", "access-control-request-method": "POST", host: "localhost" };
    const answers = [
      await world.control(method, "/clock", undefined, asking),
      await world.control(method, "/clock", undefined, { host: "localhost", origin: "http://localhost" }),
      await world.api(method, "/v1/balance", undefined, asking),
      await world.api(method, "/openapi.json", undefined, asking),
    ];
    for (const { headers } of answers) {
      expect([...headers.keys()].filter((name) => name.startsWith("access-control-"))).toEqual([]);
    }
  });

  it("takes the host and the origin of --public-url", async () => {
    open({ publicUrl: "https://pay.example.test" });
    const headers = { host: "pay.example.test", origin: "https://pay.example.test" };
    expect((await world.control("GET", "/clock", undefined, headers)).status).toBe(200);
    const behindProxy = { host: "localhost:4010", origin: "https://pay.example.test" };
    expect((await world.control("GET", "/clock", undefined, behindProxy)).status).toBe(200);
  });

  it.each([
    ["127.0.0.1", 403],
    ["127.0.0.2", 403],
    ["localhost", 403],
    ["::1", 403],
    ["0.0.0.0", 200],
    ["::", 200],
    ["192.168.1.5", 200],
  ])("bound to %s, any host is %s", async (boundTo, status) => {
    open();
    const answer = await world.app.request("/_sandbox/clock", { headers: { host: "sandbox:4010" } }, { boundTo });
    expect(answer.status).toBe(status);
  });

  it.each([
    ["127.0.0.2", "127.0.0.2:4010"],
    ["::1", "[::1]:4010"],
    ["::ffff:127.0.0.1", "[::ffff:7f00:1]"],
  ])("bound to %s takes the host %s", async (boundTo, host) => {
    open();
    const answer = await world.app.request("/_sandbox/clock", { headers: { host } }, { boundTo });
    expect(answer.status).toBe(200);
  });
});

describe("wrong admin tokens", () => {
  const wrong = { authorization: "Bearer no" };
  const right = { authorization: "Bearer s3cret" };

  it("are limited, including those of the sign-in page; the right one is always accepted", async () => {
    let elapsed = 0;
    open({ adminToken: "s3cret", system: { ...systemClock, monotonic: () => elapsed } });
    const ask = (headers?: Readonly<Record<string, string>>) => world.control("GET", "/clock", undefined, headers);
    for (let guess = 1; guess < GUESSES_MAX; guess++) expect((await ask(wrong)).status).toBe(401);
    expect((await signIn(visit(world.app), "no")).status).toBe(401);
    const refused = await ask(wrong);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("6");
    expect(refused.body).toMatchObject({
      statusCode: 429,
      message: ["Too many wrong admin tokens from this address. Try again in 6 s"],
    });
    expect((await ask(right)).status).toBe(200);
    expect((await ask()).status).toBe(401);
    expect((await ask(wrong)).status).toBe(429);
    elapsed += 5_999;
    expect((await ask(wrong)).headers.get("retry-after")).toBe("1");
    elapsed += 1;
    expect((await ask(wrong)).status).toBe(401);
    expect((await ask(wrong)).status).toBe(429);
    elapsed += 60_000;
    for (let guess = 0; guess < GUESSES_MAX; guess++) expect((await ask(wrong)).status).toBe(401);
    expect((await ask(wrong)).status).toBe(429);
  });

  it("are counted for each address separately", async () => {
    open({ adminToken: "s3cret" });
    const { port } = new URL(await world.listen());
    const askFrom = async (localAddress: string): Promise<number | undefined> => {
      const asked = request({ host: "127.0.0.1", port, localAddress, path: "/_sandbox/clock", headers: wrong });
      const [answer] = (await once(asked.end(), "response")) as [IncomingMessage];
      answer.resume();
      return answer.statusCode;
    };
    for (let guess = 0; guess < GUESSES_MAX; guess++) await askFrom("127.0.0.1");
    expect(await askFrom("127.0.0.1")).toBe(429);
    expect(await askFrom("127.0.0.2")).toBe(401);
  });
});

it.each([
  ["POST", "", "GET"],
  ["DELETE", "", "GET"],
  ["PUT", "/assets/x", "GET"],
  ["POST", "/assets/dashboard.css", "GET"],
  ["POST", "/clock", "GET, PUT"],
])("%s /_sandbox%s is 405", async (method, path, allow) => {
  open();
  const answer = await world.control(method, path, undefined, { host: "localhost:4010" });
  expect(answer.status).toBe(405);
  expect(answer.headers.get("allow")).toBe(allow);
});
