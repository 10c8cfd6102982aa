import { describe, expect, it } from "vitest";
import { CONCURRENT_ATTEMPTS_PER_RECEIVER } from "../../src/sandbox/company/dispatcher.js";
import { createHeldStore } from "../support/held-store.js";
import { gate, type Gate, type Live, startLive } from "../support/live.js";
import { type Receiver, type Reply, startReceiver } from "../support/receiver.js";

/** A receiver that answers each request when the test calls for it. */
async function startHolding(reply: (index: number) => Reply = () => ({})) {
  const gates: Gate[] = [];
  const gateOf = (index: number) => (gates[index] ??= gate());
  const receiver = await startReceiver(async (_, index) => {
    await gateOf(index).opened;
    return reply(index);
  });
  return { receiver, release: (index: number) => gateOf(index).open() };
}

/** Waits until everything that could be sent has been sent. */
async function turns(live: Live): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await live.http("GET", "/v1/balance");
}

const statuses = (receiver: Receiver): string[] => receiver.received.map(({ body }) => body.data.status);

describe("a resource's next event goes to the same receiver only once the previous event's first attempt has ended", () => {
  it("for all subscriptions", async () => {
    const live = await startLive();
    const { receiver, release } = await startHolding();
    await live.subscribe("charges/events", `${receiver.origin}/one`);
    await live.subscribe("charge/events", `${receiver.origin}/two`);
    const { id } = await live.createCharge();
    await live.ok("POST", `/v1/charges/${id}/pay`);
    await live.ok("POST", `/v1/charges/${id}/refund`, { amount: 1 });
    await live.ok("POST", `/v1/charges/${id}/refund`);
    await receiver.waitFor(2);
    await turns(live);
    expect(statuses(receiver)).toEqual(["paid", "paid"]);
    release(0);
    await turns(live);
    expect(receiver.received).toHaveLength(2);
    release(1);
    await receiver.waitFor(4);
    expect(statuses(receiver).slice(2)).toEqual(["refunded_partially", "refunded_partially"]);
    for (const index of [2, 3, 4, 5]) release(index);
    await live.settle();
    expect(statuses(receiver).slice(4)).toEqual(["refunded", "refunded"]);
  });

  it("for all topics: started, then completed", async () => {
    const live = await startLive({ profile: { transfers: { settlement: "immediate" } } });
    const { receiver, release } = await startHolding();
    for (const topic of ["transactions/completed", "transactions/started"]) await live.subscribe(topic, receiver.url);
    await live.createTransfer();
    await receiver.waitFor(1);
    await turns(live);
    expect(receiver.received.map(({ body }) => body.topic)).toEqual(["transactions/started"]);
    release(0);
    await receiver.waitFor(2);
    expect(receiver.received[1]?.body.topic).toBe("transactions/completed");
    release(1);
  });

  it("even after a failed first attempt, whose retries delay nothing", async () => {
    const live = await startLive();
    const { receiver, release } = await startHolding((index) => (index === 0 ? { status: 500 } : {}));
    await live.subscribe("charges/events", receiver.url);
    const { id } = await live.createCharge();
    await live.ok("POST", `/v1/charges/${id}/pay`);
    await receiver.waitFor(1);
    await live.ok("POST", `/v1/charges/${id}/refund`);
    release(0);
    await receiver.waitFor(2);
    release(1);
    const advanced = live.advance("10s");
    await receiver.waitFor(3);
    await live.http("GET", "/v1/balance");
    expect(statuses(receiver)).toEqual(["paid", "refunded", "paid"]);
    release(2);
    await advanced;
  });

  it("without waiting for a retry in flight", async () => {
    const live = await startLive();
    const { receiver, release } = await startHolding((index) => (index === 0 ? { status: 500 } : {}));
    await live.subscribe("charges/events", receiver.url);
    const { id } = await live.createCharge();
    await live.ok("POST", `/v1/charges/${id}/pay`);
    release(0);
    await live.settle();
    const advanced = live.advance("10s");
    await receiver.waitFor(2);
    await live.ok("POST", `/v1/charges/${id}/refund`);
    await receiver.waitFor(3);
    expect(statuses(receiver)).toEqual(["paid", "paid", "refunded"]);
    release(1);
    release(2);
    await advanced;
  });

  it("even when the answers are written in another order", async () => {
    const store = createHeldStore();
    const live = await startLive({ store });
    const receiver = await live.receiverFor("charges/events");
    const { id } = await live.createCharge();
    const letGo = store.hold();
    const paid = live.http("POST", `/v1/charges/${id}/pay`);
    await store.held(1);
    const refunded = live.http("POST", `/v1/charges/${id}/refund`);
    await store.held(2);
    letGo(1);
    expect((await refunded).status).toBe(200);
    await turns(live);
    expect(receiver.received).toEqual([]);
    letGo(0);
    await paid;
    await live.settle();
    expect(statuses(receiver)).toEqual(["paid", "refunded"]);
  });

  it("even when the next event comes from a timer before the answer to the first is written", async () => {
    const store = createHeldStore();
    const live = await startLive({ store, profile: { transfers: { settlement: { after: 0 } } } });
    const receiver = await startReceiver();
    for (const topic of ["transactions/started", "transactions/completed"]) await live.subscribe(topic, receiver.url);
    const letGo = store.hold();
    const created = live.http("POST", "/v1/transactions", {
      amount: 5_000,
      msisdn: "0700000001",
      reference: "r",
      type: "transfer",
    });
    await store.held(1);
    await live.until(() => live.events().at(-1)?.type === "transaction.completed");
    // The work of the timer is stored before the request is answered.
    await store.held(2);
    letGo(1);
    letGo(0);
    await created;
    await live.settle();
    expect(receiver.received.map(({ body }) => body.topic)).toEqual(["transactions/started", "transactions/completed"]);
  });

  it("and to another receiver immediately", async () => {
    const live = await startLive();
    const { receiver: stuck, release } = await startHolding();
    const other = await startReceiver();
    await live.subscribe("charges/events", stuck.url);
    await live.subscribe("charges/events", other.url);
    const { id } = await live.createCharge();
    await live.ok("POST", `/v1/charges/${id}/pay`);
    await live.ok("POST", `/v1/charges/${id}/refund`);
    await other.waitFor(2);
    expect(statuses(other)).toEqual(["paid", "refunded"]);
    expect(statuses(stuck)).toEqual(["paid"]);
    release(0);
    release(1);
  });
});

describe("different resources go out concurrently, bounded per receiver, keep-alive", () => {
  it("no resource waits for the answer to another", async () => {
    const live = await startLive();
    const { receiver, release } = await startHolding();
    await live.subscribe("charges/events", receiver.url);
    for (let n = 0; n < 20; n++) await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await receiver.waitFor(20);
    expect(live.deliveries().every(({ status }) => status === "pending")).toBe(true);
    for (let n = 19; n >= 0; n--) release(n);
    expect(await live.settle()).toEqual([]);
  });

  it("at most 64 at a time to one receiver; another receiver does not wait", async () => {
    const live = await startLive();
    const { receiver, release } = await startHolding();
    const other = await startReceiver();
    const charges = CONCURRENT_ATTEMPTS_PER_RECEIVER + 40;
    await live.subscribe("charges/events", receiver.url);
    await live.subscribe("charges/events", other.url);
    for (let n = 0; n < charges; n++) await live.createCharge();
    const advanced = live.advance("1h");
    await receiver.waitFor(CONCURRENT_ATTEMPTS_PER_RECEIVER);
    await other.waitFor(charges);
    await turns(live);
    expect(receiver.received).toHaveLength(CONCURRENT_ATTEMPTS_PER_RECEIVER);
    release(3);
    await receiver.waitFor(CONCURRENT_ATTEMPTS_PER_RECEIVER + 1);
    for (let n = 0; n < charges; n++) release(n);
    expect((await advanced).deliveries.succeeded).toBe(2 * charges);
    expect(receiver.mostConnections).toBeLessThanOrEqual(CONCURRENT_ATTEMPTS_PER_RECEIVER);
  });

  it("one company never waits for another's attempts, even to the same hanging receiver", async () => {
    const live = await startLive({ autoProvision: true });
    const { receiver, release } = await startHolding();
    await live.subscribe("charges/events", receiver.url);
    for (let n = 0; n < CONCURRENT_ATTEMPTS_PER_RECEIVER; n++) {
      await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    }
    await receiver.waitFor(CONCURRENT_ATTEMPTS_PER_RECEIVER);
    const other = { authorization: "Bearer at_other", "x-company-id": null };
    await live.http("POST", "/v1/webhooks", { topic: "transactions/started", url: receiver.url }, other);
    const order = { amount: 5_000, msisdn: "0700000001", reference: "r", type: "transfer" };
    expect((await live.http("POST", "/v1/transactions", order, other)).status).toBe(201);
    await receiver.waitFor(CONCURRENT_ATTEMPTS_PER_RECEIVER + 1);
    for (let n = 0; n <= CONCURRENT_ATTEMPTS_PER_RECEIVER; n++) release(n);
  });

  it("a connection is reused", async () => {
    const live = await startLive();
    const receiver = await live.receiverFor("charges/events");
    for (let n = 0; n < 10; n++) {
      await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
      await live.settle();
    }
    expect(receiver.received).toHaveLength(10);
    expect(receiver.connectionsMade).toBe(1);
  });
});
