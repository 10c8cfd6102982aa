import { describe, expect, it } from "vitest";
import fc from "../support/fast-check.js";
import { type Live, startLive } from "../support/live.js";
import { kindsOf } from "../api/findings/findings.js";
import { type Api, createApi } from "./client.js";

const PAYOUTS = "/v1/transactions";
const KINDS = ["double-payout", "concurrent-payouts"];

/** A text of `length` of these characters. */
const textOf = (characters: string, length: number) =>
  fc
    .array(fc.constantFrom(...characters.split("")), { minLength: length, maxLength: length })
    .map((chosen) => chosen.join(""));

const DIGITS = "0123456789";
const SMALL = "abcdefghijklmnopqrstuvwxyz";
const CAPITAL = SMALL.toUpperCase();
const hexOf = (length: number) => textOf(`${DIGITS}abcdef`, length);
/** Times in the years 2024 to 2030, ms. */
const time = fc.integer({ min: 1_704_067_200_000, max: 1_924_991_999_999 });
/** Times on one day, from one o'clock, ms. */
const timeOfDay = fc.integer({ min: 1_768_525_200_000, max: 1_768_607_999_999 });
const stampOf = (ms: number) => new Date(ms).toISOString().replaceAll(/\D/g, "").slice(0, 14);

/** What is drawn for each attempt. Values that fast-check prefers or shrinks to, such as all zeros, are never drawn. */
const drawn = {
  "a UUID of version 4": fc.uuid({ version: 4 }),
  "a UUID of version 7": fc.uuid({ version: 7 }),
  "a UUID without hyphens": fc.uuid().map((uuid) => uuid.replaceAll("-", "")),
  "a ULID": fc.ulid(),
  // Next to another number, `7-…` would look like two orders.
  "a nanoid": textOf(`${DIGITS}${SMALL}${CAPITAL}_-`, 21).filter((text) => !/^\d+[_-]|[_-]\d+$/.test(text)),
  "a cuid": fc.tuple(time, textOf(SMALL + DIGITS, 16)).map(([ms, end]) => `c${ms.toString(36)}${end}`),
  "an ObjectId": fc.tuple(time, hexOf(16)).map(([ms, end]) => Math.floor(ms / 1_000).toString(16) + end),
  "a hash": hexOf(64),
  "Date.now()": time.map(String),
  "time() and a number": fc.tuple(time, fc.nat(999)).map(([ms, end]) => `${Math.floor(ms / 1_000)}-${end}`),
  "the time as digits": timeOfDay.map(stampOf),
  "the time in ISO 8601": timeOfDay.map((ms) => new Date(ms).toISOString()),
  "Math.random()": fc.double({ min: 0.1, max: 1, maxExcluded: true, noNaN: true }).map(String),
  "16 letters and digits": textOf(DIGITS + SMALL + CAPITAL, 16),
};

function twoOf(text: fc.Arbitrary<string>): readonly [fc.Arbitrary<string>, fc.Arbitrary<string>] {
  const random = fc.noShrink(fc.noBias(text));
  return [random, random];
}

/** How references mark two attempts, after the name of the order. */
const suffixes = [
  ["", "-retry"],
  ["", "-2"],
  ["", "_2"],
  ["", " (2)"],
  ["", "/2"],
  ["-1", "-2"],
  ["_1", "_2"],
  [":1", ":2"],
  ["-a", "-b"],
  ["-try1", "-try2"],
  ["-attempt-1", "-attempt-2"],
  ["-retry1", "-retry2"],
] as const;

/** How shops name an order. */
const names: Readonly<Record<string, (order: number) => string>> = {
  number: String,
  prefixed: (order) => `order-${order}`,
  "prefixed without a separator": (order) => `SO${order}`,
  padded: (order) => `CMD-${pad(order, 6)}`,
  "of a year": (order) => `INV/2026/${pad(order, 5)}`,
  "of a day": (order) => `20260115-${pad(order, 4)}`,
  "of a day, as one number": (order) => `20260115${pad(order, 6)}`,
  "with a day behind it": (order) => `order-${order}-2026-01-15`,
  "of ten digits": (order) => String(4_812_345_678 + order),
  "of nine digits": (order) => `SO-${100_200_300 + order}`,
  "a snowflake": (order) => String(1_234_567_890_123_456_789n + BigInt(order) * 4_194_304n),
  "between letters": (order) => `FR${pad(order, 4)}CI`,
  "behind letters and digits": (order) => `ORD2026A${order}`,
  "of 22 characters": (order) => `b2b-zone-3a-inv-${pad(order, 6)}`,
};

function pad(order: number, length: number): string {
  return String(order).padStart(length, "0");
}

/** Numbers that look like a year, so that `order-2026-2` is an order of that year, are left out. */
const number = fc.integer({ min: 100, max: 1_800 });
const name = fc.constantFrom(...Object.values(names));
const oneOrder = fc.oneof(
  fc.tuple(name, number).map(([of, order]) => of(order)),
  ...[drawn["a UUID of version 4"], drawn["a ULID"], drawn["an ObjectId"]].map((text) => fc.noBias(text)),
);
const twoOrders = fc
  .tuple(name, number, number)
  .filter(([, one, other]) => one !== other)
  .map(([of, one, other]) => [of(one), of(other)] as const);

type Pair = readonly [string, string];
type Client = (api: Api, pair: Pair) => Promise<unknown>;

/** Pays one order twice, under two references. */
const twice: Readonly<Record<string, Client>> = {
  "after a lost answer": async ({ live, pay, loseNext }, [one, other]) => {
    await loseNext(PAYOUTS);
    await pay(one);
    await pay(other);
    await live.advance("2s");
  },
  "after a 409": async ({ live, pay }, [one, other]) => {
    for (const reference of [one, one, other]) await pay(reference);
    await live.advance("2s");
  },
};

const atOnce: Client = async ({ live, pay, loseNext }, pair) => {
  await loseNext(PAYOUTS, { delay: "200ms" });
  await Promise.all(pair.map((reference) => pay(reference)));
  await live.advance("2s");
};

/** Pays two equal orders, each under its own reference. */
const each: Readonly<Record<string, Client>> = {
  "after a lost answer that was asked for again": async ({ live, pay, loseNext }, [one, other]) => {
    await loseNext(PAYOUTS);
    for (const reference of [one, one, other]) await pay(reference);
    await live.advance("2s");
  },
  "at once, one of which is lost": async ({ live, pay, loseNext }, pair) => {
    await loseNext(PAYOUTS);
    await Promise.all(pair.map(async (reference) => (await pay(reference)) ?? (await pay(reference))));
    await live.advance("2s");
  },
  "at once": atOnce,
};

async function startApi(): Promise<Api> {
  return createApi(await startLive());
}

/** The findings of payouts that this program causes in a new company whose webhooks are acknowledged. */
async function findingsOf(api: Api, client: Client, pair: Pair): Promise<readonly string[]> {
  await api.live.control("POST", "/reset");
  const { url } = await receiverOf(api.live);
  for (const topic of ["transactions/completed", "transactions/failed"]) await api.live.subscribe(topic, url);
  await client(api, pair);
  return (await kindsOf(api.live)).filter((kind) => KINDS.includes(kind));
}

const receivers = new WeakMap<Live, Promise<{ url: string }>>();

function receiverOf(live: Live): Promise<{ url: string }> {
  const started = receivers.get(live) ?? live.receiverFor("charges/events");
  receivers.set(live, started);
  return started;
}

/** The reference of each attempt is drawn: alone, behind a prefix, or beside the order. */
const wraps: readonly ((text: string, order: number) => string)[] = [
  (text) => text,
  (text) => `pay-${text}`,
  (text, order) => `order-${order}-${text}`,
  (text, order) => `${order}:${text}`,
];

describe("one order that is paid twice is reported", () => {
  it.each(Object.entries(drawn))("under %s for each attempt", async (_, text) => {
    const api = await startApi();
    const pair = fc
      .tuple(fc.constantFrom(...wraps), number, ...twoOf(text))
      .filter(([, , one, other]) => one !== other)
      .map(([wrap, order, one, other]): Pair => [wrap(one, order), wrap(other, order)]);
    const property = fc.asyncProperty(pair, async (references) => {
      for (const client of Object.values(twice))
        expect(await findingsOf(api, client, references)).toEqual(["double-payout"]);
      expect(await findingsOf(api, atOnce, references)).toEqual(["concurrent-payouts"]);
    });
    await fc.assert(property, { numRuns: 30 });
  });

  it.each(Object.entries(twice))("%s, when the references count attempts", async (_, client) => {
    const api = await startApi();
    const property = fc.asyncProperty(oneOrder, fc.constantFrom(...suffixes), async (order, [first, second]) => {
      expect(await findingsOf(api, client, [order + first, order + second])).toEqual(["double-payout"]);
    });
    await fc.assert(property, { numRuns: 200 });
  });
});

describe("two orders of one amount to one recipient are not reported", () => {
  it.each(Object.entries(each))("%s", async (_, client) => {
    const api = await startApi();
    const property = fc.asyncProperty(twoOrders, async (pair) => {
      expect(await findingsOf(api, client, pair)).toEqual([]);
    });
    await fc.assert(property, { numRuns: 150 });
  });

  it.each(["a UUID of version 4", "a ULID", "a nanoid", "16 letters and digits", "an ObjectId"] as const)(
    "under their numbers and %s",
    async (what) => {
      const api = await startApi();
      const property = fc.asyncProperty(twoOrders, ...twoOf(drawn[what]), async ([one, other], first, second) => {
        for (const client of Object.values(each))
          expect(await findingsOf(api, client, [`${one}-${first}`, `${other}-${second}`])).toEqual([]);
      });
      await fc.assert(property, { numRuns: 30 });
    },
  );
});
