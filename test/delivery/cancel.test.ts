import { describe, expect, it } from "vitest";
import { redeliverNow } from "../../src/sandbox/company/redeliver.js";
import { createFakeSystem } from "../support/fake-system.js";
import { createHeldStore } from "../support/held-store.js";
import { answerAfter, gate, type Live, startLive } from "../support/live.js";
import { startReceiver } from "../support/receiver.js";

async function pay(live: Live): Promise<string> {
  const { id } = await live.createCharge();
  await live.ok("POST", `/v1/charges/${id}/pay`);
  return id;
}

const redeliver = (live: Live, index = 0) => {
  const delivery = live.deliveries()[index];
  expect(delivery).toBeDefined();
  if (delivery !== undefined)
    redeliverNow(live.company, delivery, { after: (release) => release(), before: () => undefined });
};

describe("a delivery is cancelled when its subscription is deleted, which also stops retries", () => {
  it("is cancelled between two attempts", async () => {
    const live = await startLive();
    const receiver = await startReceiver({ status: 500 });
    const { id } = await live.subscribe("charges/events", receiver.url);
    await pay(live);
    await live.settle();
    expect((await live.http("DELETE", `/v1/webhooks/${id}`)).status).toBe(204);
    expect(live.deliveries()[0]).toMatchObject({
      status: "cancelled",
      nextAttemptAt: null,
      attempts: [{ status: 500 }],
    });
    const { fired } = await live.advance("30d");
    expect(fired).toEqual([]);
    expect(receiver.received).toHaveLength(1);
  });

  it.each([
    ["fails", { status: 500 }],
    ["succeeds", { status: 200 }],
  ])("while an attempt is in flight that then %s: the attempt is kept, and no other is made", async (_, reply) => {
    const live = await startLive();
    const hold = gate();
    const receiver = await startReceiver(answerAfter(hold, reply));
    const { id } = await live.subscribe("charges/events", receiver.url);
    await pay(live);
    await receiver.waitFor(1);
    await live.http("DELETE", `/v1/webhooks/${id}`);
    expect(live.deliveries()[0]).toMatchObject({ status: "cancelled", attempts: [] });
    hold.open();
    await live.settle();
    expect(live.deliveries()[0]).toMatchObject({ status: "cancelled", nextAttemptAt: null, attempts: [reply] });
    await live.advance("1d");
    expect(receiver.received).toHaveLength(1);
  });

  it("is never sent when it waited for its turn, and the next one is", async () => {
    const live = await startLive();
    const hold = gate();
    const receiver = await startReceiver(async (_, index) => {
      if (index === 0) await hold.opened;
      return {};
    });
    const gone = await live.subscribe("charges/events", `${receiver.origin}/gone`);
    const charge = await pay(live);
    await receiver.waitFor(1);
    await live.ok("POST", `/v1/charges/${charge}/refund`, { amount: 1 });
    await live.subscribe("charge/events", `${receiver.origin}/stays`);
    await live.ok("POST", `/v1/charges/${charge}/refund`);
    await live.http("DELETE", `/v1/webhooks/${gone.id}`);
    hold.open();
    await live.settle();
    expect(receiver.received.map(({ path, body }) => [path, body.data.status])).toEqual([
      ["/gone", "paid"],
      ["/stays", "refunded"],
    ]);
    expect(live.deliveries().map(({ status }) => status)).toEqual(["cancelled", "cancelled", "cancelled", "succeeded"]);
  });

  it("is never sent when it was held until an answer is written", async () => {
    const store = createHeldStore();
    const live = await startLive({ store });
    const receiver = await startReceiver();
    const { id } = await live.subscribe("charges/events", receiver.url);
    const charge = await live.createCharge();
    const letGo = store.hold();
    const paid = live.http("POST", `/v1/charges/${charge.id}/pay`);
    await store.held(1);
    const deleted = live.http("DELETE", `/v1/webhooks/${id}`);
    await store.held(2);
    letGo(1);
    letGo(0);
    await Promise.all([paid, deleted]);
    expect(await live.settle()).toEqual([]);
    expect(receiver.received).toEqual([]);
    expect(live.deliveries()[0]?.status).toBe("cancelled");
  });

  it("is cancelled with many others", async () => {
    const live = await startLive({ balance: 1e11 });
    const receiver = await startReceiver("hang");
    const { id } = await live.subscribe("transactions/started", receiver.url);
    const transactions = Array.from({ length: 500 }, (_, n) => ({
      amount: 5_000,
      msisdn: "0700000001",
      reference: `r${n}`,
    }));
    await live.ok("POST", "/v1/transactions/batch", { transactions });
    await receiver.waitFor(64);
    await live.http("DELETE", `/v1/webhooks/${id}`);
    await receiver.close();
    expect(await live.settle()).toEqual([]);
    expect(live.deliveries().every(({ status }) => status === "cancelled")).toBe(true);
    expect(receiver.received).toHaveLength(64);
  });

  it("does not affect other subscriptions of the same receiver", async () => {
    const live = await startLive();
    const receiver = await startReceiver((_, index) => ({ status: index < 2 ? 500 : 200 }));
    const { id } = await live.subscribe("charges/events", receiver.url);
    await live.subscribe("charges/events", receiver.url);
    await pay(live);
    await live.settle();
    await live.http("DELETE", `/v1/webhooks/${id}`);
    await live.advance("1h");
    expect(live.deliveries().map(({ status }) => status)).toEqual(["cancelled", "succeeded"]);
  });

  it("is reported as a change", async () => {
    const live = await startLive();
    const receiver = await startReceiver({ status: 500 });
    const { id } = await live.subscribe("charges/events", receiver.url);
    await pay(live);
    await live.settle();
    const { events, world } = live.company;
    const changed = events.waitFor("changed", ({ changes }) => changes.some(({ store }) => store === world.deliveries));
    await live.http("DELETE", `/v1/webhooks/${id}`);
    expect(await changed).toBe(true);
  });
});

describe("redeliver makes one more attempt now", () => {
  it("for a delivery that succeeded", async () => {
    const live = await startLive();
    const receiver = await live.receiverFor("charges/events");
    await pay(live);
    await live.settle();
    redeliver(live);
    await live.settle();
    expect(live.deliveries()).toMatchObject([{ status: "succeeded", attempts: [{ status: 200 }, { status: 200 }] }]);
    expect(receiver.received[1]?.raw.equals(receiver.received[0]?.raw ?? Buffer.alloc(0))).toBe(true);
  });

  it("for an exhausted one: a success makes it succeeded, after a failure it stays exhausted", async () => {
    const live = await startLive({ profile: { webhooks: { retry: ["1s"] } } });
    const receiver = await live.receiverFor("charges/events", { status: 500 });
    await pay(live);
    await live.advance("1m");
    expect(live.deliveries()[0]?.status).toBe("exhausted");
    redeliver(live);
    await live.settle();
    expect(live.deliveries()[0]).toMatchObject({ status: "exhausted", nextAttemptAt: null });
    receiver.reply({});
    redeliver(live);
    await live.settle();
    expect(live.deliveries()[0]?.status).toBe("succeeded");
    expect(receiver.received).toHaveLength(4);
  });

  it("for a cancelled one, without retries because its subscription is gone", async () => {
    const live = await startLive();
    const receiver = await startReceiver({ status: 500 });
    const { id } = await live.subscribe("charges/events", receiver.url);
    await pay(live);
    await live.settle();
    await live.http("DELETE", `/v1/webhooks/${id}`);
    redeliver(live);
    expect((await live.advance("1d")).fired).toEqual([]);
    expect(live.deliveries()[0]).toMatchObject({ status: "exhausted", nextAttemptAt: null });
    expect(receiver.received).toHaveLength(2);
    receiver.reply({});
    redeliver(live);
    await live.settle();
    expect(live.deliveries()[0]?.status).toBe("succeeded");
  });

  it("for a planned one, instead of the planned attempt", async () => {
    const live = await startLive();
    const receiver = await live.receiverFor("charges/events", { status: 500 });
    await pay(live);
    await live.settle();
    const at = live.company.now();
    redeliver(live);
    await live.settle();
    expect(live.deliveries()[0]).toMatchObject({ attempts: [{ at }, { at }], nextAttemptAt: at + 60_000 });
    await live.advance("59.999s");
    expect(receiver.received).toHaveLength(2);
    await live.advance("1d");
    expect(receiver.received).toHaveLength(6);
  });

  it("but not while an attempt is in flight, even one that begins at this instant", async () => {
    const system = createFakeSystem();
    const live = await startLive({ system, clock: "running" });
    const receiver = await live.receiverFor("charges/events", (_, index) => (index === 0 ? { status: 500 } : "hang"));
    await pay(live);
    await live.settle();
    system.pass(10_000, "late");
    expect(() => redeliver(live)).toThrow("in flight");
    await receiver.waitFor(2);
    expect(() => redeliver(live)).toThrow("in flight");
    expect(live.company.dispatcher.outstanding).toHaveLength(1);
  });

  it("without waiting for the events of its lane", async () => {
    const live = await startLive();
    const hold = gate();
    const receiver = await live.receiverFor("charges/events", async (_, index) => {
      if (index === 1) await hold.opened;
      return {};
    });
    const id = await pay(live);
    await live.settle();
    await live.ok("POST", `/v1/charges/${id}/refund`, { amount: 1 });
    await receiver.waitFor(2);
    redeliver(live);
    await receiver.waitFor(3);
    expect(receiver.received.map(({ body }) => body.data.status)).toEqual(["paid", "refunded_partially", "paid"]);
    hold.open();
    await live.settle();
  });
});
