import { describe, expect, it } from "vitest";
import { payout, scene, sighting } from "../../../../test/support/sighting.js";
import type { JournalEntry } from "../journal.js";
import { AT_ONCE_MS, createRetryAtOnceDetector } from "./retry-at-once.js";

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
    expect(found).toMatchObject({ severity: "warning", key: `createTransaction ${status === 429 ? "429" : "5xx"}` });
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
