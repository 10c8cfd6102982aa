import { WAITS_MAX } from "../../../src/http/control/deliveries-routes.js";
import { beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/kernel/time/system-clock.js";
import { startReceiver, type Receiver } from "../../support/receiver.js";
import { chargeRequest, transferRequest } from "../../support/requests.js";
import { openWorld, type LooseJson, type TestWorld } from "../../support/world.js";

let world: TestWorld;
let receiver: Receiver;
beforeEach(async () => {
  world = openWorld();
  receiver = await startReceiver();
});

async function subscribe(...topics: string[]): Promise<void> {
  for (const topic of topics) await world.api("POST", "/v1/webhooks", { topic, url: receiver.url });
}

async function paidCharge(): Promise<string> {
  const { body } = await world.api("POST", "/v1/charges", chargeRequest());
  await world.api("POST", `/v1/charges/${body.id}/pay`);
  return body.id;
}

async function deliveries(query = ""): Promise<LooseJson[]> {
  await world.control("POST", "/settle");
  return (await world.control("GET", `/deliveries${query}`)).body.data;
}

describe("GET /deliveries", () => {
  it("shows every attempt with its bytes", async () => {
    receiver.reply((_, index) => (index === 0 ? { status: 503, headers: { "x-why": "busy" }, body: "later" } : {}));
    await subscribe("charge/events");
    const id = await paidCharge();
    await world.control("POST", "/clock/advance", { by: "10s" });
    const [delivery] = await deliveries();
    const sent = receiver.received[0]!;
    expect(delivery).toEqual({
      id: expect.stringMatching(/^del_/),
      topic: "charge/events",
      url: receiver.url,
      resource: id,
      status: "succeeded",
      nextAttemptAt: null,
      attempts: [
        {
          at: "2026-01-15T09:00:00.000Z",
          status: 503,
          latencyMs: expect.any(Number),
          error: "status 503 is not 2xx",
          request: {
            headers: {
              "content-type": "application/json",
              "user-agent": expect.stringContaining("business-payments-sandbox/"),
              "x-service-hmac-sha256": sent.headers["x-service-hmac-sha256"],
            },
            body: sent.raw.toString(),
          },
          response: { headers: expect.objectContaining({ "x-why": "busy" }), body: "later" },
        },
        expect.objectContaining({ at: "2026-01-15T09:00:10.000Z", status: 200, error: null }),
      ],
    });
    expect((await world.control("GET", `/deliveries/${delivery.id}`)).body).toEqual(delivery);
    expect((await world.control("GET", `/deliveries/${delivery.id.replace("del_", "")}`)).body).toEqual(delivery);
  });

  it("has no response when the receiver gave none, and says when the next attempt is due", async () => {
    receiver.reply("reset");
    await subscribe("charges/events");
    await paidCharge();
    const [delivery] = await deliveries();
    expect(delivery).toMatchObject({ status: "pending", nextAttemptAt: "2026-01-15T09:00:10.000Z" });
    expect(delivery.attempts[0]).toMatchObject({ status: null, response: null, error: expect.any(String) });
  });

  it("filters by topic in either spelling, by status, and by resource with or without prefix", async () => {
    await subscribe("charges/events", "transaction/started", "transactions/completed");
    const chargeId = await paidCharge();
    const { body: transfer } = await world.api("POST", "/v1/transactions", transferRequest());
    await world.control("POST", "/settle");
    receiver.reply({ status: 500 });
    await world.control("POST", "/clock/advance", { by: "2s" });
    const shown = async (query: string): Promise<string[]> =>
      (await deliveries(query)).map(({ topic, resource }) => `${topic} ${resource}`);
    const [charge, started, completed] = [
      `charges/events ${chargeId}`,
      `transaction/started ${transfer.id}`,
      `transactions/completed ${transfer.id}`,
    ];
    expect(await shown("")).toEqual([charge, started, completed]);
    expect(await shown("?topic=charge/events")).toEqual([charge]);
    expect(await shown("?topic=transactions/started")).toEqual([started]);
    expect(await shown("?topic=transaction/completed")).toEqual([completed]);
    expect(await shown("?status=succeeded")).toEqual([charge, started]);
    expect(await shown("?status=pending")).toEqual([completed]);
    expect(await shown(`?resource=${chargeId}`)).toEqual([charge]);
    expect(await shown(`?resource=${transfer.id}`)).toEqual([started, completed]);
    expect(await shown(`?resource=${transfer.id.replace("txn_", "")}&status=pending`)).toEqual([completed]);
    expect(await shown("?resource=unknown")).toEqual([]);
  });

  it.each([
    ["topic=charges/event", "topic must be one of transactions/started, transaction/started"],
    ["status=done", "status must be one of pending, succeeded, failed, exhausted, cancelled"],
    ["resource=", "resource must be the id of a charge or a transaction"],
    ["tpoic=charges/events", 'query has no "tpoic"'],
  ])("?%s is 400", async (query, message) => {
    const answer = await world.control("GET", `/deliveries?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.message[0]).toContain(message);
  });

  it("is 404 for an unknown id", async () => {
    expect((await world.control("GET", "/deliveries/del_x")).status).toBe(404);
    expect((await world.control("POST", "/deliveries/del_x/redeliver")).status).toBe(404);
  });
});

describe("POST /deliveries/:id/redeliver", () => {
  it("sends a finished one once more, after its answer", async () => {
    await subscribe("charges/events");
    await paidCharge();
    const [delivery] = await deliveries();
    await world.control("POST", "/clock/advance", { by: "1m" });
    const answer = await world.control("POST", `/deliveries/${delivery.id}/redeliver`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ ...delivery, status: "pending", nextAttemptAt: "2026-01-15T09:01:00.000Z" });
    expect(receiver.received).toHaveLength(1);
    await receiver.waitFor(2);
    const [again] = await deliveries();
    expect(again.status).toBe("succeeded");
    expect(again.attempts.map(({ at }: { at: string }) => at)).toEqual([
      "2026-01-15T09:00:00.000Z",
      "2026-01-15T09:01:00.000Z",
    ]);
    expect(receiver.received[1]?.raw).toEqual(receiver.received[0]?.raw);
  });

  it("replaces the planned retry", async () => {
    receiver.reply({ status: 500 });
    await subscribe("charges/events");
    await paidCharge();
    const [delivery] = await deliveries();
    expect((await world.control("GET", "/clock")).body.pendingTimers).toBe(1);
    await world.control("POST", `/deliveries/${delivery.id}/redeliver`);
    const [again] = await deliveries();
    expect(again.attempts).toHaveLength(2);
    expect(again.nextAttemptAt).toBe("2026-01-15T09:01:00.000Z");
    expect((await world.control("GET", "/clock")).body.pendingTimers).toBe(1);
  });

  it("is pending immediately: an advance waits for it", async () => {
    await subscribe("charges/events");
    await paidCharge();
    const [delivery] = await deliveries();
    await world.control("POST", `/deliveries/${delivery.id}/redeliver`);
    await world.control("POST", "/clock/advance", { by: 0 });
    expect(receiver.received).toHaveLength(2);
  });

  it("is 422 while an attempt is in flight", async () => {
    receiver.reply("hang");
    await subscribe("charges/events");
    await paidCharge();
    await receiver.waitFor(1);
    const [delivery] = (await world.control("GET", "/deliveries")).body.data;
    const answer = await world.control("POST", `/deliveries/${delivery.id}/redeliver`);
    expect(answer.status).toBe(422);
    expect(answer.body.message[0]).toContain("an attempt of it is in flight");
  });

  it("is 400 for any body", async () => {
    await subscribe("charges/events");
    await paidCharge();
    const [delivery] = await deliveries();
    expect((await world.control("POST", `/deliveries/${delivery.id}/redeliver`, { now: true })).status).toBe(400);
  });
});

describe("POST /deliveries/redeliver", () => {
  it("leaves out deliveries whose own retries begin meanwhile, and sends the others", async () => {
    let now = Date.parse("2026-01-15T09:00:00Z");
    let step = 0;
    // Time passes with each reading.
    world = openWorld({ clock: "running", system: { ...systemClock, now: () => (now += step) } });
    receiver.reply({ status: 500 });
    await subscribe("charges/events");
    for (let count = 0; count < 40; count++) await paidCharge();
    await deliveries();
    now += 10_000 - 40;
    step = 1;
    const answer = await world.control("POST", "/deliveries/redeliver");
    step = 0;
    expect(answer.status).toBe(200);
    expect(answer.body.redelivered).toBeGreaterThan(0);
    expect(answer.body.redelivered).toBeLessThan(40);
    expect((await world.control("POST", "/settle", { maxWaitMs: 5000 })).body.settled).toBe(true);
    expect(receiver.received).toHaveLength(80);
  });
});

describe("GET /deliveries/wait", () => {
  it("answers with the deliveries that already exist", async () => {
    await subscribe("charges/events");
    const id = await paidCharge();
    const [delivery] = await deliveries();
    const answer = await world.control("GET", `/deliveries/wait?topic=charge/events&resource=${id}&timeout=0`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(delivery);
  });

  it("waits for a delivery whose first attempt has ended", async () => {
    await subscribe("charges/events");
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    receiver.reply(() => held.then(() => ({ status: 202 })));
    const waiting = world.control("GET", "/deliveries/wait?topic=charges/events&timeout=10s");
    const id = await paidCharge();
    await receiver.waitFor(1);
    letGo();
    const answer = await waiting;
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ resource: id, status: "succeeded", attempts: [{ status: 202 }] });
  });

  it("counts a failed first attempt, unless the query has a status", async () => {
    receiver.reply({ status: 500 });
    await subscribe("charges/events");
    await paidCharge();
    const came = await world.control("GET", "/deliveries/wait?timeout=10s");
    expect(came.body).toMatchObject({ status: "pending", attempts: [{ status: 500 }] });
    const succeeded = world.control("GET", "/deliveries/wait?status=succeeded&timeout=10s");
    receiver.reply({ status: 200 });
    await world.control("POST", "/clock/advance", { toNext: true });
    expect((await succeeded).body).toMatchObject({ id: came.body.id, status: "succeeded" });
  });

  it("finds a delivery as soon as it has the status", async () => {
    receiver.reply("hang");
    await subscribe("charges/events");
    const waiting = world.control("GET", "/deliveries/wait?status=pending&timeout=10s");
    await paidCharge();
    expect((await waiting).body).toMatchObject({ status: "pending", attempts: [] });
  });

  it("lets 100 calls of a company wait at a time", async () => {
    await world.control("POST", "/companies", { companyId: "company_b" });
    await subscribe("charges/events");
    const waiting = Array.from({ length: WAITS_MAX }, () => world.control("GET", "/deliveries/wait?timeout=10s"));
    const refused = await world.control("GET", "/deliveries/wait?timeout=0");
    expect([refused.status, refused.headers.get("retry-after"), refused.body.message]).toEqual([
      429,
      "1",
      ["100 calls wait for deliveries already, which is the most. Wait for fewer at a time."],
    ]);
    expect((await world.control("GET", "/deliveries/wait?timeout=0&company=company_b")).status).toBe(404);
    await paidCharge();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(waiting.map(() => 200));
    expect((await world.control("GET", "/deliveries/wait?timeout=0")).status).toBe(200);
  });

  it("is 404 with the deliveries that came", async () => {
    await subscribe("charges/events");
    const id = await paidCharge();
    const [delivery] = await deliveries();
    const answer = await world.control("GET", "/deliveries/wait?topic=transactions/failed&status=failed&timeout=1ms");
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({
      statusCode: 404,
      message: ["No delivery with topic transactions/failed, status failed came within 1ms; 1 came that are not it"],
      error: "Not Found Exception",
      correlationId: expect.stringMatching(/^[0-9a-f]{32}$/),
      path: "/_sandbox/deliveries/wait",
      timestamp: "2026-01-15T09:00:00.000Z",
      deliveries: [{ id: delivery.id, topic: "charges/events", resource: id, status: "succeeded" }],
    });
  });

  it("continues when the company is reset meanwhile, and ends when it is removed", async () => {
    await world.control("POST", "/companies", { companyId: "b" });
    const through = world.control("GET", "/deliveries/wait?timeout=10s");
    const ended = world.control("GET", "/deliveries/wait?company=b&timeout=10m");
    await world.control("POST", "/reset");
    await world.control("DELETE", "/companies/b");
    expect((await ended).status).toBe(404);
    await subscribe("charges/events");
    const id = await paidCharge();
    expect((await through).body.resource).toBe(id);
  });

  it("ends when its client has gone, and when the sandbox closes", async () => {
    const client = new AbortController();
    const { signal } = client;
    const left = Promise.resolve(world.app.request("/_sandbox/deliveries/wait?timeout=10m", { signal }));
    const closed = world.control("GET", "/deliveries/wait?timeout=10m");
    await world.control("GET", "/health");
    client.abort();
    expect((await left).status).toBe(404);
    await world.sandbox.close();
    expect((await closed).status).toBe(404);
  });

  it.each([
    ["timeout=soon", 'timeout: "soon" is not a duration'],
    ["timeout=-1s", 'timeout: "-1s" is not a duration: it must not be negative'],
    ["timeout=", 'timeout: "" is not a duration'],
    ["timeout=10m1ms", "timeout: 10m0.001s is longer than 10m"],
    ["topic=x", "topic must be one of"],
    ["status=x&topic=y&timeout=z", "status must be one of"],
    ["limit=1", 'query has no "limit"'],
  ])("?%s is 400", async (query, message) => {
    const answer = await world.control("GET", `/deliveries/wait?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body.message.join("\n")).toContain(message);
  });
});
