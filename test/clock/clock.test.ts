import { describe, expect, it } from "vitest";
import { createDeferred } from "../../src/kernel/events.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { setClockMode } from "../../src/sandbox/company/advance.js";
import { createFakeSystem } from "../support/fake-system.js";
import { startLive } from "../support/live.js";
import { startReceiver } from "../support/receiver.js";
import { WORLD_START } from "../support/world.js";

const HOUR = 3_600_000;

describe("each company's clock either runs (with an offset to real time) or is frozen", () => {
  it("stays at its instant while frozen", async () => {
    const system = createFakeSystem();
    const live = await startLive({ system, clock: "2030-05-05T05:05:05.555Z" });
    system.pass(HOUR);
    expect(live.now()).toBe("2030-05-05T05:05:05.555Z");
    expect((await live.http("GET", "/v1/balance")).headers.get("x-sandbox-now")).toBe("2030-05-05T05:05:05.555Z");
  });

  it("runs with real time, and keeps its offset after a move", async () => {
    const system = createFakeSystem(Date.parse(WORLD_START));
    const live = await startLive({ system, clock: "running" });
    system.pass(1_500);
    expect(live.now()).toBe("2026-01-15T09:00:01.500Z");
    await live.advance("1h");
    expect(live.now()).toBe("2026-01-15T10:00:01.500Z");
    system.pass(250);
    expect(live.now()).toBe("2026-01-15T10:00:01.750Z");
  });

  it("continues from the same instant when it is frozen and resumed", async () => {
    const system = createFakeSystem(Date.parse(WORLD_START));
    const live = await startLive({ system, clock: "running" });
    await live.advance("5m");
    await setClockMode(live.company, "frozen");
    expect(live.now()).toBe("2026-01-15T09:05:00.000Z");
    system.pass(HOUR);
    expect(live.now()).toBe("2026-01-15T09:05:00.000Z");
    await setClockMode(live.company, "running");
    expect(live.now()).toBe("2026-01-15T09:05:00.000Z");
    system.pass(7);
    expect(live.now()).toBe("2026-01-15T09:05:00.007Z");
  });

  it("never goes back when the machine's clock is corrected", async () => {
    const system = createFakeSystem(Date.parse(WORLD_START));
    const live = await startLive({ system, clock: "running" });
    system.pass(60_000);
    const charge = await live.createCharge();
    system.correctTo(Date.parse(WORLD_START) - HOUR);
    expect(live.now()).toBe("2026-01-15T09:01:00.000Z");
    expect((await live.ok("GET", `/v1/charges/${charge.id}`)).createdAt).toBe("2026-01-15T09:01:00.000Z");
    await setClockMode(live.company, "frozen");
    await setClockMode(live.company, "running");
    system.pass(1_000);
    expect(live.now()).toBe("2026-01-15T09:01:01.000Z");
  });

  it("settles a transfer after the machine's clock was set back by hours", async () => {
    const system = createFakeSystem(Date.parse(WORLD_START));
    const live = await startLive({ system, clock: "running" });
    await live.createTransfer();
    system.correctTo(Date.parse(WORLD_START) - 5 * HOUR);
    expect(live.now()).toBe(WORLD_START);
    system.pass(2_000);
    await system.yieldToEventLoop();
    expect(live.company.world.transfers.values()[0]?.status).toBe("completed");
  });

  it("drops a charge after the machine has slept, without a request", async () => {
    const system = createFakeSystem(Date.parse(WORLD_START));
    const live = await startLive({ system, clock: "running" });
    const { id } = await live.createCharge();
    system.correctTo(Date.parse(WORLD_START) + 3 * HOUR);
    system.pass(10_000);
    await system.yieldToEventLoop();
    expect(live.company.world.charges.get(id)?.status).toBe("dropped");
  });

  it("is independent of the clocks of other companies", async () => {
    const system = createFakeSystem(Date.parse(WORLD_START));
    const live = await startLive({ system, autoProvision: true });
    await live.advance("1h");
    const answer = await live.http("GET", "/v1/balance", undefined, {
      authorization: "Bearer at_other",
      "x-company-id": null,
    });
    expect(answer.headers.get("x-sandbox-now")).toBe(WORLD_START);
    expect(live.now()).toBe("2026-01-15T10:00:00.000Z");
  });

  it("drops nothing while frozen, however much real time passes", async () => {
    const system = createFakeSystem();
    const live = await startLive({ system });
    const charge = await live.createCharge();
    system.pass(48 * HOUR);
    expect((await live.ok("GET", `/v1/charges/${charge.id}`)).status).toBe("due");
  });
});

describe("before any request is handled, everything due at or before the company's now has happened", () => {
  const late = "late" as const;

  it.each([
    ["GET /v1/charges/:id", (id: string) => ["GET", `/v1/charges/${id}`, undefined, 200] as const],
    ["POST /v1/charges/:id/pay", (id: string) => ["POST", `/v1/charges/${id}/pay`, {}, 422] as const],
    ["POST /v1/charges/:id/refund", (id: string) => ["POST", `/v1/charges/${id}/refund`, {}, 422] as const],
    ["GET /v1/balance", () => ["GET", "/v1/balance", undefined, 200] as const],
    ["GET /v1/webhooks", () => ["GET", "/v1/webhooks", undefined, 200] as const],
    ["a request that is refused", () => ["POST", "/v1/charges", { amount: -1 }, 400] as const],
  ])("with a real timer that is late: %s", async (_, requestOf) => {
    const system = createFakeSystem();
    const live = await startLive({ system, clock: "running" });
    const charge = await live.createCharge();
    system.pass(HOUR, late);
    expect(live.company.world.charges.get(charge.id)?.status).toBe("due");
    const [method, path, body, status] = requestOf(charge.id);
    const answer = await live.http(method, path, body);
    expect(answer.status).toBe(status);
    expect(live.company.world.charges.get(charge.id)?.status).toBe("dropped");
  });

  it("a charge is paid 59m59.999s after its creation", async () => {
    const system = createFakeSystem();
    const live = await startLive({ system, clock: "running" });
    const charge = await live.createCharge();
    system.pass(HOUR - 1, late);
    const answer = await live.http("POST", `/v1/charges/${charge.id}/pay`, {});
    expect([answer.status, answer.body.status]).toEqual([200, "paid"]);
  });

  it("a charge is dropped at 1h at its own instant, and cannot be paid even if the timer is late", async () => {
    const system = createFakeSystem();
    const live = await startLive({ system, clock: "running" });
    const charge = await live.createCharge();
    system.pass(HOUR + 12_345, late);
    expect((await live.http("POST", `/v1/charges/${charge.id}/pay`, {})).status).toBe(422);
    expect((await live.ok("GET", `/v1/charges/${charge.id}`)).status).toBe("dropped");
    const dropped = live.events().find(({ type }) => type === "charge.dropped");
    expect((dropped?.at ?? 0) - Date.parse(WORLD_START)).toBe(HOUR);
  });

  it("refuses the payment of a charge that expires between the check for due work and the payment", async () => {
    const system = createFakeSystem();
    const live = await startLive({ system, clock: "running" });
    const charge = await live.createCharge();
    system.pass(HOUR - 1, late);
    const ready = live.company.ready.bind(live.company);
    live.company.ready = () => {
      const draining = ready();
      system.pass(1, late);
      return draining;
    };
    expect((await live.http("POST", `/v1/charges/${charge.id}/pay`, {})).status).toBe(422);
  });

  it("and of several requests that wait for the same due work each has a turn of the event loop", async () => {
    const live = await startLive();
    const all = createDeferred();
    const ready = live.company.ready.bind(live.company);
    let asked = 0;
    live.company.ready = () => {
      if (++asked === 20) all.resolve();
      return asked > 20 ? ready() : all.promise;
    };
    let turn = 0;
    const ofRequests = new Set<number>();
    live.sandbox.events.on("changed", () => ofRequests.add(turn));
    let isOver = false;
    const countTurns = (): void => {
      turn++;
      if (!isOver) setImmediate(countTurns);
    };
    countTurns();
    await Promise.all(Array.from({ length: 20 }, () => live.createCharge()));
    isOver = true;
    expect(ofRequests.size).toBe(20);
  });

  it("handles all due work on a frozen clock, also more than one slice", async () => {
    const live = await startLive({ profile: { transfers: { settlement: { after: 0 } } } });
    const items = Array.from({ length: 450 }, (_, index) => ({
      amount: 5_000,
      msisdn: "+2250700000001",
      reference: `bulk-${index}`,
    }));
    await live.ok("POST", "/v1/transactions/batch", { transactions: items });
    await live.ok("GET", "/v1/balance");
    expect(live.company.world.transfers.values().every(({ status }) => status === "completed")).toBe(true);
  });
});

describe("a running clock", () => {
  it("drops, settles and retries without any request", async () => {
    const live = await startLive({
      clock: "running",
      profile: { charges: { ttl: "40ms" }, transfers: { settlement: { after: "10ms" } }, webhooks: { retry: ["5ms"] } },
    });
    const receiver = await startReceiver((_, index) => ({ status: index === 0 ? 500 : 200 }));
    for (const topic of ["charges/events", "transactions/completed"]) await live.subscribe(topic, receiver.url);
    const charge = await live.createCharge();
    const transfer = await live.createTransfer();
    await receiver.waitFor(3);
    await live.until(() => live.deliveries().every(({ status }) => status === "succeeded"));
    const [dropped] = live.deliveries().filter(({ resource }) => resource === charge.id);
    expect(dropped?.createdAt).toBe((live.company.world.charges.get(charge.id)?.createdAt ?? 0) + 40);
    expect(live.company.world.transfers.get(transfer.id.slice(4))?.status).toBe("completed");
  });

  it("sets one timer, for the earliest due item, of ten seconds at most", async () => {
    const system = createFakeSystem();
    const live = await startLive({ system, clock: "running" });
    expect(system.pending).toEqual([]);
    const charge = await live.createCharge();
    expect(system.pending).toEqual([10_000]);
    await live.createTransfer();
    expect(system.pending).toEqual([2_000]);
    system.pass(2_000);
    await live.until(() => live.company.world.transfers.values()[0]?.status === "completed");
    expect(system.pending).toEqual([10_000]);
    await live.ok("POST", `/v1/charges/${charge.id}/pay`);
    system.pass(HOUR);
    expect(system.pending).toEqual([]);
  });

  it("sets its timer again when it is moved, frozen and resumed", async () => {
    const system = createFakeSystem();
    const live = await startLive({ system, clock: "running" });
    await live.createCharge();
    await live.advance("59m55s");
    expect(system.pending).toEqual([5_000]);
    await setClockMode(live.company, "frozen");
    expect(system.pending).toEqual([]);
    await setClockMode(live.company, "running");
    expect(system.pending).toEqual([5_000]);
  });

  it("waits again when its timer fires early, as after a correction of the machine's clock", async () => {
    const system = createFakeSystem(Date.parse(WORLD_START));
    const live = await startLive({ system, clock: "running" });
    const { id } = await live.createCharge();
    system.correctTo(system.now() - 10_000);
    system.pass(HOUR);
    await system.yieldToEventLoop();
    expect(live.company.world.charges.get(id)?.status).toBe("due");
    expect(system.pending).toEqual([10_000]);
    system.pass(10_000);
    await system.yieldToEventLoop();
    expect(live.company.world.charges.get(id)?.status).toBe("dropped");
  });

  it("waits for more than 2^31 ms", async () => {
    const system = createFakeSystem();
    const capped = {
      ...system,
      after: (ms: number, task: () => void) => system.after(Math.min(ms, 2 ** 31 - 1), task),
    };
    const live = await startLive({ system: capped, clock: "running", profile: { charges: { ttl: "60d" } } });
    const { id } = await live.createCharge();
    system.pass(2 ** 31 - 1);
    await system.yieldToEventLoop();
    expect(live.company.world.charges.get(id)?.status).toBe("due");
    system.pass(60 * 24 * HOUR - (2 ** 31 - 1));
    await system.yieldToEventLoop();
    expect(live.company.world.charges.get(id)?.status).toBe("dropped");
  });
});

describe("the machine's timers", () => {
  it("do not fire immediately for more than 32 bits of milliseconds", async () => {
    const fired: string[] = [];
    const cancel = systemClock.after(2 ** 32, () => fired.push("long"));
    await new Promise<void>((resolve) => systemClock.after(5, resolve));
    cancel();
    expect(fired).toEqual([]);
  });

  it("do not fire after they are cancelled", async () => {
    const fired: string[] = [];
    systemClock.after(0, () => fired.push("cancelled"))();
    await new Promise<void>((resolve) => systemClock.after(5, resolve));
    expect(fired).toEqual([]);
  });
});
