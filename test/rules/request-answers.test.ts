import { describe, expect, it } from "vitest";
import { doors, openDoor } from "../support/doors.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import { aCorrelationId } from "../support/shapes.js";
import type { LooseJson } from "../support/world.js";

const JSON_TYPE = "application/json; charset=utf-8";

describe.each(doors)("a rule's answer, %s", (door) => {
  it("with only a status has the API's error body, and the request has no effect", async () => {
    const { live, ask, rule } = await openDoor(door);
    await rule({ name: "gateway down", then: { status: 503 } });
    const { status, headers, text } = await ask("POST", "/v1/charges", { body: chargeRequest() });
    expect(status).toBe(503);
    expect(headers).toMatchObject({ "content-type": JSON_TYPE, "x-sandbox-now": live.now() });
    expect(JSON.parse(text)).toEqual({
      statusCode: 503,
      message: ['A rule of the sandbox answers 503 ("gateway down")'],
      error: "Service Unavailable Exception",
      correlationId: aCorrelationId,
      path: "/v1/charges",
      timestamp: live.now(),
    });
    expect(live.company.world.charges.size).toBe(0);
  });

  it.each([
    [409, "Conflict Exception"],
    [504, "Gateway Timeout Exception"],
    [599, "Unknown Error Exception"],
  ])("%i has the error %s; a rule without a name is shown by its id", async (status, error) => {
    const { ask, rule } = await openDoor(door);
    const id = await rule({ then: { status } });
    const { text } = await ask("GET", "/v1/balance");
    const message = [`A rule of the sandbox answers ${status} ("${id}")`];
    expect(JSON.parse(text)).toMatchObject({ statusCode: status, error, message });
  });

  it("may have any header, also for HEAD", async () => {
    const { ask, rule } = await openDoor(door);
    await rule({ then: { headers: { "X-Broken-Off": "1" } } });
    for (const method of ["GET", "HEAD"]) {
      const { status, headers } = await ask(method, "/v1/balance");
      expect({ status, headers }).toMatchObject({ status: 200, headers: { "x-broken-off": "1" } });
    }
  });

  it("has the other error shape under errors.shape: message", async () => {
    const { ask, rule } = await openDoor(door, { profile: { errors: { shape: "message" } } });
    await rule({ name: "n", then: { status: 500 } });
    expect(JSON.parse((await ask("GET", "/v1/balance")).text)).toEqual({
      message: 'A rule of the sandbox answers 500 ("n")',
    });
  });

  it.each([
    [200, "{}"],
    [202, "{}"],
    [204, ""],
    [304, ""],
    [303, ""],
  ])("%i without a body has the content %j", async (status, content) => {
    const { ask, rule } = await openDoor(door);
    await rule({ then: { status } });
    const answer = await ask("POST", "/v1/charges", { body: chargeRequest() });
    expect([answer.status, answer.text]).toEqual([status, content]);
  });

  it.each<[string, LooseJson, number, string, string]>([
    ["JSON", { body: { status: "odd" } }, 201, JSON_TYPE, '{"status":"odd"}'],
    ["null", { body: null }, 201, JSON_TYPE, "null"],
    ["a text", { body: "<h1>Bad gateway</h1>", status: 502 }, 502, "text/plain; charset=utf-8", "<h1>Bad gateway</h1>"],
    ["a text of its type", { body: "<h1/>", headers: { "Content-Type": "text/html" } }, 201, "text/html", "<h1/>"],
  ])("of a body that is %s", async (_, then, status, type, text) => {
    const { live, ask, rule } = await openDoor(door);
    await rule({ then });
    const answer = await ask("POST", "/v1/charges", { body: chargeRequest() });
    expect([answer.status, answer.headers["content-type"], answer.text]).toEqual([status, type, text]);
    expect(live.company.world.charges.size).toBe(0);
  });

  it("with only headers is the normal answer with those headers", async () => {
    const { live, ask, rule } = await openDoor(door);
    await rule({ then: { headers: { "Retry-After": "3", "X-Sandbox": "mine" } } });
    const { status, headers } = await ask("POST", "/v1/charges", { body: chargeRequest() });
    expect(status).toBe(201);
    expect(headers).toMatchObject({ "retry-after": "3", "x-sandbox": "mine", "content-type": JSON_TYPE });
    expect(live.company.world.charges.size).toBe(1);
  });

  it("with commit: true follows the effect of the request", async () => {
    const { live, ask, rule } = await openDoor(door);
    await rule({ then: { status: 504, commit: true } });
    const { status } = await ask("POST", "/v1/transactions", { body: transferRequest({ reference: "r-1" }) });
    expect(status).toBe(504);
    expect(live.company.world.transfers.values()).toMatchObject([{ reference: "r-1" }]);
  });

  it("with commit: true also replaces a refusal", async () => {
    const { live, ask, rule } = await openDoor(door);
    await rule({ then: { status: 502, commit: true } });
    expect((await ask("POST", "/v1/charges", { body: {} })).status).toBe(502);
    expect(live.company.world.charges.size).toBe(0);
  });
});

describe.each(doors)("a rule applies, %s,", (door) => {
  it.each<[string, LooseJson]>([
    ["the body is not JSON", { body: '{"amount":' }],
    ["the body is too large", { body: "x".repeat(1_100_000) }],
    ["the body has another type", { body: "a=1", headers: { "content-type": "text/plain" } }],
    ["the company is missing", { body: chargeRequest(), headers: { "x-company-id": null } }],
    ["the company is another", { body: chargeRequest(), headers: { "x-company-id": "company_other" } }],
  ])("also when %s", async (_, asking) => {
    const { ask, rule } = await openDoor(door);
    await rule({ match: { path: "/v1/charges" }, then: { status: 503 } });
    expect((await ask("POST", "/v1/charges", asking)).status).toBe(503);
  });

  it("and the request's error is answered when the rule only adds headers", async () => {
    const { ask, rule } = await openDoor(door);
    await rule({ then: { headers: { "x-seen": "yes" } } });
    const statusOf = async (asking: LooseJson) => {
      const { status, headers } = await ask("POST", "/v1/charges", asking);
      expect(headers["x-seen"]).toBe("yes");
      return status;
    };
    expect(await statusOf({ body: "{" })).toBe(400);
    expect(await statusOf({ body: "x".repeat(1_100_000) })).toBe(413);
    expect(await statusOf({ body: "{}", headers: { "content-type": "text/plain" } })).toBe(415);
    expect(await statusOf({ body: chargeRequest(), headers: { "x-company-id": "company_other" } })).toBe(403);
  });

  it("before the rate limit", async () => {
    const { ask, rule } = await openDoor(door, { profile: { rateLimit: { requests: 1, per: "1m" } } });
    await rule({ then: { status: 503 }, times: 2 });
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) statuses.push((await ask("GET", "/v1/balance")).status);
    expect(statuses).toEqual([503, 503, 200, 429]);
  });

  it("never without a company's token, or to an unknown path or method", async () => {
    const { live, ask, rule } = await openDoor(door);
    await rule({ then: { status: 503 }, times: 1 });
    expect((await ask("GET", "/v1/balance", { headers: { authorization: "Bearer nobody" } })).status).toBe(401);
    expect((await ask("GET", "/v1/nope")).status).toBe(404);
    expect((await ask("PUT", "/v1/balance")).status).toBe(405);
    expect(live.company.world.rules.size).toBe(1);
  });

  it("never to the control API", async () => {
    const { live, ask, rule } = await openDoor(door);
    await rule({ then: { fault: "reset" } });
    expect((await ask("GET", "/_sandbox/health")).status).toBe(200);
    expect((await ask("GET", "/_sandbox/rules")).status).toBe(200);
    expect((await ask("GET", "/openapi.json")).status).toBe(200);
    expect(live.company.world.rules.values()).toMatchObject([{ fired: 0 }]);
  });

  it("`times` times, and the newest first", async () => {
    const { live, ask, rule } = await openDoor(door);
    await rule({ name: "old", then: { status: 500 } });
    await rule({ name: "new", then: { status: 503 }, times: 2 });
    const statuses: number[] = [];
    for (let n = 0; n < 4; n++) statuses.push((await ask("GET", "/v1/balance")).status);
    expect(statuses).toEqual([503, 503, 500, 500]);
    const { body } = await live.control("GET", "/rules");
    expect(body.data).toMatchObject([{ name: "old", fired: 2, times: null }]);
  });

  it("never to another company", async () => {
    const { ask, rule } = await openDoor(door, { autoProvision: true });
    await rule({ then: { status: 503 } });
    const headers = { authorization: "Bearer at_other", "x-company-id": "company_other" };
    expect((await ask("GET", "/v1/balance", { headers })).status).toBe(200);
    expect((await ask("GET", "/v1/balance")).status).toBe(503);
  });
});

describe.each(doors)("a match, %s,", (door) => {
  const charge = chargeRequest({ amount: 500, metadata: { cart: { items: 3 } } });

  it.each<[string, LooseJson, boolean]>([
    ["nothing", undefined, true],
    ["an empty one", {}, true],
    ["the method", { method: "POST" }, true],
    ["the method in other letters", { method: "post" }, true],
    ["another method", { method: "GET" }, false],
    ["a matcher for the method", { method: { $in: ["PUT", "POST"] } }, true],
    ["the path", { path: "/v1/charges" }, true],
    ["a template of another length", { path: "/v1/charges/:id" }, false],
    ["a template", { path: "/v1/:resource" }, true],
    ["a longer path", { path: "/v1/charges/x" }, false],
    ["a matcher for the path", { path: { $regex: "^/v1/ch" } }, true],
    ["the query", { query: { a: "1" } }, true],
    ["another query", { query: { a: "2" } }, false],
    ["a missing query", { query: { b: { $absent: true } } }, true],
    ["a header in any letters", { headers: { "X-Company-ID": "company_sandbox" } }, true],
    ["a matcher for a header", { headers: { "Content-Type": { $contains: "json" } } }, true],
    ["another header", { headers: { "x-company-id": "company_other" } }, false],
    ["part of the body", { body: { amount: 500 } }, true],
    ["deep in the body", { body: { metadata: { cart: { items: { $gt: 2 } } } } }, true],
    ["another body", { body: { amount: { $gt: 500 } } }, false],
    ["no body", { body: { $absent: true } }, false],
    ["all of it", { method: "POST", path: "/v1/charges", query: { a: "1" }, body: { amount: 500 } }, true],
    ["all but one", { method: "POST", path: "/v1/charges", query: { a: "9" }, body: { amount: 500 } }, false],
  ])("of %s", async (_, match, applies) => {
    const { ask, rule } = await openDoor(door);
    await rule({ match, then: { status: 503 } });
    expect((await ask("POST", "/v1/charges?a=1", { body: charge })).status).toBe(applies ? 503 : 201);
  });

  it("of a template accepts any id, and treats the body of a GET as absent", async () => {
    const { live, ask, rule } = await openDoor(door);
    const { id } = await live.createCharge();
    await rule({ match: { path: "/v1/charges/:id", body: { $absent: true } }, then: { status: 503 } });
    expect((await ask("GET", `/v1/charges/${id}`)).status).toBe(503);
    expect((await ask("GET", "/v1/charges/nope?x=1")).status).toBe(503);
    expect((await ask("POST", `/v1/charges/${id}/pay`)).status).toBe(200);
  });

  it("of the body treats an unreadable body as absent", async () => {
    const { ask, rule } = await openDoor(door);
    await rule({ match: { body: { $absent: true } }, then: { status: 503 } });
    expect((await ask("POST", "/v1/charges", { body: "{" })).status).toBe(503);
  });
});
