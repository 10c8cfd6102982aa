import { describe, expect, it } from "vitest";
import type { Transport } from "../../src/adapters/delivery/transport.js";
import { createFakeSystem } from "../support/fake-system.js";
import { answerAfter, gate, type Live, startLive } from "../support/live.js";
import { startReceiver } from "../support/receiver.js";
import { createScriptedTransport } from "../support/scripted-transport.js";
import { WORLD_START, type WorldOptions } from "../support/world.js";

const START = Date.parse(WORLD_START);
const HOUR = 3_600_000;
const ATTEMPTS = [0, 10_000, 70_000, 370_000, 2_170_000, 9_370_000];

/** Two unpaid charges: the second expires ten seconds after the first. */
async function twoCharges(live: Live): Promise<readonly [first: string, second: string]> {
  const first = await live.createCharge();
  await live.advance("10s");
  const second = await live.createCharge();
  return [first.id, second.id];
}

describe("network calls take no sandbox time", () => {
  it("makes all six attempts of a retry schedule in one call, each at its exact instant", async () => {
    const live = await startLive();
    await live.receiverFor("charges/events", { status: 503 });
    await live.createCharge();
    const result = await live.advance("1d");
    const [delivery] = live.deliveries();
    expect(delivery?.attempts.map(({ at }) => at - START - HOUR)).toEqual(ATTEMPTS);
    expect(delivery).toMatchObject({ status: "exhausted", nextAttemptAt: null });
    expect(result.deliveries).toEqual({ attempted: 6, succeeded: 0, failed: 6 });
    expect(result.fired.map(({ kind }) => kind)).toEqual([
      "charge.expire",
      ...Array<string>(5).fill("delivery.attempt"),
    ]);
    expect(result.unfinished).toEqual([]);
  });

  it("ends the retries with the first success", async () => {
    const live = await startLive();
    await live.receiverFor("charges/events", (_, index) => ({ status: index === 2 ? 200 : 500 }));
    await live.createCharge();
    const result = await live.advance("1d");
    expect(live.deliveries()[0]?.attempts.map(({ at }) => at - START - HOUR)).toEqual(ATTEMPTS.slice(0, 3));
    expect(live.deliveries()[0]).toMatchObject({ status: "succeeded", nextAttemptAt: null });
    expect(result.deliveries).toEqual({ attempted: 3, succeeded: 1, failed: 2 });
    expect(live.company.world.due.size).toBe(0);
  });

  it("stops at the target and leaves the later attempts planned", async () => {
    const live = await startLive();
    const receiver = await live.receiverFor("charges/events", "reset");
    await live.createCharge();
    await live.advance("1h1m9.999s");
    expect(live.deliveries()[0]).toMatchObject({ status: "pending", nextAttemptAt: START + HOUR + 70_000 });
    expect(receiver.received).toHaveLength(2);
    await live.advance("1ms");
    expect(receiver.received).toHaveLength(3);
  });
});

describe("nothing at a later instant runs while a delivery attempt is in flight", () => {
  it("waits for attempts of the present instant", async () => {
    const live = await startLive();
    const hold = gate();
    const receiver = await live.receiverFor("charges/events", answerAfter(hold));
    const [first, second] = await twoCharges(live);
    const advanced = live.advance("2h");
    await receiver.waitFor(1);
    for (let look = 0; look < 5; look++) {
      const answer = await live.http("GET", `/v1/charges/${second}`);
      expect(answer.body.status).toBe("due");
      expect(answer.headers.get("x-sandbox-now")).toBe("2026-01-15T10:00:00.000Z");
    }
    expect((await live.ok("GET", `/v1/charges/${first}`)).status).toBe("dropped");
    hold.open();
    await advanced;
    expect((await live.ok("GET", `/v1/charges/${second}`)).status).toBe("dropped");
  });

  it("waits for attempts of a call made before the advance", async () => {
    const live = await startLive();
    const hold = gate();
    const receiver = await live.receiverFor("charges/events", answerAfter(hold));
    const [paid, other] = await twoCharges(live);
    await live.ok("POST", `/v1/charges/${paid}/pay`);
    const advanced = live.advance("2h");
    await receiver.waitFor(1);
    expect((await live.ok("GET", `/v1/charges/${other}`)).status).toBe("due");
    expect(live.now()).toBe("2026-01-15T09:00:10.000Z");
    hold.open();
    // The answer counts only the attempts that the advance caused.
    expect((await advanced).deliveries).toEqual({ attempted: 1, succeeded: 1, failed: 0 });
    expect(receiver.received.map(({ body }) => body.data.status)).toEqual(["paid", "dropped"]);
  });

  it("does not wait with lookAhead", async () => {
    const live = await startLive();
    const hold = gate();
    const receiver = await live.receiverFor("charges/events", answerAfter(hold));
    await twoCharges(live);
    const advanced = live.advance("2h", { lookAhead: true });
    await receiver.waitFor(2);
    expect(live.company.world.charges.values().map(({ status }) => status)).toEqual(["dropped", "dropped"]);
    hold.open();
    expect((await advanced).deliveries).toEqual({ attempted: 2, succeeded: 2, failed: 0 });
  });

  it("fires retries in the order of their attempts, whichever receiver answers first", async () => {
    const live = await startLive();
    const slow = gate();
    const first = await startReceiver(async (_, index) => {
      if (index === 0) await slow.opened;
      return { status: 500 };
    });
    const second = await startReceiver({ status: 500 });
    await live.subscribe("charges/events", first.url);
    await live.subscribe("charges/events", second.url);
    await live.createCharge();
    const advanced = live.advance("1h10s");
    await live.until(() => live.deliveries()[1]?.attempts.length === 1);
    slow.open();
    const { fired } = await advanced;
    const order = live.deliveries().map(({ id }) => id);
    expect(fired.slice(1).map(({ subject }) => subject)).toEqual(order);
  });

  it("fires retries of events that waited for their turn in the same order", async () => {
    const live = await startLive();
    const slow = gate();
    await live.receiverFor("charges/events", async (_, index) => {
      if (index === 0) await slow.opened;
      return { status: 500 };
    });
    const [first, second] = await twoCharges(live);
    for (const id of [first, second]) await live.ok("POST", `/v1/charges/${id}/pay`);
    for (const id of [first, second]) await live.ok("POST", `/v1/charges/${id}/refund`);
    await live.until(() => live.deliveries()[3]?.attempts.length === 1);
    slow.open();
    const { fired } = await live.advance("10s");
    expect(fired.map(({ subject }) => subject)).toEqual(live.deliveries().map(({ id }) => id));
  });
});

describe("API calls that arrive during an advance", () => {
  it("see the present instant, and work that they make due within the span runs within it", async () => {
    const live = await startLive();
    const seen: (string | null)[] = [];
    const receiver = await startReceiver(async ({ body }) => {
      if (body.topic !== "charges/events" || body.data.status !== "dropped") return {};
      const answer = await live.http("POST", "/v1/transactions", {
        amount: 5_000,
        msisdn: "+2250700000001",
        reference: `refund-of-${body.data.externalId}`,
        type: "transfer",
      });
      seen.push(answer.headers.get("x-sandbox-now"), answer.body.createdAt);
      if (seen.length === 2) seen.push((await live.createCharge()).createdAt);
      return {};
    });
    for (const topic of ["charges/events", "transactions/completed"]) await live.subscribe(topic, receiver.url);
    await live.createCharge();
    const { fired, firedCount } = await live.advance("2h");
    expect(seen).toEqual([
      "2026-01-15T10:00:00.000Z",
      "2026-01-15T10:00:00.000Z",
      "20260115T100000.000Z",
      "2026-01-15T11:00:00.000Z",
      "2026-01-15T11:00:00.000Z",
    ]);
    expect(fired.map(({ kind, at }) => [kind, at - START])).toEqual([
      ["charge.expire", HOUR],
      ["transfer.settle", HOUR + 2_000],
      ["charge.expire", 2 * HOUR],
    ]);
    expect(firedCount).toBe(3);
    expect(receiver.received.map(({ body }) => body.topic)).toEqual([
      "charges/events",
      "transactions/completed",
      "charges/events",
    ]);
  });

  it("handle due items at that instant first: a payment at the instant of the expiry is refused", async () => {
    const live = await startLive();
    const statuses: number[] = [];
    const ids: string[] = [];
    await live.receiverFor("charges/events", async () => {
      for (const id of ids) statuses.push((await live.http("POST", `/v1/charges/${id}/pay`)).status);
      return {};
    });
    for (let n = 0; n < 3; n++) ids.push((await live.createCharge()).id);
    await live.advance("1h");
    expect(statuses).toHaveLength(9);
    expect(new Set(statuses)).toEqual(new Set([422]));
  });

  it("may cancel the item that was due next", async () => {
    const system = createFakeSystem(START);
    const live = await startLive({ system });
    const receiver = await live.receiverFor("charges/events", (_, index) => (index === 0 ? "hang" : {}));
    const [, second] = await twoCharges(live);
    const advanced = live.advance("2h", { maxWaitMs: 1_000 });
    await receiver.waitFor(1);
    await live.ok("POST", `/v1/charges/${second}/pay`);
    system.pass(1_000);
    const { fired } = await advanced;
    expect(fired.map(({ kind }) => kind)).toEqual(["charge.expire"]);
    expect((await live.ok("GET", `/v1/charges/${second}`)).status).toBe("paid");
  });
});

describe("settle (default true): the answer comes when every attempt that the span caused is over", () => {
  it("waits for them by default", async () => {
    const live = await startLive();
    await live.receiverFor("charges/events");
    await live.createCharge();
    await live.advance("1h");
    expect(live.deliveries()[0]).toMatchObject({ status: "succeeded", attempts: [{ status: 200 }] });
  });

  it("answers after the timers with settle: false; the next settle waits for attempts in flight", async () => {
    const live = await startLive();
    const hold = gate();
    const receiver = await live.receiverFor("charges/events", answerAfter(hold));
    const { id } = await live.createCharge();
    const result = await live.advance("2h", { settle: false });
    expect(live.company.world.charges.get(id)?.status).toBe("dropped");
    expect(live.deliveries()[0]).toMatchObject({ status: "pending", attempts: [] });
    expect(result.unfinished).toEqual([live.deliveries()[0]?.id]);
    expect(live.now()).toBe("2026-01-15T11:00:00.000Z");
    await receiver.waitFor(1);
    hold.open();
    expect(await live.settle()).toEqual([]);
    expect(live.deliveries()[0]?.status).toBe("succeeded");
    expect(live.now()).toBe("2026-01-15T11:00:00.000Z");
  });

  it.each([
    ["by a duration", "1h", {}, HOUR],
    ["to the next due item", "next", {}, 10_000],
    ["by a duration, with settle: false", "1h", { settle: false }, HOUR],
    ["with settle: false and nothing else to do", "30m", { settle: false }, 1_800_000],
  ] as const)("the next advance waits for it too: %s", async (_, target, options, ms) => {
    const live = await startLive();
    const hold = gate();
    const receiver = await live.receiverFor("charges/events", async (_request, index) => {
      if (index > 0) return {};
      await hold.opened;
      return { status: 500 };
    });
    await live.createCharge();
    await live.advance("1h", { settle: false });
    const late = await live.createCharge();
    const next = live.advance(target, options);
    await receiver.waitFor(1);
    expect((await live.ok("GET", `/v1/charges/${late.id}`)).status).toBe("due");
    expect(live.now()).toBe("2026-01-15T10:00:00.000Z");
    hold.open();
    const { fired, now } = await next;
    expect(now).toBe(START + HOUR + ms);
    expect(fired[0]).toMatchObject({ kind: "delivery.attempt", at: START + HOUR + 10_000 });
    await live.settle();
    expect(live.deliveries()[0]?.attempts.map(({ at }) => at - START - HOUR)).toEqual([0, 10_000]);
  });

  it("settle also waits for what is due now, and moves no time", async () => {
    const live = await startLive({ profile: { webhooks: { retry: [0, 0, 10_000] } } });
    await live.receiverFor("charges/events", { status: 500 });
    const { id } = await live.createCharge();
    await live.ok("POST", `/v1/charges/${id}/pay`);
    expect(await live.settle()).toEqual([]);
    expect(live.deliveries()[0]?.attempts.map(({ at }) => at)).toEqual([START, START, START]);
    expect(live.deliveries()[0]?.nextAttemptAt).toBe(START + 10_000);
    expect(live.now()).toBe(WORLD_START);
  });
});

describe("maxWaitMs bounds the real time spent waiting for hanging receivers", () => {
  it("lists what is unfinished in the answer, and reaches the target", async () => {
    const live = await startLive();
    await live.receiverFor("charges/events", "hang");
    await live.createCharge();
    const result = await live.advance("3h", { maxWaitMs: 20 });
    expect(result).toMatchObject({ now: START + 3 * HOUR, deliveries: { attempted: 1, succeeded: 0, failed: 0 } });
    expect(result.unfinished).toEqual(live.deliveries().map(({ id }) => id));
    expect(await live.settle(20)).toEqual(result.unfinished);
  });

  it("is one limit for all waits of a call", async () => {
    const system = createFakeSystem(START);
    const live = await startLive({ system });
    const receiver = await live.receiverFor("charges/events", "hang");
    await twoCharges(live);
    const advanced = live.advance("3h", { maxWaitMs: 5_000 });
    await receiver.waitFor(1);
    expect(system.pending.filter((ms) => ms < 10_000)).toEqual([5_000]);
    system.pass(5_000);
    const result = await advanced;
    expect(result.firedCount).toBe(2);
    expect(result.unfinished).toHaveLength(2);
  });

  it("a wait that timed out leaves no timer or listener behind", async () => {
    const system = createFakeSystem(START);
    const live = await startLive({ system });
    const receiver = await live.receiverFor("charges/events", "hang");
    await live.createCharge();
    const advanced = live.advance("1h", { maxWaitMs: 1 });
    await receiver.waitFor(1);
    system.pass(1);
    await advanced;
    expect(system.pending).toEqual([9_999]); // the time-out of the attempt
  });

  it("leaves no timer behind after an attempt", async () => {
    const system = createFakeSystem(START);
    const live = await startLive({ system });
    const receiver = await live.receiverFor("charges/events", (_, index) => (index === 0 ? "reset" : {}));
    await live.createCharge();
    await live.advance("2h");
    expect(receiver.received).toHaveLength(2);
    expect(system.pending).toEqual([]);
  });

  it("does not wait with 0", async () => {
    const live = await startLive();
    await live.receiverFor("charges/events", "hang");
    await live.createCharge();
    expect((await live.advance("1h", { maxWaitMs: 0 })).unfinished).toHaveLength(1);
  });

  it("records an attempt that outlived the waiting at the instant at which it began, and its retry follows", async () => {
    const live = await startLive();
    const hold = gate();
    await live.receiverFor("charges/events", async (_, index) => {
      if (index === 0) await hold.opened;
      return { status: index === 0 ? 500 : 200 };
    });
    await live.createCharge();
    await live.advance("1h5s", { maxWaitMs: 5 });
    hold.open();
    await live.settle();
    expect(live.deliveries()[0]).toMatchObject({
      attempts: [{ at: START + HOUR }],
      nextAttemptAt: START + HOUR + 10_000,
    });
    await live.advance("5s");
    expect(live.deliveries()[0]?.status).toBe("succeeded");
  });
});

describe("more deliveries than a receiver takes at a time", () => {
  const CHARGES = 80;
  async function startMany(options: WorldOptions): Promise<Live> {
    const live = await startLive(options);
    await live.subscribe("charges/events", "http://hook.test/");
    for (let n = 0; n < CHARGES; n++) await live.createCharge();
    return live;
  }

  it("are all sent within the advance", async () => {
    const live = await startMany({ transport: createScriptedTransport(() => 200) });
    const { firedCount, deliveries } = await live.advance("1h");
    expect([firedCount, deliveries.succeeded]).toEqual([CHARGES, CHARGES]);
  });

  it("are unfinished after maxWaitMs when the receiver hangs", async () => {
    const system = createFakeSystem(START);
    const live = await startMany({ system, transport: hanging });
    const advanced = live.advance("1h", { maxWaitMs: 100 });
    await until(() => system.pending.length > 0);
    system.pass(100);
    const { firedCount, unfinished } = await advanced;
    expect([firedCount, unfinished.length]).toEqual([CHARGES, CHARGES]);
    expect(system.pending).toEqual([]);
  });

  it.each([{ maxWaitMs: 0 }, { settle: false }, { lookAhead: true, settle: false }])(
    "are not waited for with %j",
    async (options) => {
      const system = createFakeSystem(START);
      const live = await startMany({ system, transport: hanging });
      const { firedCount, unfinished } = await live.advance("1h", options);
      expect([firedCount, unfinished.length]).toEqual([CHARGES, CHARGES]);
    },
  );
});

const hanging: Transport = { send: () => new Promise(() => undefined), close: async () => undefined };

/** Resolves as soon as it holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
