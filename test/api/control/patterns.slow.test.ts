import { beforeEach, describe, expect, it } from "vitest";
import { visit } from "../../support/dashboard.js";
import { exchange } from "../../support/sighting.js";
import { longestStop } from "../../support/loop-stops.js";
import { chargeRequest, transferRequest } from "../../support/requests.js";
import { openWorld, type TestWorld } from "../../support/world.js";

let world: TestWorld;
beforeEach(async () => {
  world = openWorld();
  // Excludes what a first request loads and compiles.
  await world.api("POST", "/v1/charges", chargeRequest({ externalId: "first" }));
  await world.api("POST", "/v1/transactions", transferRequest({ reference: "first" }));
});

const STOP_MAX_MS = 500;
const text = "a".repeat(255);
/** With each pattern, a backtracking engine needs exponential time, or a high power of the length, for its text. */
const hostile = ["(a|aa)+$b", "a*a*a*a*a*b", "^(a+)+b$", "(a*)*b", String.raw`(\w+\s?)*!`, "(.*){20}b", "(a?){100}b"];

describe.each(hostile)("$regex: %s", (pattern) => {
  it("blocks nothing as a rule about requests", async () => {
    const match = { body: { description: { $regex: pattern } } };
    for (let count = 0; count < 10; count++) {
      const { status } = await world.control("POST", "/rules", { on: "request", match, then: { status: 503 } });
      expect(status).toBe(201);
    }
    const stopMs = await longestStop(async () => {
      const { status } = await world.api("POST", "/v1/charges", chargeRequest({ description: text }));
      expect(status).toBe(201);
    });
    expect(stopMs).toBeLessThan(STOP_MAX_MS);
  });

  it("blocks nothing in a verification of 10 000 requests", async () => {
    const { journal } = world.sandbox.observationOf(world.sandbox.defaultCompany.id);
    await world.api("POST", "/v1/charges", chargeRequest({ description: text }));
    const entry = journal.entries.values().at(-1);
    if (entry === undefined) throw new Error("The request is not in the journal.");
    while (journal.lastSeq < 10_000) journal.record(exchange({ ...entry }));
    const stopMs = await longestStop(async () => {
      const request = { match: { body: { description: { $regex: pattern } } }, count: 0 };
      const { status, body } = await world.control("POST", "/requests/verify", request);
      expect([status, body]).toEqual([200, { matched: 0, requests: [] }]);
    });
    expect(stopMs).toBeLessThan(STOP_MAX_MS);
  });
});

it("a rule over a text that is too long for its pattern does not match, and the log says so", async () => {
  const warnings: unknown[] = [];
  const log = { write: (_: string, event: string) => void (event === "pattern-given-up" && warnings.push(event)) };
  world = openWorld({ log });
  const match = { body: { metadata: { note: { $regex: ".*a.{400}b" } } } };
  await world.control("POST", "/rules", { on: "request", match, then: { status: 503 } });
  const long = { metadata: { note: "ab".repeat(10_000) } };
  const stopMs = await longestStop(() => world.api("POST", "/v1/charges", chargeRequest(long)));
  expect(stopMs).toBeLessThan(STOP_MAX_MS);
  expect(warnings).toEqual(["pattern-given-up"]);
});

it("a verification says when its pattern would take too long", async () => {
  await world.api("POST", "/v1/charges", chargeRequest({ metadata: { note: "ab".repeat(10_000) } }));
  const match = { body: { metadata: { note: { $regex: ".*a.{400}b" } } } };
  const { status, body } = await world.control("POST", "/requests/verify", { match });
  expect([status, body.message]).toEqual([
    400,
    ["Failed to compare the requests: it would take too long over POST /v1/charges. Make the match smaller."],
  ]);
});

it("the rules that one request is compared with share one limit of time", async () => {
  for (let count = 0; count < 300; count++) {
    const match = { reference: { $regex: `(.*){${(count % 90) + 1}}(x|${count}!)` } };
    await world.control("POST", "/rules", { on: "transfer", match, then: { outcome: "failed", reason: "no" } });
  }
  const stopMs = await longestStop(() => world.api("POST", "/v1/transactions", transferRequest()));
  expect(stopMs).toBeLessThan(STOP_MAX_MS);
});

it("a pattern that no linear engine runs is refused, with its place and what to write instead", async () => {
  const match = { reference: { $regex: "^(?!test-)" } };
  const answer = await world.control("POST", "/rules", { on: "transfer", match, then: { outcome: "pending" } });
  expect([answer.status, answer.body.message]).toEqual([
    400,
    [
      expect.stringContaining(
        'match.reference.$regex has "(?!" at character 2: lookahead and lookbehind are not supported',
      ),
    ],
  ]);
});

/** Classes of characters that take milliseconds to compile, although their programs are small. */
const classes = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `^[${String.raw`\p{L}`.repeat(20)}${index}]+$`);

it("a pattern with many properties is refused: compiling it takes too long", async () => {
  const match = { body: { description: { $in: [{ $regex: `[${String.raw`\p{L}`.repeat(21)}]` }] } } };
  const { status, body } = await world.control("POST", "/rules", { on: "request", match, then: { status: 503 } });
  expect([status, body.message]).toEqual([
    400,
    [
      expect.stringContaining(
        String.raw`match.body.description.$in[0].$regex has 21 properties such as \p{L}, at most 20 are allowed`,
      ),
    ],
  ]);
});

it("compiling patterns counts towards the limit of a request", async () => {
  const match = { body: { description: { $in: classes(500).map(($regex) => ({ $regex })) } } };
  for (let count = 0; count < 3; count++) {
    const stopMs = await longestStop(async () => {
      const { status } = await world.control("POST", "/rules", { on: "request", match, then: { status: 503 } });
      expect(status).toBe(201);
    });
    expect(stopMs).toBeLessThan(STOP_MAX_MS);
  }
  const stopMs = await longestStop(() => world.api("POST", "/v1/charges", chargeRequest({ description: "!" })));
  expect(stopMs).toBeLessThan(STOP_MAX_MS);
});

it("compiling patterns counts towards the limit of a verification, which yields meanwhile", async () => {
  for (let count = 0; count < 10; count++) await world.api("POST", "/v1/charges", chargeRequest({ description: "!" }));
  const match = { body: { description: { $in: classes(500).map(($regex) => ({ $regex })) } } };
  const stopMs = await longestStop(async () => {
    const { status, body } = await world.control("POST", "/requests/verify", { match });
    expect([status, body.message]).toEqual([
      400,
      [expect.stringContaining("would take too long over POST /v1/charges")],
    ]);
  });
  expect(stopMs).toBeLessThan(STOP_MAX_MS);
});

/** Compared with each other, they make a hundred million pairs. */
const numbers = Array.from({ length: 10_000 }, (_, index) => index);
const products: Readonly<Record<string, unknown>> = {
  "a list in a list": { $contains: { $in: numbers.map((number) => -1 - number) } },
  "objects in a list": { $contains: Object.fromEntries(numbers.slice(0, 5000).map((number) => [`k${number}`, 1])) },
  "lists in a list": { $contains: { $in: numbers.slice(0, 5000).map((number) => ({ $exact: [number] })) } },
  "texts in a list": { $contains: { $in: numbers.slice(0, 1000).map((number) => `${"a".repeat(80)}${number}`) } },
};

describe.each(Object.entries(products))("%s", (_, list) => {
  it("blocks nothing, neither as rules nor as a verification", async () => {
    for (let count = 0; count < 5; count++) {
      const order = { on: "request", match: { body: { metadata: { list } } }, then: { status: 503 } };
      expect((await world.control("POST", "/rules", order)).status).toBe(201);
    }
    const stopMs = await longestStop(() =>
      world.api("POST", "/v1/charges", chargeRequest({ metadata: { list: numbers } })),
    );
    expect(stopMs).toBeLessThan(STOP_MAX_MS);
    const stopVerifyMs = await longestStop(() =>
      world.control("POST", "/requests/verify", { match: { body: { metadata: { list } } } }),
    );
    expect(stopVerifyMs).toBeLessThan(STOP_MAX_MS);
  });
});

/** A company with this many rules about webhooks and this many subscriptions. */
async function withSubscriptions(ruleCount: number, subscriptionCount: number): Promise<void> {
  const { rules, subscriptions } = world.sandbox.defaultCompany.world;
  await world.control("POST", "/rules", {
    on: "delivery",
    match: { url: "http://nowhere.test/" },
    then: { drop: true },
  });
  await world.api("POST", "/v1/webhooks", { topic: "transactions/started", url: "http://hook.test/" });
  const [rule] = rules.values();
  const [subscription] = subscriptions.values();
  if (rule === undefined || subscription === undefined) throw new Error("There is no rule or no subscription.");
  for (let n = 1; n < ruleCount; n++) rules.set({ ...rule, id: `${rule.id}${n}`, seq: 1_000 + n });
  for (let n = 1; n < subscriptionCount; n++)
    subscriptions.set({ ...subscription, id: `${subscription.id}${n}`, seq: 10_000 + n });
}

it.each([
  ["many rules", 1_000, 6_000, "short"],
  ["a large payload", 1, 70, "x".repeat(900_000)],
  ["a payload", 1, 2_000, "x".repeat(30_000)],
])("%s over the webhooks of many subscriptions block nothing", async (_, rules, subscriptions, description) => {
  await withSubscriptions(rules, subscriptions);
  const stopMs = await longestStop(() => world.api("POST", "/v1/transactions", transferRequest({ description })));
  expect(world.sandbox.defaultCompany.world.deliveries.size).toBe(subscriptions);
  expect(stopMs).toBeLessThan(STOP_MAX_MS);
});

it("a match that is too large is refused", async () => {
  const order = { on: "transfer", match: { amount: { $in: Array(60_000).fill(1) } }, then: { outcome: "failed" } };
  const { status, body } = await world.control("POST", "/rules", order);
  expect([status, body.message]).toEqual([400, [expect.stringContaining("must have at most 100000 bytes as JSON")]]);
});

it.each([
  ["count", { count: { $in: Array.from({ length: 33_000 }, () => ({})) } }],
  ["match", { match: { body: { a: Array.from({ length: 16_000 }, () => [[]]) } } }],
])("a long %s of a verification is read for few of the requests", async (_, verification) => {
  const { journal } = world.sandbox.observationOf(world.sandbox.defaultCompany.id);
  const [entry] = journal.entries.values();
  if (entry === undefined) throw new Error("The request is not in the journal.");
  while (journal.lastSeq < 3_000) journal.record(exchange({ ...entry, body: undefined }));
  const start = process.cpuUsage();
  const { status } = await world.control("POST", "/requests/verify", verification);
  expect(status).toBe(422);
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1_000).toBeLessThan(4_000);
});

it("looking for requests does not read the long queries of others", async () => {
  const { journal } = world.sandbox.observationOf(world.sandbox.defaultCompany.id);
  const [entry] = journal.entries.values();
  if (entry === undefined) throw new Error("The request is not in the journal.");
  const path = `/v1/charges?${"a&".repeat(8_000)}`;
  while (journal.lastSeq < 1_000) journal.record(exchange({ ...entry, path }));
  const stopMs = await longestStop(async () => {
    const { body } = await world.control("GET", "/requests?method=DELETE");
    expect(body.count).toBe(0);
  });
  expect(stopMs).toBeLessThan(STOP_MAX_MS);
  const verified = await world.control("POST", "/requests/verify", { match: { method: "DELETE" }, count: 0 });
  expect([verified.status, verified.body]).toEqual([200, { matched: 0, requests: [] }]);
});

it("looking for a long path does not describe how each request differs", async () => {
  const { journal } = world.sandbox.observationOf(world.sandbox.defaultCompany.id);
  const [entry] = journal.entries.values();
  if (entry === undefined) throw new Error("The request is not in the journal.");
  while (journal.lastSeq < 10_000) journal.record(exchange({ ...entry }));
  const look = async (path: string): Promise<number> => {
    const start = process.cpuUsage();
    expect((await world.control("GET", `/requests?path=/${path}`)).body.count).toBe(0);
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  };
  // Excludes what the first one compiles.
  await look("a");
  expect(await look('"'.repeat(15_900))).toBeLessThan(300);
});

/** V8 searches for the second text in the first in time that grows with the product of their lengths. */
const [searched, slowPart] = ["a".repeat(900_000), `ab${"a".repeat(20_000)}`];

it("$contains with a long text blocks nothing, neither as a rule nor as a verification", async () => {
  const match = { body: { description: { $contains: slowPart } } };
  await world.control("POST", "/rules", { on: "request", match, then: { status: 503 } });
  const stopMs = await longestStop(async () => {
    const { status } = await world.api("POST", "/v1/charges", chargeRequest({ description: searched }));
    expect(status).toBe(201);
  });
  expect(stopMs).toBeLessThan(STOP_MAX_MS);
  const stopVerifyMs = await longestStop(async () => {
    const { status, text } = await world.control("POST", "/requests/verify", { match, count: 0 });
    expect([status, text]).toEqual([400, expect.stringContaining("it would take too long over POST /v1/charges")]);
  });
  expect(stopVerifyMs).toBeLessThan(STOP_MAX_MS);
});

it("the search of the dashboard blocks nothing", async () => {
  await world.api("POST", "/v1/charges", chargeRequest({ description: searched }));
  const stopMs = await longestStop(async () => {
    const { status } = await visit(world.app).get(`/_sandbox?q=${slowPart.slice(0, 4_000)}`);
    expect(status).toBe(200);
  });
  expect(stopMs).toBeLessThan(STOP_MAX_MS);
});

it("looking for repeated orders blocks nothing", async () => {
  const externalId = slowPart.slice(0, 1_000);
  const stopMs = await longestStop(() =>
    world.api("POST", "/v1/charges", chargeRequest({ externalId, description: searched })),
  );
  expect(stopMs).toBeLessThan(STOP_MAX_MS);
});
