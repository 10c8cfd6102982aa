import { expect, it } from "vitest";
import { fromXof } from "../../src/domain/values/money.js";
import { payCharge } from "../../src/domain/charges/pay-charge.js";
import { setBalance } from "../../src/domain/accounts/set-balance.js";
import type { Exchange } from "../../src/sandbox/company/exchange.js";
import { Journal } from "../../src/sandbox/observation/journal.js";
import { longestStop } from "../support/loop-stops.js";
import { type Live, startLive } from "../support/live.js";
import { startReceiver } from "../support/receiver.js";
import { transferRequest } from "../support/requests.js";
import {
  CHANGES_SHOWN,
  ITEMS_READ_MAX,
  type TimelineItem,
  readTimeline,
  wantedItems,
} from "../../src/http/pages/dashboard/payments/timeline.js";

function timeline(live: Live, limit = 50, before?: string) {
  const company = live.sandbox.defaultCompany;
  const { entries } = live.sandbox.observationOf(company.id).journal;
  const page = readTimeline(company, entries, { limit, before });
  return { ...page, lines: page.items.map(describe) };
}

/** `POST 201 [charge.created (pending)]` */
function describe(item: TimelineItem): string {
  const changes = item.changes.map(({ event, deliveries }) =>
    deliveries.length === 0 ? event.type : `${event.type} (${deliveries.map(({ status }) => status).join()})`,
  );
  return [item.entry?.method, item.entry?.status, ...changes].filter((part) => part !== undefined).join(" ");
}

it("shows each request with its effects, each change with its deliveries, and due work in between", async () => {
  const receiver = await startReceiver();
  const live = await startLive();
  await live.subscribe("charges/events", receiver.url);
  const { id } = await live.createCharge();
  await live.http("GET", `/v1/charges/${id}`);
  await live.advance("1h");
  await live.http("POST", `/v1/charges/${id}/pay`);
  await live.settle();
  expect(timeline(live).lines).toEqual([
    "POST 422",
    "charge.dropped (succeeded)",
    "GET 200",
    "POST 201 charge.created",
    "POST 201 subscription.created",
  ]);
});

it("puts a refused request at the company's time at which it was made", async () => {
  const live = await startLive();
  await live.createCharge();
  await live.http("POST", "/v1/charges", { amount: -1 });
  await live.advance("1h");
  expect(timeline(live).lines).toEqual(["charge.dropped", "POST 400", "POST 201 charge.created"]);
});

it("continues where a page ended: no item is repeated or left out", async () => {
  const live = await startLive();
  for (let n = 0; n < 5; n++) {
    const { id } = await live.createCharge();
    await live.http("POST", `/v1/charges/${id}/refund`);
    await live.control("POST", `/charges/${id}/pay`);
    await live.http("GET", `/v1/charges/${id}`);
  }
  const whole = timeline(live).lines;
  expect(whole).toHaveLength(20);
  for (const limit of [1, 3, 7]) {
    const lines: string[] = [];
    let before: string | undefined;
    do {
      const page = timeline(live, limit, before);
      expect(page.lines.length).toBeLessThanOrEqual(limit);
      lines.push(...page.lines);
      before = page.older;
    } while (before !== undefined);
    expect(lines).toEqual(whole);
  }
});

it("shows the first transfers of a large batch, and says that there are more", async () => {
  const live = await startLive();
  const transactions = Array.from({ length: 200 }, () => transferRequest({ type: undefined }));
  await live.ok("POST", "/v1/transactions/batch", { transactions });
  const [item] = timeline(live).items;
  expect(item?.isCut).toBe(true);
  expect(item?.changes).toHaveLength(CHANGES_SHOWN);
  expect(timeline(live).lines).toHaveLength(1);
});

it("gives each request its own changes, also when a later one was answered first", async () => {
  const live = await startLive();
  const exchanges: Exchange[] = [];
  live.sandbox.events.on("exchange", ({ exchange }) => exchanges.push(exchange));
  await live.createCharge({ externalId: "first" });
  await live.createCharge({ externalId: "second" });
  const overtaken = new Journal(10);
  for (const exchange of exchanges.toReversed()) overtaken.record(exchange);
  const { items } = readTimeline(live.company, overtaken.entries, { limit: 10 });
  expect(items.map(describe)).toEqual(["POST 201 charge.created", "POST 201 charge.created"]);
  const [newest] = items;
  expect(newest?.entry?.body).toMatchObject({ externalId: "second" });
});

it("separates requests from before a restored state from later events", async () => {
  const live = await startLive();
  await live.control("POST", "/snapshots/empty");
  await live.createCharge();
  await live.createCharge();
  await live.control("PUT", "/snapshots/empty");
  expect(timeline(live).lines).toEqual(["POST 201", "POST 201"]);
  await live.control("PUT", "/balance", { balance: 5 });
  expect(timeline(live).lines.toSorted()).toEqual(["POST 201", "POST 201", "balance.adjusted"]);
});

it("shows nothing that a later request made below one from before a restored state", async () => {
  const live = await startLive();
  await live.createCharge({ externalId: "kept" });
  await live.control("POST", "/snapshots/one");
  await live.createCharge({ externalId: "undone" });
  await live.control("PUT", "/snapshots/one");
  await live.createCharge({ externalId: "later" });
  await live.createCharge({ externalId: "last" });
  const shown = timeline(live).items.map((item) => [item.entry?.body, describe(item)]);
  expect(shown).toEqual([
    [expect.objectContaining({ externalId: "last" }), "POST 201 charge.created"],
    [expect.objectContaining({ externalId: "later" }), "POST 201 charge.created"],
    [expect.objectContaining({ externalId: "undone" }), "POST 201"],
    [expect.objectContaining({ externalId: "kept" }), "POST 201 charge.created"],
  ]);
});

it("searches a limited number of items for one page, and continues on the next", async () => {
  const live = await startLive();
  await live.createCharge();
  for (let n = 1; n <= ITEMS_READ_MAX; n++) live.company.run(setBalance, fromXof(n));
  const { entries } = live.sandbox.observationOf(live.company.id).journal;
  const isWanted = (item: TimelineItem): boolean => item.entry !== undefined;
  const page = readTimeline(live.company, entries, { limit: 5, isWanted });
  expect(page).toMatchObject({ items: [], isCut: true });
  expect(readTimeline(live.company, entries, { limit: 5, isWanted, before: page.older }).items.map(describe)).toEqual([
    "POST 201 charge.created",
  ]);
});

it("reads the newest attempt of each change, and finds each where it was made", async () => {
  const live = await startLive();
  const { id } = await live.createCharge();
  const msisdn = live.company.profile.testNumbers.failure;
  for (let n = 0; n < 600; n++) live.company.run(payCharge, { chargeId: id, msisdn });
  const { entries } = live.sandbox.observationOf(live.company.id).journal;
  const search = (q: string) =>
    readTimeline(live.company, entries, { limit: 5, isWanted: wantedItems({ q }, live.company.world) }).items;
  const stopMs = await longestStop(async () => expect(search("nowhere")).toEqual([]));
  expect(stopMs).toBeLessThan(250);
  const [, second] = live.company.world.charges.get(id)?.entries ?? [];
  expect(search(second?.id ?? "")).toHaveLength(1);
});

it("accepts only its own cursors", async () => {
  const live = await startLive();
  await live.createCharge();
  for (const text of ["", "12", "12-", "-3", "12-3-4", "1e3-1", "9999999999999999-1"])
    expect(timeline(live, 50, text).lines).toEqual(["POST 201 charge.created"]);
});

it("takes no time for each webhook of a request, which may have thousands", async () => {
  const live = await startLive();
  const exchanges: Exchange[] = [];
  live.sandbox.events.on("exchange", ({ exchange }) => exchanges.push(exchange));
  await live.createCharge();
  const [exchange] = exchanges;
  const { record } = live.company;
  const journal = new Journal(100);
  for (let n = 0; n < 20; n++) {
    const from = record.seq;
    record.seq += 1_000_000;
    journal.record({ ...exchange!, made: { from, to: record.seq } });
  }
  const stopMs = await longestStop(async () => readTimeline(live.company, journal.entries, { limit: 50 }));
  expect(stopMs).toBeLessThan(200);
});
