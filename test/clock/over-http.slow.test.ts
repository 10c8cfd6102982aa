import { describe, expect, it } from "vitest";
import { gate, startLive } from "../support/live.js";

describe("POST /_sandbox/clock/advance", () => {
  it("continues when its client has left", async () => {
    const live = await startLive();
    const receiver = await live.receiverFor("charges/events", "hang");
    await live.createCharge();
    const client = new AbortController();
    const asked = fetch(`${live.url}/_sandbox/clock/advance`, {
      method: "POST",
      body: JSON.stringify({ by: "2h", maxWaitMs: 50 }),
      headers: { "content-type": "application/json" },
      signal: client.signal,
    });
    await receiver.waitFor(1);
    client.abort();
    await expect(asked).rejects.toThrow("aborted");
    expect((await live.control("POST", "/clock/advance", { by: 0, maxWaitMs: 0 })).body.now).toBe(
      "2026-01-15T11:00:00.000Z",
    );
  });

  it("answers a handler of a receiver that moves the clock during it with 409 at once", async () => {
    const live = await startLive();
    const results: unknown[] = [];
    await live.receiverFor("charges/events", async () => {
      for (const [method, path, body] of [
        ["POST", "/clock/advance", { by: "1h" }],
        ["PUT", "/clock", { now: "2026-01-16T09:00:00Z" }],
        ["PUT", "/clock", { mode: "running" }],
      ] as const) {
        const { status, body: answer } = await live.control(method, path, body);
        results.push([status, ...answer.message]);
      }
      return { status: 200 };
    });
    await live.createCharge();
    const { status, body } = await live.control("POST", "/clock/advance", { by: "2h" });
    const why = "an advance is waiting for receivers to answer 1 webhook";
    const what = "Answer first if this is a receiver, or move the clock when that advance has ended.";
    expect(results).toEqual([1, 2, 3].map(() => [409, `Failed to move the clock: ${why}. ${what}`]));
    expect([status, body.now, body.deliveries.succeeded]).toEqual([200, "2026-01-15T11:00:00.000Z", 1]);
    expect((await live.control("POST", "/clock/advance", { by: "1h" })).status).toBe(200);
  });

  it("answers a handler with 409 also when its call comes while charges are still dropped", async () => {
    const live = await startLive({ profile: { webhooks: { timeout: "3s" } } });
    const { company } = live;
    const called = gate();
    const exclusively = company.exclusively.bind(company);
    let calls = 0;
    company.exclusively = (task) => {
      if (++calls > 1) called.open();
      return exclusively(task);
    };
    const giveWay = company.giveWay.bind(company);
    company.giveWay = () => {
      company.giveWay = giveWay;
      return called.opened;
    };
    const statuses: number[] = [];
    await live.receiverFor("charges/events", async (_, index) => {
      if (index === 0) statuses.push((await live.control("POST", "/clock/advance", { by: "1h" })).status);
      return {};
    });
    for (let charges = 0; charges < 65; charges++) await live.createCharge({ externalId: `order-${charges}` });
    const { body } = await live.control("POST", "/clock/advance", { by: "1h" });
    expect(body.deliveries).toEqual({ attempted: 65, succeeded: 65, failed: 0 });
    expect(statuses).toEqual([409]);
  });
});
