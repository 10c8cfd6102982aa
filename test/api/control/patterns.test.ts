import { beforeEach, describe, expect, it } from "vitest";
import { longestStop } from "../../support/loop-stops.js";
import { chargeRequest, transferRequest } from "../../support/requests.js";
import { openWorld, type TestWorld } from "../../support/world.js";

let world: TestWorld;
beforeEach(async () => {
  world = openWorld();
  // What a first request loads and compiles is not counted.
  await world.api("POST", "/v1/charges", chargeRequest({ externalId: "first" }));
  await world.api("POST", "/v1/transactions", transferRequest({ reference: "first" }));
});

const STOP_MAX_MS = 100;
const text = "a".repeat(255);
/** Each takes a backtracking engine exponential time, or a high power of the length, over such a text. */
const hostile = ["(a|aa)+$b", "a*a*a*a*a*b", "^(a+)+b$", "(a*)*b", String.raw`(\w+\s?)*!`, "(.*){20}b", "(a?){100}b"];

describe.each(hostile)("$regex: %s", (pattern) => {
  it("holds up nothing as a rule about requests", async () => {
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

  it("holds up nothing in a verification of 10 000 requests", async () => {
    const { journal } = world.sandbox.observationOf(world.sandbox.defaultCompany.id);
    await world.api("POST", "/v1/charges", chargeRequest({ description: text }));
    const entry = journal.entries.values().at(-1);
    if (entry === undefined) throw new Error("The request is not in the journal.");
    while (journal.lastSeq < 10_000)
      journal.record({ ...entry, door: "api", company: undefined, connection: undefined, onLost: () => undefined });
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
    [
      "Failed to compare the requests: a $regex would take too long over POST /v1/charges. Make it smaller, or compare less with it.",
    ],
  ]);
});

it("the rules that one request is compared with share one allowance of time", async () => {
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
