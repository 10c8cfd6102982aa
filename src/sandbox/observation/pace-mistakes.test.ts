import { describe, expect, it } from "vitest";
import { payout, scene, sighting } from "../../../test/support/sighting.js";
import type { JournalEntry } from "./journal.js";
import { AT_ONCE_MS, createPollingTooFastDetector, createRetryAtOnceDetector } from "./pace-mistakes.js";

/** Reads one after another, each as many ms after the one before; what was found at each. */
function poll(gapsMs: readonly number[], pathOf: (index: number) => string = () => "/v1/charges/charge-1"): boolean[] {
  const detector = createPollingTooFastDetector();
  let receivedAt = 50_000;
  return gapsMs.map((gap, index) => {
    const entry = sighting({ operation: "getCharge", path: pathOf(index), receivedAt: (receivedAt += gap) });
    return (detector.see?.(entry, scene()) ?? []).length > 0;
  });
}

const gaps = (length: number, ms: number): number[] => Array.from({ length }, () => ms);
const none = (length: number): boolean[] => Array.from({ length }, () => false);

it("finds the eleventh read of one resource within a second", () => {
  expect(poll(gaps(11, 95))).toEqual([...none(10), true]);
});

it("is silent about ten a second, for as long as it goes on", () => {
  expect(poll(gaps(40, 100))).toEqual(none(40));
  expect(poll(gaps(40, 100).map((gap, index) => gap + (index % 2 === 0 ? 20 : -20)))).toEqual(none(40));
});

it("looks at every span of a second, not at the first", () => {
  expect(poll([...gaps(20, 500), ...gaps(9, 1)])).toEqual([...none(28), true]);
});

it("is silent about a client that moves the company's clock instead of waiting", () => {
  const detector = createPollingTooFastDetector();
  const read = (index: number) =>
    sighting({ operation: "getCharge", path: "/v1/charges/a", receivedAt: 0, at: index * 101 });
  expect(gaps(40, 0).flatMap((_, index) => detector.see?.(read(index), scene()) ?? [])).toEqual([]);
});

it("is silent about many resources that are read once each, and about what is no resource", () => {
  expect(poll(gaps(40, 1), (index) => `/v1/charges/${index}`)).toEqual(none(40));
  const detector = createPollingTooFastDetector();
  const found = gaps(40, 0).flatMap(() => detector.see?.(sighting({ receivedAt: 1 }), scene()) ?? []);
  expect(found).toEqual([]);
});

it("says which one, and how fast", () => {
  const detector = createPollingTooFastDetector();
  const found = gaps(11, 0).flatMap((_, index) => {
    const answer = { reference: "a", msisdn: "+2250700000001", amount: 5000 };
    const path = "/v1/transactions/txn_1?x=1";
    return (
      detector.see?.(sighting({ operation: "getTransaction", path, answer, receivedAt: index * 5 }), scene()) ?? []
    );
  });
  expect(found).toMatchObject([{ key: "/v1/transactions/txn_1" }]);
  expect(found[0]?.why).toContain("/v1/transactions/txn_1 was read 11 times within 50 ms");
  expect(found[0]?.requests[0]?.summary).toBe('reference "a", msisdn "+2250700000001", amount 5000, answered 200');
});

const ANSWERED_AT = 1_000;

/** A first request that is answered at {@link ANSWERED_AT}, and a second that comes `afterMs` later. */
function retry(first: Partial<JournalEntry>, second: Partial<JournalEntry>, afterMs: number) {
  const detector = createRetryAtOnceDetector();
  const entry = payout("a", { receivedAt: ANSWERED_AT - 5, ...first });
  expect(detector.see?.({ ...entry, fate: "written" }, scene({ now: ANSWERED_AT }))).toEqual([]);
  if (entry.fate === "lost") detector.lost?.(entry, scene());
  return detector.see?.(
    payout("a", { receivedAt: ANSWERED_AT + afterMs, ...second }),
    scene({ now: ANSWERED_AT + afterMs }),
  );
}

describe("a retry at once", () => {
  it.each([429, 500, 502, 503])("is the same request right after a %i", (status) => {
    const [found] = retry({ status }, {}, AT_ONCE_MS - 1) ?? [];
    expect(found).toMatchObject({ key: `createTransaction ${status === 429 ? "429" : "5xx"}` });
    expect(found?.why).toContain(`was answered ${status} and sent again after ${AT_ONCE_MS - 1} ms`);
    expect(found?.requests.map(({ summary }) => summary)).toEqual([
      `reference "a", msisdn "+2250700000001", amount 10000, answered ${status}`,
      'reference "a", msisdn "+2250700000001", amount 10000, answered 201',
    ]);
  });

  it("is one that comes before Retry-After is over", () => {
    const [found] = retry({ status: 429, retryAfter: "30" }, {}, 29_000) ?? [];
    expect(found?.why).toContain("though its Retry-After said 30 s");
  });
});

describe("no retry at once", () => {
  it.each<[string, Partial<JournalEntry>, Partial<JournalEntry>, number]>([
    ["after a pause", { status: 503 }, {}, AT_ONCE_MS],
    ["after the time that Retry-After said", { status: 429, retryAfter: "2" }, {}, 1_990],
    ["after the company's clock was moved by as much", { status: 429, retryAfter: "60", at: 0 }, { at: 60_000 }, 5],
    ["of an answer that was lost", { status: 503, fate: "lost" }, {}, 5],
    ["of an answer that a fault broke off", { status: 503, fault: "empty" }, {}, 5],
    ["of another body", { status: 503 }, { body: { reference: "b" } }, 5],
    ["of another path", { status: 503 }, { path: "/v1/transactions?x" }, 5],
    ["of an answer that was none of these", { status: 409 }, {}, 5],
    ["that was sent before the first was answered", { status: 503 }, {}, -1],
    ["with a Retry-After that is a date", { status: 503, retryAfter: "Wed, 21 Oct 2026 07:28:00 GMT" }, {}, AT_ONCE_MS],
  ])("is the same %s", (_, first, second, afterMs) => {
    expect(retry(first, second, afterMs)).toEqual([]);
  });

  it("is a request after others", () => {
    const detector = createRetryAtOnceDetector();
    const stage = scene({ now: 0 });
    const seen = [
      sighting({ receivedAt: 0, status: 503 }),
      sighting({ receivedAt: 500 }),
      sighting({ receivedAt: 501 }),
    ];
    expect(seen.flatMap((entry) => detector.see?.(entry, stage) ?? [])).toEqual([]);
  });
});
