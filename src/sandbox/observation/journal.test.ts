import { describe, expect, it } from "vitest";
import { exchange } from "../../../test/support/sighting.js";
import type { Company } from "../company/company.js";
import { Journal } from "./journal.js";

function idsOf({ entries }: Journal): string[] {
  return entries.values().map(({ id }) => id);
}

describe("limits", () => {
  it("keeps as many entries as its limit", () => {
    const journal = new Journal(2);
    for (let n = 0; n < 5; n++) journal.record(exchange());
    expect(idsOf(journal)).toEqual(["req_4", "req_5"]);
  });

  it.each(["body", "answer", "headers"] as const)("keeps fewer when each has a large %s", (where) => {
    const journal = new Journal(100, 45_000);
    const given = { text: "x".repeat(20_000) };
    for (let n = 0; n < 10; n++) journal.record(exchange({ [where]: given }));
    expect(idsOf(journal)).toEqual(["req_9", "req_10"]);
    for (let n = 0; n < 20; n++) journal.record(exchange());
    expect(idsOf(journal)).toHaveLength(21);
  });

  it("counts bytes, and not letters", () => {
    const journal = new Journal(100, 50_000);
    for (let n = 0; n < 10; n++) journal.record(exchange({ body: "é".repeat(20_000) }));
    expect(idsOf(journal)).toEqual(["req_10"]);
  });

  it("counts the memory of an entry in addition to its texts", () => {
    const journal = new Journal(100_000, 50_000);
    for (let n = 0; n < 10_000; n++) journal.record(exchange());
    expect(idsOf(journal).length).toBeLessThan(500);
  });

  it("counts the memory of small values, and not only their text", () => {
    const journal = new Journal(100, 1_000_000);
    for (let n = 0; n < 10; n++) journal.record(exchange({ body: Array.from({ length: 5_000 }, () => ({})) }));
    expect(idsOf(journal)).toEqual(["req_10"]);
  });

  it("counts the webhooks that a request sent", () => {
    const journal = new Journal(100, 50_000);
    const sent = Array.from({ length: 900 }, (_, n) => ({ id: `del_${n}`, seq: n + 1 }));
    const world = { deliveries: { within: () => sent }, events: { within: () => [] } };
    const company = { world } as unknown as Company;
    for (let n = 0; n < 10; n++) journal.record(exchange({ company, made: { from: 0, to: 900 } }));
    expect(idsOf(journal)).toEqual(["req_10"]);
  });

  it("keeps the newest, however large it is", () => {
    const journal = new Journal(100, 1_000);
    journal.record(exchange());
    journal.record(exchange({ path: `/v1/${"x".repeat(10_000)}` }));
    expect(idsOf(journal)).toEqual(["req_2"]);
  });
});

describe("an entry", () => {
  it("has all fields of the exchange", () => {
    const journal = new Journal(10);
    const given = exchange({
      operation: "createCharge",
      at: 1_790_000_000_123,
      receivedAt: 12_345.678_901,
      method: "POST",
      path: "/v1/charges?a=1&b=%0A",
      headers: { host: "127.0.0.1", "x-empty": "", "x-latin": "caf\u00e9" },
      body: { text: 'line\nbreak "quoted" \ud83d\ude00 \u2028', lone: "\ud800", list: [1.5, null, {}] },
      status: 409,
      answer: { message: ["a\nb"], nested: { none: null } },
      answerHeaders: { "retry-after": "3" },
      problem: "external_id_taken",
      rule: { id: "rule_1", name: "two\nlines" },
      fault: "malformed",
      made: { from: 5, to: 5 },
      settings: ["auth.companyHeader", "errors.shape"],
    });
    const recorded = journal.record(given);
    expect(journal.entries.get("req_1")).toBe(recorded);
    const { turn: _turn, company: _company, onLost: _onLost, ...expected } = given;
    expect(recorded).toEqual({
      ...expected,
      id: "req_1",
      seq: 1,
      fate: "written",
      enqueued: [],
      created: [],
      bytes: recorded.bytes,
    });
  });

  it("distinguishes null from undefined", () => {
    const journal = new Journal(10);
    journal.record(exchange());
    journal.record(exchange({ body: null, answer: null, rule: { id: "rule_1", name: null } }));
    const [nothing, nulls] = journal.entries.values();
    expect([nothing?.body, nothing?.answer, nothing?.rule, nothing?.problem]).toEqual(Array(4).fill(undefined));
    expect([nulls?.body, nulls?.answer, nulls?.rule]).toEqual([null, null, { id: "rule_1", name: null }]);
  });

  it("does not change for a reader that holds it", () => {
    const journal = new Journal(2);
    const first = journal.record(exchange({ body: "first" }));
    const before = journal.entries.get("req_1");
    journal.lose(first);
    for (let n = 0; n < 10_000; n++) journal.record(exchange({ body: "x".repeat(1_000) }));
    expect([before?.fate, before?.body, journal.entries.get("req_1")]).toEqual(["written", "first", undefined]);
  });
});

describe("reading", () => {
  const journal = new Journal(5);
  for (let n = 1; n <= 8; n++) journal.record(exchange({ status: 200 + n }));
  const seqsOf = (request: Parameters<Journal["entries"]["page"]>[0]) => {
    const { rows, more } = journal.entries.page(request);
    return [...rows.map(({ seq }) => seq), more];
  };

  it("goes forwards and backwards from a seq, a page at a time", () => {
    expect(seqsOf({ limit: 2 })).toEqual([4, 5, true]);
    expect(seqsOf({ limit: 2, beyond: 5 })).toEqual([6, 7, true]);
    expect(seqsOf({ limit: 2, beyond: 6 })).toEqual([7, 8, false]);
    expect(seqsOf({ limit: 2, beyond: 1 })).toEqual([4, 5, true]);
    expect(seqsOf({ limit: 2, newestFirst: true })).toEqual([8, 7, true]);
    expect(seqsOf({ limit: 9, newestFirst: true, beyond: 6 })).toEqual([5, 4, false]);
    expect(seqsOf({ limit: 9, newestFirst: true, beyond: 99 })).toEqual([8, 7, 6, 5, 4, false]);
    expect(seqsOf({ limit: 9, beyond: 8 })).toEqual([false]);
    expect(seqsOf({ limit: 9, newestFirst: true, beyond: 4 })).toEqual([false]);
  });

  it("returns the entries that match", () => {
    expect(seqsOf({ limit: 1, where: ({ status }) => status > 205 })).toEqual([6, true]);
    expect(seqsOf({ limit: 2, newestFirst: true, where: ({ seq }) => seq % 2 === 0 })).toEqual([8, 6, true]);
  });

  it.each(["req_3", "req_9", "req_", "req_NaN", "req_4.5", "req_04", "4", ""])("finds nothing as %j", (id) => {
    expect(journal.entries.get(id)).toBeUndefined();
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

  it("of a forgotten entry is ignored, even when another entry has its id", () => {
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
  it("continue after a clear and begin again after a restart", () => {
    const journal = new Journal(10);
    journal.record(exchange());
    journal.clear();
    expect([idsOf(journal), journal.lastSeq]).toEqual([[], 1]);
    expect(journal.record(exchange()).id).toBe("req_2");
    journal.restart();
    expect(journal.record(exchange()).id).toBe("req_1");
  });
});
