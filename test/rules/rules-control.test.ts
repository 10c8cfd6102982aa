import { describe, expect, it } from "vitest";
import { transferRequest } from "../support/requests.js";
import { openWorld, type TestWorld, type WorldOptions } from "../support/world.js";

let world: TestWorld;
const open = (options?: WorldOptions): TestWorld => (world = openWorld(options));

const failing = { on: "transfer", then: { outcome: "failed", reason: "network_down" } };

async function outcomeOf(msisdn = "+2250700000001"): Promise<string> {
  const { body } = await world.api("POST", "/v1/transactions", transferRequest({ msisdn }));
  await world.control("POST", "/clock/advance", { by: "1h" });
  const { body: final } = await world.api("GET", `/v1/transactions/${body.id}`);
  return final.failureReason ?? final.status;
}

describe("POST /rules", () => {
  it("answers 201 with the rule and its defaults", async () => {
    const { status, body } = await open().control("POST", "/rules", {
      name: "the network is down",
      ...failing,
      then: { ...failing.then, after: 90_000 },
      match: { msisdn: "0700000001", amount: { $gte: 5_000 } },
      times: 2,
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^rul_/),
      name: "the network is down",
      on: "transfer",
      match: { msisdn: "0700000001", amount: { $gte: 5_000 } },
      then: { outcome: "failed", reason: "network_down", after: "1m30s" },
      times: 2,
      fired: 0,
      createdAt: "2026-01-15T09:00:00.000Z",
    });
  });

  it.each([
    ["nothing", undefined, ["body must be a rule, an object such as {on, match, then}, but it is missing"]],
    ["no kind", { then: {} }, ["on must be one of request, transfer, payment, delivery, but it is missing"]],
    [
      "a misspelt kind",
      { on: "deliverie", then: { drop: true } },
      ['on must be one of request, transfer, payment, delivery (did you mean "delivery"?), got "deliverie"'],
    ],
    [
      "no effect",
      { on: "payment", then: {} },
      ["then must say what happens: at least one of outcome, error, after, got an object"],
    ],
    [
      "several mistakes at once",
      { on: "request", match: { pat: "/v1" }, then: { fault: "resett", status: 99 }, times: 0 },
      [
        "times must be a whole number from 1 to 1000000, got 0",
        "then.status must be a whole number from 200 to 599, got 99",
        'then.fault must be one of reset, hang, empty, malformed (did you mean "reset"?), got "resett"',
        'match has no "pat", only method, path, query, headers, body, nth. Did you mean "path"?',
      ],
    ],
    [
      "conflicting members",
      { on: "delivery", then: { drop: true, delay: "5s" } },
      ['then.delay does not go with drop, got "5s"'],
    ],
    [
      "a path that no operation has",
      { on: "request", match: { path: "/v1/transaction" }, then: { status: 500 } },
      [expect.stringMatching(/^match\.path must be the path of an operation, .*did you mean "\/v1\/transactions"/)],
    ],
    [
      "the braces of OpenAPI in a path",
      { on: "request", match: { path: "/v1/charges/{id}/pay" }, then: { status: 500 } },
      [expect.stringMatching(/^match\.path must have :id .*did you mean "\/v1\/charges\/:id\/pay"/)],
    ],
    [
      "numbers and texts that would never match",
      { on: "transfer", match: { msisdn: 2250700000010, amount: "5000", reference: 7 }, then: { outcome: "failed" } },
      [
        "match.msisdn must be a text in quotes, or a matcher such as {$regex}, got 2250700000010",
        "match.reference must be a text in quotes, or a matcher such as {$regex}, got 7",
        'match.amount must be a number of XOF, or a matcher such as {$gte: 5000}, got "5000"',
      ],
    ],
    [
      "a wrong matcher",
      { on: "delivery", match: { data: { status: { $regx: "^p" } } }, then: { drop: true } },
      [expect.stringContaining('$regx is not a matcher. Did you mean "$regex"?')],
    ],
    [
      "a header with a line end",
      { on: "request", then: { headers: { "x-a": "1\r\nx-b: 2" } } },
      [expect.stringContaining("then.headers.x-a must be a header's name and a text without line ends")],
    ],
    [
      "a header that ends the body otherwise",
      { on: "request", then: { headers: { Trailer: "x-a" } } },
      [expect.stringContaining("then.headers.Trailer is set by the sandbox")],
    ],
    [
      "a reason without a failure",
      { on: "transfer", then: { outcome: "completed", reason: "x" } },
      ['then.reason is only for outcome failed, got "x"'],
    ],
  ])("is 400 for %s", async (_, body, messages) => {
    const answer = await open().control("POST", "/rules", body);
    expect(answer.status).toBe(400);
    expect(answer.body.message).toEqual(messages);
  });
});

describe("the newest match wins", () => {
  it("and removing it makes the previous match apply again", async () => {
    open();
    await world.control("POST", "/rules", failing);
    const { body } = await world.control("POST", "/rules", { on: "transfer", then: { outcome: "completed" } });
    expect(await outcomeOf()).toBe("completed");
    expect((await world.control("DELETE", `/rules/${body.id}`)).status).toBe(204);
    expect(await outcomeOf()).toBe("network_down");
  });

  it("and GET lists rules newest first, with the remaining and the past applications", async () => {
    open();
    await world.control("POST", "/rules", { ...failing, name: "old" });
    await world.control("POST", "/rules", { ...failing, name: "new", times: 3 });
    await outcomeOf();
    const { body } = await world.control("GET", "/rules");
    expect(body).toMatchObject({ count: 2, limit: 15, cursor: { prev: null, next: null } });
    expect(
      body.data.map((rule: { name: string; times: number; fired: number }) => [rule.name, rule.times, rule.fired]),
    ).toEqual([
      ["new", 2, 1],
      ["old", null, 0],
    ]);
  });
});

describe("times", () => {
  it("counts down, and the rule is removed at 0", async () => {
    open();
    await world.control("POST", "/rules", { ...failing, times: 2 });
    expect([await outcomeOf(), await outcomeOf(), await outcomeOf()]).toEqual([
      "network_down",
      "network_down",
      "completed",
    ]);
    expect((await world.control("GET", "/rules")).body.data).toEqual([]);
  });

  it("is not counted down by a refused request", async () => {
    open({ balance: 10_000 });
    await world.control("POST", "/rules", { ...failing, times: 1 });
    const refused = await world.api("POST", "/v1/transactions", transferRequest({ amount: 500_000 }));
    expect(refused.status).toBe(422);
    expect(await outcomeOf()).toBe("network_down");
  });
});

describe("removal", () => {
  it("DELETE /rules removes all; an unknown rule is 404", async () => {
    open();
    await world.control("POST", "/rules", failing);
    await world.control("POST", "/rules", failing);
    expect((await world.control("DELETE", "/rules")).status).toBe(204);
    expect((await world.control("GET", "/rules")).body.data).toEqual([]);
    const answer = await world.control("DELETE", "/rules/rul_x");
    expect([answer.status, answer.body.message]).toEqual([404, ['No rule has the id "rul_x".']]);
  });
});

describe("rules belong to one company", () => {
  it("and do not apply to another", async () => {
    open();
    await world.control("POST", "/companies", { companyId: "company_b" });
    await world.control("POST", "/rules?company=company_b", failing);
    expect((await world.control("GET", "/rules")).body.data).toEqual([]);
    expect(await outcomeOf()).toBe("completed");
  });

  it("and a reset restores the initial ones, used ones included", async () => {
    open({
      defaults: {
        balance: 10_000_000_0000,
        frozenAt: Date.parse("2026-01-15T09:00:00Z"),
        profile: {},
        fixtures: [],
        rules: [
          { on: "transfer", name: "initial", match: {}, then: { outcome: "failed", reason: "initial" }, times: 1 },
        ],
      },
    });
    expect(await outcomeOf()).toBe("initial");
    await world.control("POST", "/rules", failing);
    await world.control("POST", "/reset");
    const { body } = await world.control("GET", "/rules");
    expect(body.data.map(({ name }: { name: string }) => name)).toEqual(["initial"]);
    expect([await outcomeOf(), await outcomeOf()]).toEqual(["initial", "completed"]);
  });

  it("are part of its state, with their remaining applications", async () => {
    open();
    await world.control("POST", "/rules", { ...failing, times: 2, match: { amount: { $lt: 6_000 } }, name: "down" });
    await outcomeOf();
    const { text, body: state } = await world.control("GET", "/state");
    await world.control("DELETE", "/rules");
    expect((await world.control("PUT", "/state", state)).status).toBe(200);
    expect((await world.control("GET", "/state")).text).toBe(text);
    expect([await outcomeOf(), await outcomeOf()]).toEqual(["network_down", "completed"]);
  });

  it("and a state with a wrong rule is refused with its position", async () => {
    open();
    await world.control("POST", "/rules", failing);
    const { body: state } = await world.control("GET", "/state");
    state.rules[0].rule.on = "transfers";
    const { status, body } = await world.control("PUT", "/state", state);
    expect(status).toBe(400);
    expect(body.message[0]).toContain("rules[0]");
    expect(body.message[0]).toContain('did you mean "transfer"?');
  });
});
