import { describe, expect, it } from "vitest";
import { detectionsOf, payout, scene, sighting } from "../../../test/support/sighting.js";
import {
  AT_ONCE_MS,
  createPollingTooFastDetector,
  createRetryAtOnceDetector,
  secretLeaked,
} from "./request-mistakes.js";
import type { JournalEntry } from "../observation/journal.js";

/** Makes reads with these gaps between them, and returns whether each was reported. */
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

it("polling-too-fast reports the eleventh read of a resource within a second", () => {
  expect(poll(gaps(11, 95))).toEqual([...none(10), true]);
});

it("polling-too-fast does not report ten reads a second, however many there are", () => {
  expect(poll(gaps(40, 100))).toEqual(none(40));
  expect(poll(gaps(40, 100).map((gap, index) => gap + (index % 2 === 0 ? 20 : -20)))).toEqual(none(40));
});

it("polling-too-fast does not report a client that reads a charge a few times after each of its changes", () => {
  const detector = createPollingTooFastDetector();
  const read = (status: string, receivedAt: number) =>
    detector.see?.(
      sighting({ operation: "getCharge", path: "/v1/charges/a", answer: { status }, receivedAt }),
      scene(),
    ) ?? [];
  const changes = ["due", "paid", "refunded_partially", "refunded"];
  expect(changes.flatMap((status, index) => [0, 1, 2, 3].flatMap((n) => read(status, index * 50 + n)))).toEqual([]);
  expect(Array.from({ length: 7 }, (_, n) => read("refunded", 200 + n)).flat()).toHaveLength(1);
});

it("polling-too-fast checks every second, not only the first", () => {
  expect(poll([...gaps(20, 500), ...gaps(9, 1)])).toEqual([...none(28), true]);
});

it("polling-too-fast does not report a client that moves the company's clock", () => {
  const detector = createPollingTooFastDetector();
  const read = (index: number) =>
    sighting({ operation: "getCharge", path: "/v1/charges/a", receivedAt: 0, at: index * 101 });
  expect(gaps(40, 0).flatMap((_, index) => detector.see?.(read(index), scene()) ?? [])).toEqual([]);
});

it("polling-too-fast does not report one read of each of many resources, or reads of lists", () => {
  expect(poll(gaps(40, 1), (index) => `/v1/charges/${index}`)).toEqual(none(40));
  const detector = createPollingTooFastDetector();
  const found = gaps(40, 0).flatMap(() => detector.see?.(sighting({ receivedAt: 1 }), scene()) ?? []);
  expect(found).toEqual([]);
});

it("polling-too-fast names the resource and the time", () => {
  const detector = createPollingTooFastDetector();
  const verdicts = gaps(11, 0).flatMap((_, index) => {
    const answer = { reference: "a", msisdn: "+2250700000001", amount: 5000 };
    const path = "/v1/transactions/txn_1?x=1";
    return (
      detector.see?.(sighting({ operation: "getTransaction", path, answer, receivedAt: index * 5 }), scene()) ?? []
    );
  });
  const found = detectionsOf(verdicts);
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
  return detectionsOf(
    detector.see?.(
      payout("a", { receivedAt: ANSWERED_AT + afterMs, ...second }),
      scene({ now: ANSWERED_AT + afterMs }),
    ),
  );
}

describe("retry-at-once reports", () => {
  it.each([429, 500, 502, 503])("the same request right after a %i", (status) => {
    const [found] = retry({ status }, {}, AT_ONCE_MS - 1);
    expect(found).toMatchObject({ key: `createTransaction ${status === 429 ? "429" : "5xx"}` });
    expect(found?.why).toContain(`was answered ${status} and sent again after ${AT_ONCE_MS - 1} ms`);
    expect(found?.requests.map(({ summary }) => summary)).toEqual([
      `reference "a", msisdn "+2250700000001", amount 10000, answered ${status}`,
      'reference "a", msisdn "+2250700000001", amount 10000, answered 201',
    ]);
  });

  it("a request before Retry-After is over", () => {
    const [found] = retry({ status: 429, answerHeaders: { "retry-after": "30" } }, {}, 29_000);
    expect(found?.why).toContain("though its Retry-After said 30 s");
  });
});

describe("retry-at-once does not report a request", () => {
  it.each<[string, Partial<JournalEntry>, Partial<JournalEntry>, number]>([
    ["after a pause", { status: 503 }, {}, AT_ONCE_MS],
    ["after the time that Retry-After said", { status: 429, answerHeaders: { "retry-after": "2" } }, {}, 1_990],
    [
      "after the company's clock was moved by as much",
      { status: 429, answerHeaders: { "retry-after": "60" }, at: 0 },
      { at: 60_000 },
      5,
    ],
    ["after a lost answer", { status: 503, fate: "lost" }, {}, 5],
    ["after an answer that a fault broke off", { status: 503, fault: "empty" }, {}, 5],
    ["with another body", { status: 503 }, { body: { reference: "b" } }, 5],
    ["with another path", { status: 503 }, { path: "/v1/transactions?x" }, 5],
    ["after another status", { status: 409 }, {}, 5],
    ["that was sent before the first was answered", { status: 503 }, {}, -1],
    [
      "with a Retry-After that is a date",
      { status: 503, answerHeaders: { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" } },
      {},
      AT_ONCE_MS,
    ],
  ])("is the same %s", (_, first, second, afterMs) => {
    expect(retry(first, second, afterMs)).toEqual([]);
  });

  it("after other requests", () => {
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

const stage = scene({
  secrets: [
    { name: "secret key", text: "k3y/with+signs=" },
    { name: "access token", text: "at_shop" },
  ],
});
const watch = (change: Parameters<typeof sighting>[0]) => detectionsOf(secretLeaked.see?.(sighting(change), stage));

describe("secret-leaked reports", () => {
  it.each([
    ["the access token in the query", { path: "/v1/balance?access_token=at_shop" }, "access token query getBalance"],
    [
      "the access token in the path",
      { path: "/v1/charges/at_shop", operation: "getCharge" },
      "access token path getCharge",
    ],
    [
      "the secret key, encoded for a URL",
      { path: "/v1/balance?k=k3y%2Fwith%2Bsigns%3D" },
      "secret key query getBalance",
    ],
    ["a letter of it encoded without need", { path: "/v1/balance?t=%61t_shop" }, "access token query getBalance"],
    [
      "the secret key in a body",
      { body: { metadata: { deep: [{ key: "k3y/with+signs=" }] } } },
      "secret key body getBalance",
    ],
    ["as the name of a member", { body: { at_shop: 1 } }, "access token body getBalance"],
    [
      "in a webhook's URL",
      { body: { url: "https://shop.test/hooks?token=at_shop" }, operation: "createWebhook" },
      "access token body createWebhook",
    ],
    [
      "where the API has no such path",
      { path: "/login/at_shop", method: "POST", operation: undefined },
      "access token path POST",
    ],
  ] as const)("is %s", (_, change, key) => {
    const [found, ...rest] = watch(change);
    expect(found).toMatchObject({ key });
    expect(found?.why + (found?.fix ?? "")).not.toMatch(/at_shop|k3y/);
    expect(rest).toEqual([]);
  });

  it.each([
    ["as bearer", { authorization: "Bearer k3y/with+signs=" }, "authorization"],
    ["in another header", { "x-secret": "k3y/with+signs=" }, "x-secret"],
    ["as a password", { authorization: `Basic ${btoa("shop:k3y/with+signs=")}` }, "authorization"],
  ])("is the secret key %s", (_, headers, name) => {
    const [found, ...rest] = watch({ headers });
    expect(found).toMatchObject({ key: "secret key header getBalance" });
    expect(found?.why).toContain(`The secret key was sent in the header ${name} of a request`);
    expect(rest).toEqual([]);
  });

  it("each secret in each place", () => {
    const found = watch({ path: "/v1/balance?t=at_shop", body: { t: "at_shop", k: "k3y/with+signs=" } });
    expect(found.map(({ key }) => key)).toEqual([
      "secret key body getBalance",
      "access token query getBalance",
      "access token body getBalance",
    ]);
  });
});

it.each([
  ["a part of a longer word", { body: { reference: "flat_shop-at_shopping at_shop-2" } }],
  ["no secret", { path: "/v1/balance?q=%zz%", body: { amount: 5, list: [null, true] } }],
  ["the token in the header that it belongs to", { headers: { authorization: "Bearer at_shop" } }],
])("secret-leaked does not report %s", (_, change) => {
  expect(watch(change)).toEqual([]);
});

it.each([
  ["plainly", '{"t":"at_shop"}', 1],
  ["as a name", '{"at_shop":1}', 1],
  ["escaped", String.raw`{"t":"\u0061t_shop"}`, 1],
  ["with a slash that is escaped", String.raw`{"k":"k3y\/with+signs="}`, 1],
  ["encoded for a URL", '{"k":"k3y%2Fwith%2Bsigns%3D"}', 1],
  ["not at all", '{"t":"at shop"}', 0],
  ["as a part of a word", String.raw`{"t":"flat_shop\n"}`, 0],
])("secret-leaked reads the body as it was sent: %s", (_, sent, found) => {
  expect(watch({ body: JSON.parse(sent) })).toHaveLength(found);
});

it("secret-leaked reads a body that is nested deeper than the stack", () => {
  const deep = JSON.parse("[".repeat(19_000) + '"at_shop"' + "]".repeat(19_000));
  expect(watch({ body: deep })).toHaveLength(1);
});

describe("retry-at-once with another worker", () => {
  const opened = (connectionAgeMs: number, requests: number) => ({
    connection: { ageMs: () => connectionAgeMs, requests, isClosed: false },
    connectionAgeMs,
  });

  /** Whether the second of two equal requests is reported, 30 ms after the first was answered. */
  function isReported(second: ReturnType<typeof opened>): boolean {
    const detector = createRetryAtOnceDetector();
    const first = payout("a", { status: 429, receivedAt: 990 });
    detector.see?.(first, scene({ now: 1_000, ...opened(20, 1) }));
    const again = payout("a", { receivedAt: 1_030 });
    return detectionsOf(detector.see?.(again, scene({ now: 1_030, ...second }))).length > 0;
  }

  it.each([
    ["over a connection that was opened before the first was answered", opened(40, 1), false],
    ["over a connection that was opened while the other one was free", opened(1, 1), false],
    ["over a connection that was opened as soon as the answer was read", opened(25, 1), true],
    ["over a connection that has carried requests", opened(40, 3), true],
  ])("a request %s: %s", (_, second, reported) => {
    expect(isReported(second)).toBe(reported);
  });
});
