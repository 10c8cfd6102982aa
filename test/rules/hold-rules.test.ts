import { describe, expect, it } from "vitest";
import { IMMEDIATE, isSigned, payCharge, sentTo, withRule } from "../support/delivery-rules.js";
import type { Live } from "../support/live.js";
import type { Receiver } from "../support/receiver.js";
import type { LooseJson } from "../support/world.js";

const ordersOf = (receiver: Receiver): string[] => receiver.received.map(({ body }) => body.data.externalId);

async function payOrders(live: Live, ...orders: string[]): Promise<void> {
  for (const externalId of orders) {
    const { id } = await live.createCharge({ externalId });
    await live.ok("POST", `/v1/charges/${id}/pay`);
    await live.settle();
  }
}

describe("hold: next", () => {
  it("holds a webhook until the next event of its resource, and sends it after that", async () => {
    const { live, receiver } = await withRule({ hold: "next" }, { match: { data: { status: "paid" } }, times: 1 });
    const id = await payCharge(live);
    await payCharge(live);
    await live.settle();
    expect(live.deliveries()).toMatchObject([{ status: "pending", nextAttemptAt: null }, { status: "succeeded" }]);
    await live.ok("POST", `/v1/charges/${id}/refund`, { amount: 1_000 });
    await live.settle();
    expect(sentTo(receiver)).toEqual(["paid", "refunded_partially", "paid"]);
    expect((await live.control("GET", "/rules")).body.data).toEqual([]);
  });

  it("even when both events come at once", async () => {
    const { live, receiver } = await withRule(
      { hold: "next" },
      { ...IMMEDIATE, match: { topic: "transactions/started" } },
    );
    await live.createTransfer();
    await live.settle();
    expect(sentTo(receiver)).toEqual(["completed", "started"]);
  });

  it("of every webhook sends each one after the one behind it", async () => {
    const { live, receiver, ruleId } = await withRule({ hold: "next" });
    const id = await payCharge(live);
    for (const amount of [1_000, 2_000]) await live.ok("POST", `/v1/charges/${id}/refund`, { amount });
    await live.settle();
    expect(sentTo(receiver)).toEqual(["paid", "refunded_partially"]);
    await live.control("DELETE", `/rules/${ruleId}`);
    await live.settle();
    expect(receiver.received.map(({ body }) => body.data.refunded)).toEqual([0, 1_000, 3_000]);
  });
});

describe("hold: a number", () => {
  it("holds a webhook until this many later ones were sent", async () => {
    const { live, receiver } = await withRule({ hold: 2 }, { times: 1 });
    await payOrders(live, "a", "b");
    expect(ordersOf(receiver)).toEqual(["b"]);
    await payOrders(live, "c", "d");
    expect(ordersOf(receiver)).toEqual(["b", "c", "a", "d"]);
  });

  it("with duplicate sends the first at once, and holds the copies", async () => {
    const { live, receiver } = await withRule({ duplicate: 1, hold: 1 }, { times: 1 });
    await payOrders(live, "a", "b", "c");
    expect(ordersOf(receiver)).toEqual(["a", "b", "a", "c"]);
    expect(receiver.received.every(isSigned)).toBe(true);
  });

  it("is kept with the state", async () => {
    const { live, receiver } = await withRule({ hold: 2 }, { times: 1 });
    await payOrders(live, "a", "b");
    const { text, body: state } = await live.control("GET", "/state");
    await live.control("POST", "/reset");
    await live.control("PUT", "/state", state);
    expect((await live.control("GET", "/state")).text).toBe(text);
    await payOrders(live, "c");
    expect(ordersOf(receiver)).toEqual(["b", "c", "a"]);
  });
});

describe("hold: end", () => {
  it("holds a webhook until the rule is removed", async () => {
    const { live, receiver } = await withRule({ duplicate: 1, hold: "end" }, { times: 1 });
    await payOrders(live, "a", "b", "c");
    await live.advance("1d");
    expect(ordersOf(receiver)).toEqual(["a", "b", "c"]);
    await live.control("DELETE", "/rules");
    await live.settle();
    expect(ordersOf(receiver)).toEqual(["a", "b", "c", "a"]);
  });

  it("sends once what is sent by hand", async () => {
    const { live, receiver } = await withRule({ hold: "end" }, { times: 1 });
    await payOrders(live, "a");
    await live.control("POST", `/deliveries/${live.deliveries()[0]?.id}/redeliver`);
    await live.settle();
    await live.control("DELETE", "/rules");
    await live.settle();
    expect(ordersOf(receiver)).toEqual(["a"]);
  });

  it("sends nothing to a deleted subscription", async () => {
    const { live, receiver } = await withRule({ hold: "end" });
    await payOrders(live, "a");
    const { data } = await live.ok("GET", "/v1/webhooks");
    for (const { id } of data) await live.http("DELETE", `/v1/webhooks/${id}`);
    await live.control("DELETE", "/rules");
    await live.settle();
    expect(receiver.received).toEqual([]);
    expect(live.deliveries()).toMatchObject([{ status: "cancelled" }]);
  });
});

describe("corruptSignature: first", () => {
  it("forges the first copy, and then sends a genuine one", async () => {
    const { live, receiver } = await withRule({ duplicate: 1, corruptSignature: "first" });
    receiver.reply((request) => ({ status: isSigned(request) ? 200 : 401 }));
    await payCharge(live);
    await live.settle();
    expect(receiver.received.map(isSigned)).toEqual([false, true]);
    expect(new Set(receiver.received.map(({ raw }) => raw.toString())).size).toBe(1);
  });
});

describe("attempts", () => {
  it("damages the body and the signature in the first attempts only", async () => {
    const { live, receiver } = await withRule({ truncate: 10, corruptSignature: true, attempts: 2 });
    receiver.reply((request) => ({ status: isSigned(request) ? 200 : 401 }));
    await payCharge(live);
    await live.settle();
    await live.advance("1h");
    expect(receiver.received.map(({ raw }) => raw.length > 10)).toEqual([false, false, true]);
    expect(receiver.received.map(isSigned)).toEqual([false, false, true]);
    expect(live.deliveries()).toMatchObject([{ status: "succeeded" }]);
  });

  it("shows what each attempt sent, and reports when a forged webhook was acknowledged, not a genuine one", async () => {
    const { live, receiver } = await withRule({ truncate: 10, attempts: 1 });
    receiver.reply((request) => ({ status: isSigned(request) ? 200 : 401 }));
    await payCharge(live);
    await live.settle();
    await live.advance("1h");
    const [delivery] = (await live.control("GET", "/deliveries")).body.data;
    expect(delivery.attempts.map(({ request }: LooseJson) => request.body.length > 10)).toEqual([false, true]);
    expect((await live.control("GET", "/findings")).text).not.toContain("forged-webhook-acknowledged");
  });

  it("needs something to damage", async () => {
    const { live } = await withRule({ drop: true });
    const rule = { on: "delivery", then: { loseAnswers: 1, attempts: 1 } };
    const { status, text } = await live.control("POST", "/rules", rule);
    expect(status).toBe(400);
    expect(text).toContain("needs truncate or corruptSignature");
  });
});

describe("loseAnswers", () => {
  it("loses the receiver's first answers, so that retries come", async () => {
    const { live, receiver } = await withRule({ loseAnswers: 2 });
    await payCharge(live);
    await live.settle();
    const [delivery] = live.deliveries();
    expect(delivery).toMatchObject({ status: "pending" });
    expect(delivery?.attempts).toMatchObject([
      { status: null, response: null, error: "A rule of the sandbox lost the answer" },
    ]);
    await live.advance("1h");
    expect(sentTo(receiver)).toEqual(["paid", "paid", "paid"]);
    expect(live.deliveries()).toMatchObject([{ status: "succeeded" }]);
  });

  it("does not hide another failure", async () => {
    const { live, receiver } = await withRule({ loseAnswers: 1 }, { profile: { webhooks: { retry: "none" } } });
    receiver.reply({ status: 500 });
    await payCharge(live);
    await live.settle();
    expect(live.deliveries()[0]?.attempts).toMatchObject([{ status: 500 }]);
  });
});

describe("conflicting members", () => {
  it.each([
    [{ hold: "next", delay: "5s" }, [expect.stringContaining("then.delay does not go with hold")]],
    [{ hold: "soon" }, [expect.stringContaining("then.hold must be next, end or a whole number from 1")]],
    [{ corruptSignature: "first" }, [expect.stringContaining("then.corruptSignature first needs duplicate")]],
  ])("%j", async (then, message) => {
    const { live } = await withRule({ drop: true });
    const { status, body } = await live.control("POST", "/rules", { on: "delivery", then });
    expect([status, body.message]).toEqual([400, message]);
  });

  it("reverse and nth", async () => {
    const { live } = await withRule({ drop: true });
    const rule = { on: "delivery", match: { nth: 1 }, then: { reverse: true } };
    const { body } = await live.control("POST", "/rules", rule);
    expect(body.message).toEqual([expect.stringContaining("match.nth does not go with reverse")]);
  });
});
