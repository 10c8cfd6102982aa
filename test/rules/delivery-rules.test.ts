import { describe, expect, it } from "vitest";
import { serve } from "../../src/http/server/listen.js";
import { verifySignature } from "../../src/webhooks.js";
import { DEFAULT_COMPANY } from "../../src/sandbox/config/options.js";
import { IMMEDIATE, isSigned, payCharge, sentTo, withRule } from "../support/delivery-rules.js";
import { openDoor, untilTrue } from "../support/doors.js";
import { gate } from "../support/live.js";
import { startReceiver } from "../support/receiver.js";
import { transferRequest } from "../support/requests.js";

describe("drop", () => {
  it("sends nothing, and the delivery is failed without an attempt", async () => {
    const { live, receiver } = await withRule({ drop: true });
    await payCharge(live);
    await live.advance("1d");
    expect(receiver.received).toEqual([]);
    const { body } = await live.control("GET", "/deliveries");
    expect(body.data).toMatchObject([{ status: "failed", nextAttemptAt: null, attempts: [] }]);
  });

  it("leaves a delivery that can be sent by hand", async () => {
    const { live, receiver } = await withRule({ drop: true });
    await payCharge(live);
    const [delivery] = live.deliveries();
    await live.control("POST", `/deliveries/${delivery?.id}/redeliver`);
    await live.settle();
    expect(sentTo(receiver)).toEqual(["paid"]);
    expect(live.deliveries()).toMatchObject([{ status: "succeeded" }]);
  });
});

describe("delay", () => {
  it("is on the company's clock, and does not delay other deliveries", async () => {
    const { live, receiver } = await withRule({ delay: "1h" }, { match: { data: { status: "paid" } } });
    const id = await payCharge(live);
    await live.ok("POST", `/v1/charges/${id}/refund`);
    await live.settle();
    expect(sentTo(receiver)).toEqual(["refunded"]);
    await live.advance("59m59s");
    expect(sentTo(receiver)).toEqual(["refunded"]);
    const { fired } = await live.advance("1s");
    expect(fired.map(({ kind }) => kind)).toContain("delivery.attempt");
    expect(sentTo(receiver)).toEqual(["refunded", "paid"]);
    expect(live.deliveries().map(({ status }) => status)).toEqual(["succeeded", "succeeded"]);
  });
});

describe("duplicate", () => {
  it("sends n more copies, one after another, with the same bytes", async () => {
    const opened = gate();
    const { live, receiver } = await withRule({ duplicate: 2 });
    receiver.reply(async (_, index) => {
      if (index === 0) await opened.opened;
      return {};
    });
    await payCharge(live);
    await receiver.waitFor(1);
    for (let turn = 0; turn < 5; turn++) await live.http("GET", "/v1/balance");
    expect(receiver.received).toHaveLength(1);
    opened.open();
    await live.settle();
    expect(sentTo(receiver)).toEqual(["paid", "paid", "paid"]);
    expect(new Set(receiver.received.map(({ raw }) => raw.toString())).size).toBe(1);
    expect(receiver.received.every(isSigned)).toBe(true);
    const ids = live.deliveries().map(({ id }) => id);
    expect(new Set(ids).size).toBe(3);
  });

  it("with a delay sends a late copy", async () => {
    const { live, receiver } = await withRule({ duplicate: 1, delay: "2d" }, { times: 1 });
    await payCharge(live);
    await live.advance("2d");
    expect(sentTo(receiver)).toEqual(["paid", "paid"]);
  });
});

describe("corruptSignature", () => {
  it("sends a wrong but plausible signature, in retries too", async () => {
    const { live, receiver } = await withRule({ corruptSignature: true });
    receiver.reply({ status: 401 });
    await payCharge(live);
    await live.advance("10s");
    expect(receiver.received.map(isSigned)).toEqual([false, false]);
    expect(receiver.received[0]?.headers["x-service-hmac-sha256"]).toMatch(/^[\w+/]{43}=$/);
  });
});

describe("truncate", () => {
  it("cuts the body after that many bytes, with the signature of the whole body", async () => {
    const { live, receiver } = await withRule({ truncate: 20 });
    await payCharge(live);
    await live.settle();
    const [request] = receiver.received;
    expect(request?.raw.toString()).toBe('{"topic":"charges/ev');
    expect(request?.headers["content-length"]).toBe("20");
    const [delivery] = live.deliveries();
    expect(
      verifySignature(delivery?.body ?? "", String(request?.headers["x-service-hmac-sha256"]), "secret_sandbox"),
    ).toBe(true);
    const { body } = await live.control("GET", `/deliveries/${delivery?.id}`);
    expect(body.attempts[0].request.body).toBe('{"topic":"charges/ev');
  });

  it("may cut within a character, and down to nothing", async () => {
    for (const truncate of [0, 1_000_000]) {
      const { live, receiver } = await withRule({ truncate });
      await payCharge(live);
      await live.settle();
      expect(receiver.received[0]?.raw.length).toBe(truncate === 0 ? 0 : live.deliveries()[0]?.body.length);
    }
  });
});

describe('before: "response"', () => {
  it("sends the API's answer after the receiver's", async () => {
    const { live, receiver } = await withRule({ before: "response" }, IMMEDIATE);
    const order: string[] = [];
    receiver.reply(({ body }) => {
      order.push(body.topic);
      return {};
    });
    await live.createTransfer();
    order.push("answer");
    expect(order).toEqual(["transactions/started", "transactions/completed", "answer"]);
  });

  it("first sends the events of the same resource that precede it", async () => {
    const { live, receiver } = await withRule(
      { before: "response" },
      { ...IMMEDIATE, match: { topic: "transaction/completed" } },
    );
    await live.createTransfer();
    expect(sentTo(receiver)).toEqual(["started", "completed"]);
  });

  it("waits at most webhooks.timeout for a receiver that hangs", async () => {
    const { live, receiver } = await withRule(
      { before: "response" },
      { profile: { webhooks: { timeout: "50ms", retry: "none" } } },
    );
    receiver.reply("hang");
    const id = await payCharge(live);
    expect((await live.ok("GET", `/v1/charges/${id}`)).status).toBe("paid");
    // The attempt's time-out is equally long, so either may come first.
    await live.control("POST", "/settle");
    expect(live.deliveries()).toMatchObject([{ status: "exhausted" }]);
  });

  it("stops waiting when the client has left, so that a repeated payout is detected", async () => {
    const { live, ask } = await openDoor("over TCP");
    const receiver = await startReceiver();
    receiver.reply("hang");
    await live.subscribe("transactions/started", receiver.url);
    await live.control("POST", "/rules", { on: "delivery", then: { before: "response" }, times: 1 });
    const patience = new AbortController();
    const body = transferRequest({ reference: "first" });
    const asked = ask("POST", "/v1/transactions", { body, signal: patience.signal });
    await receiver.waitFor(1);
    patience.abort();
    await expect(asked).rejects.toMatchObject({ name: "AbortError" });
    const { journal, findings } = live.sandbox.observationOf(live.company.id);
    await untilTrue(() => journal.entries.values().some(({ fate }) => fate === "lost"));
    await live.ok("POST", "/v1/transactions", transferRequest({ reference: "second" }));
    expect(findings.list().map(({ kind }) => kind)).toEqual(["double-payout"]);
  });

  it("stops waiting when the server stops, and answers", async () => {
    const { live, receiver } = await withRule({ before: "response" });
    receiver.reply("hang");
    const { id } = await live.createCharge();
    const server = await serve(live.app, { host: "127.0.0.1", port: 0 });
    const headers = { authorization: `Bearer ${DEFAULT_COMPANY.token}` };
    const paid = fetch(`${server.url}/v1/charges/${id}/pay`, { method: "POST", headers });
    await receiver.waitFor(1);
    await server.close();
    expect((await paid).status).toBe(200);
  });

  it("sends answers whose waits end together one in each turn of the event loop", async () => {
    const { live, receiver } = await withRule({ before: "response" }, { match: { data: { status: "paid" } } });
    receiver.reply("hang");
    let turn = 0;
    const turns: number[] = [];
    const waiting = Array.from({ length: 10 }, async () => {
      await payCharge(live);
      turns.push(turn);
    });
    await untilTrue(() => live.sandbox.events.listenerCount("attemptEnded") === waiting.length);
    const count = (): void => {
      turn++;
      next = setImmediate(count);
    };
    let next = setImmediate(count);
    await live.control("POST", "/reset");
    await Promise.all(waiting);
    clearImmediate(next);
    expect(new Set(turns).size).toBe(waiting.length);
  });

  it("delays the answer to a payment by hand too, but no events without a request", async () => {
    const { live, receiver } = await withRule({ before: "response" });
    const first = await live.createCharge();
    await live.createCharge();
    await live.control("POST", `/charges/${first.id}/pay`);
    expect(sentTo(receiver)).toEqual(["paid"]);
    await live.advance("1h");
    expect(sentTo(receiver)).toEqual(["paid", "dropped"]);
  });

  it("lets the receiver call the API meanwhile, which shows the change", async () => {
    const { live, receiver } = await withRule({ before: "response" });
    let seen = "";
    receiver.reply(async ({ body }) => {
      seen = (await live.ok("GET", `/v1/charges/${body.data.id}`)).status;
      return {};
    });
    await payCharge(live);
    expect(seen).toBe("paid");
  });
});

describe("reverse", () => {
  it("holds a transfer's events until the last one, then sends them in reverse order", async () => {
    const { live, receiver } = await withRule({ reverse: true });
    await live.createTransfer();
    await live.settle();
    expect(receiver.received).toEqual([]);
    expect(live.deliveries()).toMatchObject([{ status: "pending", nextAttemptAt: null }]);
    await live.advance("2s");
    expect(sentTo(receiver)).toEqual(["completed", "started"]);
    expect(live.deliveries().map(({ status }) => status)).toEqual(["succeeded", "succeeded"]);
  });

  it("holds a charge's events until it is fully refunded", async () => {
    const { live, receiver } = await withRule({ reverse: true });
    const id = await payCharge(live);
    await live.ok("POST", `/v1/charges/${id}/refund`, { amount: 1_000 });
    await live.settle();
    expect(receiver.received).toEqual([]);
    await live.ok("POST", `/v1/charges/${id}/refund`);
    await live.settle();
    expect(sentTo(receiver)).toEqual(["refunded", "refunded_partially", "paid"]);
  });

  it("sends each event after the answer to the previous one", async () => {
    const opened = gate();
    const { live, receiver } = await withRule({ reverse: true }, IMMEDIATE);
    receiver.reply(async (_, index) => {
      if (index === 0) await opened.opened;
      return {};
    });
    await live.createTransfer();
    await receiver.waitFor(1);
    for (let turn = 0; turn < 5; turn++) await live.http("GET", "/v1/balance");
    expect(sentTo(receiver)).toEqual(["completed"]);
    opened.open();
    await live.settle();
    expect(sentTo(receiver)).toEqual(["completed", "started"]);
  });

  it("sends a held event that is sent by hand only once", async () => {
    const { live, receiver } = await withRule({ reverse: true });
    const opened = gate();
    receiver.reply(async ({ body }) => {
      if (body.data.status === "paid") await opened.opened;
      return {};
    });
    const id = await payCharge(live);
    await live.control("POST", `/deliveries/${live.deliveries()[0]?.id}/redeliver`);
    await receiver.waitFor(1);
    await live.ok("POST", `/v1/charges/${id}/refund`);
    await receiver.waitFor(2);
    opened.open();
    expect(await live.settle()).toEqual([]);
    expect(sentTo(receiver)).toEqual(["paid", "refunded"]);
    expect(live.deliveries().map(({ attempts }) => attempts.length)).toEqual([1, 1]);
  });

  it("sends the held events when the rule is removed", async () => {
    const { live, receiver, ruleId } = await withRule({ reverse: true });
    const id = await payCharge(live);
    await live.ok("POST", `/v1/charges/${id}/refund`, { amount: 1_000 });
    await live.control("DELETE", `/rules/${ruleId}`);
    await live.settle();
    expect(sentTo(receiver)).toEqual(["refunded_partially", "paid"]);
  });

  it("with times: 1 reverses all events of one resource, and is removed", async () => {
    const { live, receiver } = await withRule({ reverse: true }, { times: 1 });
    await live.createTransfer();
    await live.createTransfer();
    await live.settle();
    expect(sentTo(receiver)).toEqual(["started"]);
    expect((await live.control("GET", "/rules")).body.data).toMatchObject([{ times: 0, fired: 1 }]);
    await live.advance("2s");
    expect(sentTo(receiver).toSorted()).toEqual(["completed", "completed", "started", "started"]);
    const [first] = live.deliveries();
    const ofFirst = receiver.received.filter(({ body }) => body.data.id === first?.resource);
    expect(ofFirst.map(({ body }) => body.topic)).toEqual(["transactions/completed", "transactions/started"]);
    expect((await live.control("GET", "/rules")).body.data).toEqual([]);
  });

  it("does not hold events that it does not match", async () => {
    const { live, receiver } = await withRule({ reverse: true }, { match: { topic: "transactions/started" } });
    await live.createTransfer();
    await live.advance("2s");
    expect(sentTo(receiver)).toEqual(["completed", "started"]);
  });

  it("keeps held events in the state", async () => {
    const { live, receiver } = await withRule({ reverse: true });
    await live.createTransfer();
    const { text, body: state } = await live.control("GET", "/state");
    await live.control("POST", "/reset");
    await live.control("PUT", "/state", state);
    expect((await live.control("GET", "/state")).text).toBe(text);
    await live.settle();
    expect(receiver.received).toEqual([]);
    await live.advance("2s");
    expect(sentTo(receiver)).toEqual(["completed", "started"]);
  });

  it("sends nothing to a deleted subscription", async () => {
    const { live, receiver } = await withRule({ reverse: true });
    await live.createTransfer();
    for (const { id } of (await live.ok("GET", "/v1/webhooks")).data) await live.http("DELETE", `/v1/webhooks/${id}`);
    await live.advance("2s");
    expect(receiver.received).toEqual([]);
    expect(live.deliveries()).toMatchObject([{ status: "cancelled" }]);
  });
});

describe("match", () => {
  it.each([
    [{ topic: "charge/events" }, true],
    [{ topic: "transactions/started" }, false],
    [{ url: { $regex: "/hook$" } }, true],
    [{ url: "http://elsewhere.test/" }, false],
    [{ data: { status: "paid", amount: { $gt: 1 } } }, true],
    [{ data: { status: "dropped" } }, false],
  ])("%j", async (match, applies) => {
    const { live, receiver } = await withRule({ drop: true }, { match });
    await payCharge(live);
    await live.settle();
    expect(receiver.received).toHaveLength(applies ? 0 : 1);
  });
});
