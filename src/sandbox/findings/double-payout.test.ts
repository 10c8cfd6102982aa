import { describe, expect, it } from "vitest";
import {
  attempt,
  delivery,
  detectionsOf,
  payout,
  scene,
  sighting,
  storeTransfer,
} from "../../../test/support/sighting.js";
import { acceptedProfile } from "../../../test/support/profiles.js";
import type { JournalEntry } from "../observation/journal.js";
import type { Detection } from "./detector.js";
import { createDoublePayoutDetector } from "./double-payout.js";

/** Reports these to a detector in order. An entry whose `fate` is lost is reported as answered first, and then as lost. */
function watch(entries: readonly JournalEntry[], stage = scene()): readonly Detection[] {
  const detector = createDoublePayoutDetector();
  return detectionsOf(
    entries.flatMap((entry) => [
      ...(detector.see?.({ ...entry, fate: "written" }, stage) ?? []),
      ...(entry.fate === "lost" ? (detector.lost?.(entry, stage) ?? []) : []),
    ]),
  );
}

const lost = { fate: "lost", fault: "reset" } as const;
const refused = { status: 409, problem: "reference_taken" } as const;

describe("double-payout reports", () => {
  it("a new reference after a lost answer", () => {
    const stage = scene();
    storeTransfer(stage, { reference: "a", status: "pending" });
    const [first, again] = [payout("a", lost), payout("b")];
    const [found, ...rest] = watch([first, again], stage);
    expect(rest).toEqual([]);
    expect(found?.why).toContain(
      `10000 XOF to +2250700000001 would have been paid twice: first under reference "a" (${first.id}, whose answer was lost after the work was done), ` +
        `again under reference "b" (${again.id})`,
    );
    expect(found?.fix).toMatch(/same reference again \("a"\).* a 409 that an earlier request got through/);
    const order = 'msisdn "+2250700000001", amount 10000';
    expect(found?.requests).toEqual([
      {
        id: first.id,
        method: "POST",
        path: "/v1/transactions",
        summary: `reference "a", ${order}, its answer was lost`,
      },
      { id: again.id, method: "POST", path: "/v1/transactions", summary: `reference "b", ${order}, answered 201` },
    ]);
  });

  it.each([
    [500, "which was answered 500 and was not done this time"],
    [503, "which was answered 503 and was not done this time"],
  ])("a new reference after a %i, whether or not the first was done", (status, why) => {
    expect(watch([payout("a", { status }), payout("b")]).map((found) => found.why)).toEqual([
      expect.stringContaining(why),
    ]);
  });

  it.each([
    ["a 409 in between", [payout("a", refused)]],
    ["another that is lost too", [payout("a", lost)]],
    ["a refusal of the same reference, which says nothing of the first", [payout("a", { status: 422 })]],
    ["a payout to another recipient", [payout("c", { order: { msisdn: "+2250700000009" } })]],
    ["other requests", [sighting()]],
  ])("is not cleared by %s", (_, between) => {
    const first = payout("a", lost);
    const [found, ...rest] = watch([first, ...between, payout("b")]);
    expect(found?.requests[0]?.id).toBe(first.id);
    expect(rest).toEqual([]);
  });

  it("a recipient whose number is written in another way", () => {
    expect(watch([payout("a", lost), payout("b", { order: { msisdn: "0700000001" } })])).toHaveLength(1);
  });

  it("a loss that is noticed only after the second request", () => {
    const first = payout("a", { fate: "lost" });
    const again = payout("b");
    const detector = createDoublePayoutDetector();
    const stage = scene();
    expect([first, again].flatMap((entry) => detector.see?.({ ...entry, fate: "written" }, stage) ?? [])).toEqual([]);
    const [found] = detectionsOf(detector.lost?.(first, stage));
    expect(found?.requests.map(({ id }) => id)).toEqual([first.id, again.id]);
  });

  it("nothing when another payout came while the client still waited for the first answer", () => {
    const first = payout("a", { fate: "lost", receivedAt: 0 });
    const other = payout("b", { receivedAt: 2_000 });
    expect(watch([other, first], scene({ now: 5_000 }))).toEqual([]);
    expect(watch([payout("c", { receivedAt: 4_500 }), first], scene({ now: 5_000 }))).toHaveLength(1);
  });

  it("a first request that is answered only after the second", () => {
    const first = payout("a", { fate: "lost" });
    const again = payout("b");
    expect(watch([again, first]).map(({ requests }) => requests.map(({ id }) => id))).toEqual([[first.id, again.id]]);
  });

  it("each repeated payout once", () => {
    expect(watch([payout("a", lost), payout("b", lost), payout("c")]).map(({ key }) => key)).toEqual(["a b", "b c"]);
    expect(watch([payout("a", lost), payout("b"), payout("c")]).map(({ key }) => key)).toEqual(["a b"]);
  });

  it("each item of a batch", () => {
    const batch = (...references: string[]) => ({
      path: "/v1/transactions/batch",
      operation: "createBatch" as const,
      body: { transactions: references.map((reference) => ({ reference, msisdn: "+2250700000001", amount: 10_000 })) },
    });
    const found = watch([payout("", { ...batch("a1", "a2"), ...lost }), payout("", batch("b1", "b2"))]);
    expect(found.map(({ key }) => key)).toEqual(["a1 b1", "a2 b2"]);
    expect(found[1]?.requests.map(({ summary }) => summary)).toEqual([
      'reference "a2", msisdn "+2250700000001", amount 10000, its answer was lost',
      'reference "b2", msisdn "+2250700000001", amount 10000, answered 201',
    ]);
  });
});

describe("double-payout does not report", () => {
  it.each<[string, JournalEntry[]]>([
    ["the same reference again", [payout("a", lost), payout("a")]],
    ["the same reference again after a 5xx, refused as taken", [payout("a", { status: 503 }), payout("a", refused)]],
    ["a new reference after an answer of success that was read", [payout("a", lost), payout("a"), payout("b")]],
    [
      "a new reference though a later answer to the same one was lost",
      [payout("a"), payout("a", { ...refused, ...lost }), payout("b")],
    ],
    ["a new reference after a refusal that was read", [payout("a", { status: 422 }), payout("b")]],
    ["a new reference after a 429", [payout("a", { status: 429 }), payout("b")]],
    ["another amount", [payout("a", lost), payout("b", { order: { amount: 10_001 } })]],
    ["another recipient", [payout("a", lost), payout("b", { order: { msisdn: "+2250700000002" } })]],
    ["a reference that was used before", [payout("b"), payout("a", lost), payout("b", refused)]],
    ["two equal items in a batch that is sent again unchanged", twice()],
    ["an invalid body", [payout("a", lost), payout("b", { body: [] }), payout("b", { body: { amount: "10000" } })]],
  ])("is %s", (_, entries) => {
    expect(watch(entries)).toEqual([]);
  });

  it("a new reference once the first transfer has failed", () => {
    const stage = scene();
    storeTransfer(stage, { reference: "a", status: "failed" });
    expect(watch([payout("a", lost), payout("b")], stage)).toEqual([]);
  });

  it("a request that was sent before the one whose answer is lost", () => {
    const before = payout("b");
    expect(watch([before, payout("a", lost)])).toEqual([]);
  });
});

function twice(): JournalEntry[] {
  const transactions = ["a1", "a2"].map((reference) => ({ reference, msisdn: "+2250700000001", amount: 10_000 }));
  const batch = { operation: "createBatch" as const, body: { transactions } };
  return [payout("", { ...batch, ...lost }), payout("", batch)];
}

describe("double-payout after a 409", () => {
  const HOUR_MS = 3_600_000;
  const stage = scene();
  storeTransfer(stage, { reference: "a", status: "completed" });
  const watchAfter = (ms: number, problem: Partial<JournalEntry> = refused) =>
    watch([payout("a", { at: 0 }), payout("a", { ...problem, at: 0 }), payout("b", { at: ms })], stage).length;

  it("reports a new reference within an hour of the company's clock", () => {
    expect(watchAfter(HOUR_MS - 1)).toBe(1);
    expect(watchAfter(HOUR_MS)).toBe(0);
  });

  it("does not report one when the reference was taken by another payout", () => {
    const other = { order: { amount: 5_000 } };
    expect(watch([payout("a", { ...refused, ...other }), payout("b", other)], stage)).toEqual([]);
  });

  it("is withdrawn when the first reference is sent again, since the client keeps both", () => {
    expect(watch([payout("a", lost), payout("b")], stage)).toHaveLength(1);
    expect(watch([payout("a", lost), payout("b"), payout("a", refused)], stage)).toEqual([]);
  });

  it("does not report one seven days after a lost answer", () => {
    const days = (count: number) => count * 24 * HOUR_MS;
    expect(watch([payout("a", { ...lost, at: 0 }), payout("b", { at: days(7) - 1 })])).toHaveLength(1);
    expect(watch([payout("a", { ...lost, at: 0 }), payout("b", { at: days(7) })])).toEqual([]);
  });
});

it("double-payout does not promise a 409 if a reference may be used twice", () => {
  const { profile } = acceptedProfile({ transfers: { duplicateReference: "allow" } });
  const [found] = watch([payout("a", lost), payout("b")], scene({ profile }));
  expect(found?.fix).toContain("this service does not refuse a reference that it knows");
  expect(found?.fix).not.toContain("409");
});

describe("double-payout after two copies of a webhook", () => {
  const [COPY_MS, ANSWER_MS] = [500, 5];

  /** The first payout comes while the second copy is in flight, `firstAfterMs` after the first copy was answered. */
  function watchCopies(firstAfterMs: number, againAfterMs: number): readonly Detection[] {
    const detector = createDoublePayoutDetector();
    const webhook = delivery({ topic: "charges/events", resource: "charge-1", resourceKind: "charge" });
    const see = (reference: string, receivedAt: number) =>
      detector.see?.(payout(reference, { receivedAt }), scene()) ?? [];
    const acknowledge = (now: number) => detector.attempted?.(attempt(), webhook, scene({ now })) ?? [];
    detector.attempting?.(webhook, 0, scene({ now: 0 }));
    acknowledge(ANSWER_MS);
    const early = firstAfterMs <= COPY_MS ? see("a", ANSWER_MS + firstAfterMs) : [];
    detector.attempting?.(webhook, 0, scene({ now: COPY_MS }));
    acknowledge(COPY_MS + ANSWER_MS);
    const late = firstAfterMs > COPY_MS ? see("a", ANSWER_MS + firstAfterMs) : [];
    return detectionsOf([...early, ...late, ...see("b", COPY_MS + ANSWER_MS + againAfterMs)]);
  }

  it.each([
    [1, 2],
    [400, 10],
    [400, 450],
  ])("reports a payout %i ms after one answer and %i ms after the other", (first, again) => {
    expect(watchCopies(first, again).map(({ key }) => key)).toEqual(["a b"]);
  });

  it.each([
    ["another payout of a suite, later than a reaction to the copy would have come", 1, 300],
    ["two payouts after both copies, which may be a worker's or a suite's", COPY_MS + 1, 10],
  ])("does not report %s", (_, first, again) => {
    expect(watchCopies(first, again)).toEqual([]);
  });
});
