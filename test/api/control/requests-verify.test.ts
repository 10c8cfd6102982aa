import { beforeEach, describe, expect, it } from "vitest";
import { chargeRequest, transferRequest } from "../../support/requests.js";
import { type Answer, openWorld, type TestWorld } from "../../support/world.js";

let world: TestWorld;
beforeEach(() => {
  world = openWorld();
});

function verify(request?: unknown): Promise<Answer> {
  return world.control("POST", "/requests/verify", request);
}

async function pay(...change: Readonly<Record<string, unknown>>[]): Promise<void> {
  for (const one of change) await world.api("POST", "/v1/transactions", transferRequest(one));
}

describe("a verification that holds", () => {
  it("answers 200 with the requests that match, oldest first", async () => {
    await pay({ amount: 100 }, { amount: 200 }, { amount: 100 });
    const answer = await verify({ match: { method: "POST", path: "/v1/transactions", body: { amount: 100 } } });
    expect([answer.status, answer.body]).toEqual([200, { matched: 2, requests: ["req_1", "req_3"] }]);
  });

  it("compares the named members only, deeply, with the matchers of scenarios", async () => {
    const { body: charge } = await world.api("POST", "/v1/charges", chargeRequest({ metadata: { cart: ["a", "b"] } }));
    await world.api("GET", `/v1/charges/${charge.id}?verbose=yes`);
    const matches = [
      [{ method: "post" }, "req_1"],
      [{ path: "/v1/charges/:id" }, "req_2"],
      [{ path: `/v1/charges/${charge.id}` }, "req_2"],
      [{ path: { $regex: "^/v1/charges/" } }, "req_2"],
      [{ query: { verbose: "yes" } }, "req_2"],
      [{ headers: { "X-Company-Id": "company_sandbox" }, method: "GET" }, "req_2"],
      [{ headers: { authorization: { $regex: "^Bearer " } }, method: "GET" }, "req_2"],
      [{ body: { metadata: { cart: ["a", { $type: "string" }] } } }, "req_1"],
      [{ body: { amount: { $gt: 1 }, subject: { $absent: true } } }, "req_1"],
      [{ body: null }, "req_2"],
      [{ body: { $absent: true } }, "req_2"],
      [{ operation: "createCharge" }, "req_1"],
      [{ status: 201 }, "req_1"],
      [{ status: { $in: [201, 409] }, problem: null }, "req_1"],
      [{ answer: { id: charge.id, status: "created" } }, "req_1"],
      [{ rule: null, fault: null, fate: "written", operation: "getCharge" }, "req_2"],
    ] as const;
    for (const [match, id] of matches) {
      const { body } = await verify({ match });
      expect({ match, requests: body.requests }).toEqual({ match, requests: [id] });
    }
  });

  it.each([
    [undefined, 2],
    [{}, 2],
    [{ count: 2 }, 2],
    [{ count: { $gte: 1, $lt: 3 } }, 2],
    [{ match: { method: "DELETE" }, count: 0 }, 0],
  ])("%j", async (request, matched) => {
    await pay({}, {});
    const answer = await verify(request);
    expect([answer.status, answer.body.matched]).toEqual([200, matched]);
  });

  it("matches the effect of a rule", async () => {
    await world.control("POST", "/rules", { name: "no", on: "request", then: { status: 403 }, times: 1 });
    await world.api("GET", "/v1/balance");
    await world.api("GET", "/v1/balance");
    expect((await verify({ match: { rule: { name: "no" } } })).body.requests).toEqual(["req_1"]);
  });
});

describe("a verification that does not hold", () => {
  it("is 422 with the one field that differs", async () => {
    await pay({ amount: 4_999, reference: "payout-a" });
    const answer = await verify({
      match: { method: "POST", path: "/v1/transactions", body: { reference: "payout-a", amount: 5_000 } },
    });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({
      statusCode: 422,
      matched: 0,
      requests: [],
      nearest: [
        {
          id: "req_1",
          method: "POST",
          path: "/v1/transactions",
          differences: [{ path: "body.amount", expected: "5000", actual: 4_999 }],
          diff: "req_1 POST /v1/transactions\n  body.amount\n    - expected 5000\n    + received 4999",
        },
      ],
    });
    expect(answer.body.message).toEqual([
      "Matching requests: expected at least 1, but 0 of 1 match. The nearest of the others:",
      answer.body.nearest[0].diff,
    ]);
  });

  it("names at most three: first the ones with the same method and path, then the ones that differ least", async () => {
    await world.api("GET", "/v1/balance");
    await pay(
      { amount: 1, reference: "far", msisdn: "+2250700000002" },
      { amount: 1, reference: "near" },
      { amount: 2 },
    );
    await world.api("POST", "/v1/charges", chargeRequest({ amount: 100, msisdn: "+2250700000001", reference: "x" }));
    const match = {
      method: "POST",
      path: "/v1/transactions",
      body: { amount: 100, msisdn: "+2250700000001", reference: { $regex: "near|payout" } },
    };
    const { body } = await verify({ match });
    expect(body.nearest.map(({ id, differences }: { id: string; differences: unknown[] }) => [id, differences.length]))
      // Of two equally near requests, the later comes first.
      .toEqual([
        ["req_4", 1],
        ["req_3", 1],
        ["req_2", 3],
      ]);
  });

  it("does not count a request without a body as near", async () => {
    await pay({ amount: 1, reference: "near" });
    await world.api("POST", "/v1/transactions");
    const { body } = await verify({ match: { path: "/v1/transactions", body: { amount: 2, reference: "near" } } });
    expect(body.nearest.map(({ id }: { id: string }) => id)).toEqual(["req_1", "req_2"]);
    expect(body.nearest[1].differences).toEqual([
      { path: "body", expected: '{"amount":2,"reference":"near"}', actual: null },
    ]);
  });

  it("lists the requests when too many match", async () => {
    await pay({}, {}, {});
    const answer = await verify({ match: { operation: "createTransaction" }, count: 1 });
    expect(answer.status).toBe(422);
    expect(answer.body).toMatchObject({ matched: 3, requests: ["req_1", "req_2", "req_3"], nearest: [] });
    expect(answer.body.message).toEqual(["Matching requests: expected 1, but 3 of 3 match (req_1, req_2, req_3)"]);
    const never = await verify({ match: { operation: "createTransaction" }, count: { $lt: 2 } });
    expect(never.body.message).toEqual(["Matching requests: expected below 2, but 3 of 3 match (req_1, req_2, req_3)"]);
  });

  it("lists the requests that match, and what the others lack, when too few match", async () => {
    await pay({ amount: 100 }, { amount: 101 });
    const { body } = await verify({ match: { body: { amount: 100 } }, count: 2 });
    expect(body).toMatchObject({ matched: 1, requests: ["req_1"], nearest: [{ id: "req_2" }] });
  });

  it("reports that no request came", async () => {
    const { status, body } = await verify({ match: { method: "GET" } });
    expect(status).toBe(422);
    expect(body).toMatchObject({ matched: 0, requests: [], nearest: [] });
    expect(body.message).toEqual(["Matching requests: expected at least 1, but no request came at all"]);
  });

  it("shows the first hundred of thousands of differences, and cuts their paths", async () => {
    const name = "k".repeat(50_000);
    await world.api("POST", "/v1/charges", { [name]: {} });
    const wanted = Object.fromEntries(Array.from({ length: 4_000 }, (_, at) => [`m${at}`, 1]));
    const { status, text, body } = await verify({ match: { body: { [name]: wanted } } });
    expect([status, text.length < 1_000_000]).toEqual([422, true]);
    expect(body.nearest[0].differences).toHaveLength(100);
    expect(body.nearest[0].diff).toMatch(/\n {2}and 3900 more$/);
  });

  it("shows a body that is nested as deep as one may be", async () => {
    await world.api("POST", "/v1/charges", `${"[".repeat(200)}${"]".repeat(200)}`);
    const { status, body } = await verify({ match: { body: { amount: 1 } } });
    expect(status).toBe(422);
    expect(body.nearest[0].diff).toContain("[".repeat(200));
  });
});

describe("an invalid verification", () => {
  it.each([
    [{ match: { methd: "GET" } }, 'match has no "methd", only method, path, query, headers, body'],
    [{ match: { methd: "GET" } }, 'Did you mean "method"?'],
    [{ matches: {} }, 'has no "matches", only match, count. Did you mean "match"?'],
    [{ match: { body: { amount: { $gtt: 1 } } } }, 'match.body.amount.$gtt is not a matcher. Did you mean "$gt"?'],
    [{ match: { body: { amount: { $regex: "(" } } } }, "match.body.amount.$regex is not a regular expression"],
    [{ match: { method: 5 } }, "match.method must be an HTTP method such as POST, or a matcher"],
    [{ match: { path: "v1/charges" } }, "match.path must begin with /"],
    [{ match: { path: "/v1/charges?a=1" } }, "match.path must be without a query, which goes into query"],
    [{ match: { query: "a=1" } }, "match.query must be an object, or a matcher of one"],
    [{ match: { query: { page: 1 } }, count: 0 }, 'match.query.page must be a text such as "1", or a matcher'],
    [{ match: { headers: { "x-a": true } } }, 'match.headers.x-a must be a text such as "true", or a matcher'],
    [{ match: { operation: "creatCharge" } }, '(did you mean "createCharge"?)'],
    [{ match: { problem: 5 } }, "match.problem must be one of malformed_json"],
    [{ match: { status: "201" } }, "match.status must be an HTTP status such as 201"],
    [{ match: { fate: "gone" } }, "match.fate must be one of written, lost"],
    [{ match: [] }, "match must be a JSON object"],
    [{ count: -1 }, "count must be a whole number, or a matcher such as {$gte: 1}"],
    [{ count: "1" }, "count must be a whole number, or a matcher"],
    [{ count: { $gte: true } }, "count.$gte must be a number or a text to compare with"],
    [[], "must be a JSON object"],
  ])("%j is 400", async (request, message) => {
    const answer = await verify(request);
    expect(answer.status).toBe(400);
    expect(answer.body.message.join("\n")).toContain(message);
  });

  it("is refused when it is nested too deep", async () => {
    const answer = await verify(`{"match":{"body":${"[".repeat(150)}${"]".repeat(150)}}}`);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain("is nested deeper than 100 levels");
  });
});
