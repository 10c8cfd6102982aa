import { describe, expect, it } from "vitest";
import { createFakeSystem } from "../support/fake-system.js";
import { startLive } from "../support/live.js";
import { startReceiver } from "../support/receiver.js";
import { sign } from "../support/signature.js";
import { WORLD_START } from "../support/world.js";

const HOUR = 3_600_000;

describe("before any request of the control API is handled, everything due has happened", () => {
  it.each([
    ["GET", "/charges?status=dropped", "data.0.status", "dropped"],
    ["GET", "/charges?status=due", "count", 0],
    ["GET", "/clock", "pendingTimers", 0],
    ["GET", "/state", "charges.0.status", "dropped"],
    ["GET", "/events", "data.1.type", "charge.dropped"],
    ["GET", "/deliveries", "data.0.topic", "charges/events"],
    ["POST", "/settle", "settled", true],
  ])("with a real timer that is late: %s %s", async (method, path, member, value) => {
    const system = createFakeSystem();
    const live = await startLive({ system, clock: "running" });
    const receiver = await startReceiver();
    await live.createCharge();
    await live.subscribe("charges/events", receiver.url);
    system.pass(HOUR, "late");
    const answer = await live.control(method, path);
    expect(answer.status).toBe(200);
    const found = member.split(".").reduce<unknown>((at, name) => Reflect.get(Object(at), name), answer.body);
    if (path === "/events") expect(answer.body.data.map(({ type }: { type: string }) => type)).toContain(value);
    else expect(found).toBe(value);
  });

  it("the control API does not pay an expired charge", async () => {
    const system = createFakeSystem();
    const live = await startLive({ system, clock: "running" });
    const { id } = await live.createCharge();
    system.pass(HOUR, "late");
    expect((await live.control("POST", `/charges/${id}/pay`)).status).toBe(422);
  });
});

describe("POST /_sandbox/clock/advance", () => {
  it("makes all attempts of a retry schedule in one call", async () => {
    const live = await startLive();
    await live.receiverFor("charges/events", (_, index) => ({ status: index < 5 ? 503 : 200 }));
    await live.createCharge();
    const { body } = await live.control("POST", "/clock/advance", { by: "4h" });
    expect(body).toMatchObject({
      now: "2026-01-15T13:00:00.000Z",
      deliveries: { attempted: 6, succeeded: 1, failed: 5 },
    });
    const { data } = (await live.control("GET", "/deliveries")).body;
    expect(data[0].attempts.map(({ at }: { at: string }) => at.slice(11, 19))).toEqual([
      "10:00:00",
      "10:00:10",
      "10:01:10",
      "10:06:10",
      "10:36:10",
      "12:36:10",
    ]);
  });

  it("shows its receiver the instant of the attempt on the clock", async () => {
    const live = await startLive();
    const seen: string[] = [];
    await live.receiverFor("charges/events", async (_, index) => {
      seen.push((await live.control("GET", "/clock")).body.now);
      return { status: index === 0 ? 500 : 200 };
    });
    await live.createCharge();
    await live.control("POST", "/clock/advance", { by: "1d" });
    expect(seen).toEqual(["2026-01-15T10:00:00.000Z", "2026-01-15T10:00:10.000Z"]);
  });

  it("with maxWaitMs: 0 does not wait for the webhook whose handler calls it", async () => {
    const live = await startLive();
    const results: unknown[] = [];
    await live.receiverFor("charges/events", async () => {
      const { status, body } = await live.control("POST", "/clock/advance", { by: "10m", maxWaitMs: 0 });
      results.push([status, body.now, body.unfinished?.length]);
      return { status: 200 };
    });
    const { id } = await live.createCharge();
    await live.ok("POST", `/v1/charges/${id}/pay`);
    await live.settle();
    expect(results).toEqual([[200, "2026-01-15T09:10:00.000Z", 1]]);
  });

  it("is serialised with other advances of the company and with changes of the clock's mode", async () => {
    const live = await startLive();
    await live.receiverFor("charges/events");
    await live.createCharge();
    const answers = await Promise.all([
      live.control("POST", "/clock/advance", { by: "1h" }),
      live.control("PUT", "/clock", { mode: "frozen" }),
      live.control("POST", "/clock/advance", { by: "1h" }),
      live.control("POST", "/clock/advance", { toNext: true }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(live.now()).toBe("2026-01-15T11:00:00.000Z");
    expect(answers.map(({ body }) => body.firedCount ?? 0).reduce((sum, count) => sum + count)).toBe(1);
  });
});

describe("GET /_sandbox/deliveries/wait", () => {
  it("is answered during an advance", async () => {
    const live = await startLive();
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await live.receiverFor("charges/events", async (_, index) => {
      if (index === 1) await held;
      return {};
    });
    const { id } = await live.createCharge();
    await live.advance("1s");
    await live.createCharge();
    const waited = live.control("GET", `/deliveries/wait?resource=${id}&status=succeeded&timeout=8s`);
    const advanced = live.control("POST", "/clock/advance", { by: "2h" });
    expect((await waited).body).toMatchObject({ resource: id, status: "succeeded" });
    release();
    expect((await advanced).body.deliveries.succeeded).toBe(2);
  });
});

describe("POST /_sandbox/companies/:id/rotate", () => {
  it("makes the new secret key sign every later attempt, also retries of older events", async () => {
    const live = await startLive();
    const receiver = await live.receiverFor("charges/events", (_, index) => ({ status: index === 0 ? 500 : 200 }));
    await live.createCharge();
    await live.advance("1h");
    const { body } = await live.control("POST", "/companies/company_sandbox/rotate");
    await live.advance("10s");
    const keys = ["secret_sandbox", body.secretKey as string];
    const signed = receiver.received.map(({ raw }, index) => sign(raw, keys[index] ?? ""));
    expect(receiver.received.map(({ headers }) => headers["x-service-hmac-sha256"])).toEqual(signed);
    expect(keys[1]).not.toBe(keys[0]);
  });
});

it("a reset moves the clock back and drops pending deliveries", async () => {
  const live = await startLive();
  const receiver = await live.receiverFor("charges/events", { status: 500 });
  await live.createCharge();
  await live.advance("1h");
  expect((await live.control("POST", "/reset")).status).toBe(200);
  expect(live.now()).toBe(WORLD_START);
  const { body } = await live.control("POST", "/clock/advance", { by: "1d" });
  expect(body).toMatchObject({ fired: [], deliveries: { attempted: 0 } });
  expect(receiver.received).toHaveLength(1);
});
