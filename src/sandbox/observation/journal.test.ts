import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../exchange.js";
import { Journal } from "./journal.js";

function exchange(change: Partial<Exchange> = {}): Exchange {
  return {
    door: "api",
    operation: "getBalance",
    company: undefined,
    at: 0,
    receivedAt: 0,
    method: "GET",
    path: "/v1/balance",
    headers: {},
    body: undefined,
    status: 200,
    answer: undefined,
    retryAfter: undefined,
    problem: undefined,
    rule: undefined,
    fault: undefined,
    made: { from: 0, to: 0 },
    settings: [],
    onLost: () => undefined,
    ...change,
  };
}

function idsOf({ entries }: Journal): string[] {
  return entries.values().map(({ id }) => id);
}

describe("bounds", () => {
  it("keeps as many as it may", () => {
    const journal = new Journal(2);
    for (let n = 0; n < 5; n++) journal.record(exchange());
    expect(idsOf(journal)).toEqual(["req_4", "req_5"]);
  });

  it.each(["body", "answer", "headers"] as const)("keeps fewer when each has much to say in its %s", (where) => {
    const journal = new Journal(100, 100_000);
    const said = { text: "x".repeat(20_000) };
    for (let n = 0; n < 10; n++) journal.record(exchange({ [where]: said }));
    expect(idsOf(journal)).toEqual(["req_9", "req_10"]);
    for (let n = 0; n < 50; n++) journal.record(exchange());
    expect(idsOf(journal)).toHaveLength(51);
  });

  it("counts an object and a list for what they take, however little they say", () => {
    const journal = new Journal(100, 100_000);
    const body = Array.from({ length: 1_000 }, () => ({}));
    for (let n = 0; n < 10; n++) journal.record(exchange({ body }));
    expect(idsOf(journal)).toEqual(["req_10"]);
  });

  it("lets go of what it has forgotten", async () => {
    const journal = new Journal(100, 100_000);
    const forgotten = new WeakRef({ text: "x".repeat(60_000) });
    journal.record(exchange({ body: forgotten.deref() }));
    for (let n = 0; n < 10; n++) journal.record(exchange({ body: "x".repeat(60_000) }));
    setFlagsFromString("--expose-gc");
    // A reference that was looked at lives until the end of the turn.
    await new Promise((resolve) => setImmediate(resolve));
    runInNewContext("gc")();
    expect(idsOf(journal)).toHaveLength(1);
    expect(forgotten.deref()).toBeUndefined();
  });

  it("keeps the newest, however large it is", () => {
    const journal = new Journal(100, 1_000);
    journal.record(exchange());
    journal.record(exchange({ path: `/v1/${"x".repeat(10_000)}` }));
    expect(idsOf(journal)).toEqual(["req_2"]);
  });

  it("counts what is nested deeper than the stack", () => {
    const body: unknown = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
    const journal = new Journal(100, 1_000_000);
    journal.record(exchange({ body }));
    journal.record(exchange());
    expect(idsOf(journal)).toEqual(["req_2"]);
  });
});

describe("a lost answer", () => {
  it("is noted in its entry, in its place", () => {
    const journal = new Journal(10);
    const first = journal.record(exchange());
    journal.record(exchange());
    expect(journal.lose(first)).toMatchObject({ id: "req_1", fate: "lost" });
    expect(journal.entries.values().map(({ id, fate }) => `${id} ${fate}`)).toEqual(["req_1 lost", "req_2 written"]);
  });

  it("of an entry that is gone is nobody's, also when there is another of its id", () => {
    const journal = new Journal(10);
    const gone = journal.record(exchange());
    journal.restart();
    expect(journal.lose(gone)).toBeUndefined();
    journal.record(exchange());
    expect(journal.lose(gone)).toBeUndefined();
    expect(journal.entries.get("req_1")?.fate).toBe("written");
  });
});

describe("ids", () => {
  it("go on after a clear and begin again after a restart", () => {
    const journal = new Journal(10);
    journal.record(exchange());
    journal.clear();
    expect([idsOf(journal), journal.lastSeq]).toEqual([[], 1]);
    expect(journal.record(exchange()).id).toBe("req_2");
    journal.restart();
    expect(journal.record(exchange()).id).toBe("req_1");
  });
});
