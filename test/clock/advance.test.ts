import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../src/adapters/store/store.js";
import { createDeferred } from "../../src/kernel/events.js";
import { toIso } from "../../src/kernel/time/instant.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { advance } from "../../src/sandbox/company/advance.js";
import { createStoredSandbox } from "../../src/sandbox/state/store-format.js";
import { createFakeSystem } from "../support/fake-system.js";
import { answerAfter, gate, startLive } from "../support/live.js";
import { startReceiver } from "../support/receiver.js";
import { WORLD_START, openWorld } from "../support/world.js";

const START = Date.parse(WORLD_START);
const HOUR = 3_600_000;

describe("advancing jumps from due item to due item up to and including the target", () => {
  it("handles what is due at the target, and nothing later", async () => {
    const live = await startLive();
    const charge = await live.createCharge();
    await live.advance("59m59.999s");
    expect((await live.ok("GET", `/v1/charges/${charge.id}`)).status).toBe("due");
    await live.advance("1ms");
    expect((await live.ok("GET", `/v1/charges/${charge.id}`)).status).toBe("dropped");
    expect(live.now()).toBe("2026-01-15T10:00:00.000Z");
  });

  it("sets now to each item's instant: events, updatedAt and attempts carry it", async () => {
    const live = await startLive();
    const receiver = await startReceiver();
    for (const topic of ["charges/events", "transactions/completed"]) await live.subscribe(topic, receiver.url);
    const charge = await live.createCharge();
    const transfer = await live.createTransfer();
    const late = await live.createTransfer({ msisdn: "+2250700000004" });
    await live.advance("3h");
    expect((await live.ok("GET", `/v1/transactions/${transfer.id}`)).updatedAt).toBe("2026-01-15T09:00:02.000Z");
    expect((await live.ok("GET", `/v1/transactions/${late.id}`)).updatedAt).toBe("2026-01-15T09:10:02.000Z");
    expect(live.events().find(({ type }) => type === "charge.dropped")?.at).toBe(START + HOUR);
    expect(live.deliveries().map(({ resource, attempts }) => [resource, attempts.map(({ at }) => toIso(at))])).toEqual([
      [transfer.id.slice(4), ["2026-01-15T09:00:02.000Z"]],
      [late.id.slice(4), ["2026-01-15T09:10:02.000Z"]],
      [charge.id, ["2026-01-15T10:00:00.000Z"]],
    ]);
  });

  it("handles equal instants in the order in which they were scheduled", async () => {
    const live = await startLive({ profile: { transfers: { settlement: { after: "1h" } } } });
    const made: string[] = [];
    for (let pair = 0; pair < 3; pair++) {
      made.push((await live.createCharge()).id, (await live.createTransfer()).id.slice(4));
    }
    const { fired } = await live.advance("1h");
    expect(fired.map(({ subject, at }) => [subject, at])).toEqual(made.map((id) => [id, START + HOUR]));
    expect(
      live
        .events()
        .slice(-6)
        .map(({ resource }) => resource),
    ).toEqual(made);
  });

  it("answers with now and the fired items, in order", async () => {
    const live = await startLive();
    const charge = await live.createCharge();
    const transfer = await live.createTransfer();
    const result = await live.advance("2h");
    expect(result).toEqual({
      now: START + 2 * HOUR,
      fired: [
        { at: START + 2_000, kind: "transfer.settle", subject: transfer.id.slice(4) },
        { at: START + HOUR, kind: "charge.expire", subject: charge.id },
      ],
      firedCount: 2,
      deliveries: { attempted: 0, succeeded: 0, failed: 0 },
      unfinished: [],
    });
  });
});

describe("the target of an advance", () => {
  it("may be an instant: setting a future time is an advance", async () => {
    const live = await startLive();
    const { id } = await live.createCharge();
    await live.advance("2026-01-16T00:00:00Z");
    expect(live.now()).toBe("2026-01-16T00:00:00.000Z");
    expect(live.company.world.charges.get(id)?.status).toBe("dropped");
  });

  it("may be now: no time passes, and what is due now happens", async () => {
    const live = await startLive();
    expect((await live.advance(WORLD_START)).now).toBe(START);
    expect((await live.advance("0s")).firedCount).toBe(0);
    expect(live.now()).toBe(WORLD_START);
  });

  it("may be the next due item: everything at that instant happens", async () => {
    const live = await startLive();
    await live.createTransfer();
    await live.createTransfer();
    await live.createCharge();
    const first = await live.advance("next");
    expect([first.now - START, first.firedCount]).toEqual([2_000, 2]);
    const second = await live.advance("next");
    expect([second.now - START, second.firedCount]).toEqual([HOUR, 1]);
  });

  it("is now when nothing is due", async () => {
    const live = await startLive();
    const result = await live.advance("next");
    expect([result.now, result.firedCount]).toEqual([START, 0]);
  });

  it("must not be in the past", async () => {
    const live = await startLive();
    await expect(live.advance("2026-01-15T08:59:59.999Z")).rejects.toMatchObject({
      kind: "input",
      message: expect.stringContaining("1ms in the past"),
    });
    expect(live.now()).toBe(WORLD_START);
  });

  it("must not be after the year 9999", async () => {
    const live = await startLive({ clock: "9999-12-31T23:00:00Z" });
    await expect(live.advance("1h")).rejects.toMatchObject({ kind: "input" });
    expect((await live.advance("59m59.999s")).now).toBe(Date.UTC(9999, 11, 31, 23, 59, 59, 999));
  });

  it("is where a running clock continues", async () => {
    const system = createFakeSystem(START);
    const live = await startLive({ system, clock: "running" });
    await live.receiverFor("charges/events", () => {
      system.pass(777, "late");
      return {};
    });
    await live.createCharge();
    await live.advance("90m");
    expect(live.now()).toBe("2026-01-15T10:30:00.000Z");
    system.pass(1);
    expect(live.now()).toBe("2026-01-15T10:30:00.001Z");
  });
});

describe("advances of one company are serialised", () => {
  it("each begins where the one before ended", async () => {
    const live = await startLive();
    await live.receiverFor("charges/events");
    await live.createCharge();
    const results = await Promise.all([
      live.advance("1h"),
      live.advance("1h"),
      live.advance("next"),
      live.advance("1h"),
    ]);
    expect(results.map(({ now }) => (now - START) / HOUR)).toEqual([1, 2, 2, 3]);
    expect(results.map(({ firedCount }) => firedCount)).toEqual([1, 0, 0, 0]);
  });

  it("a refused one does not delay the next", async () => {
    const live = await startLive();
    const [refused, done] = await Promise.allSettled([live.advance("2020-01-01T00:00:00Z"), live.advance("1h")]);
    expect([refused.status, done.status]).toEqual(["rejected", "fulfilled"]);
  });

  it("those of different companies do not wait for each other", async () => {
    const live = await startLive({ autoProvision: true });
    const hold = gate();
    const receiver = await live.receiverFor("charges/events", answerAfter(hold));
    await live.createCharge();
    const slow = live.advance("1h");
    await receiver.waitFor(1);
    const other = live.sandbox.findByToken("at_other");
    expect(other).toBeDefined();
    if (other !== undefined) expect((await advance(other, { byMs: 5 * HOUR })).now).toBe(START + 5 * HOUR);
    hold.open();
    expect((await slow).now).toBe(START + HOUR);
  });
});

describe("an advance across a reset", () => {
  it("ends with a clear message and does not touch the new company", async () => {
    const live = await startLive();
    const receiver = await live.receiverFor("charges/events", "hang");
    await live.createCharge();
    const cut = live.advance("1h");
    const queued = live.advance("1h");
    await receiver.waitFor(1);
    live.sandbox.reset(live.company);
    await expect(cut).rejects.toMatchObject({ kind: "state", message: expect.stringContaining("reset") });
    await expect(queued).rejects.toMatchObject({ kind: "state" });
    expect(live.now()).toBe(WORLD_START);
    expect(live.deliveries()).toEqual([]);
    expect((await live.advance("1h")).now).toBe(START + HOUR);
  });

  it("aborts the attempt in flight and starts no other", async () => {
    const live = await startLive();
    const receiver = await live.receiverFor("charges/events", "hang");
    for (let n = 0; n < 100; n++) await live.createCharge();
    const cut = live.advance("1h");
    await receiver.waitFor(64);
    live.sandbox.reset(live.company);
    await expect(cut).rejects.toMatchObject({ kind: "state" });
    await receiver.disconnected();
    expect(receiver.received).toHaveLength(64);
  });
});

it("fires no more items at a time than the store can write", async () => {
  let noted = 0;
  let kept: Promise<void> | undefined;
  const store = { ...createMemoryStore(createStoredSandbox()), note: () => void noted++, durable: () => kept };
  const { api, sandbox } = openWorld({ store });
  const order = (n: number) => ({ amount: 5000, msisdn: "+2250700000001", reference: `pay-${n}`, type: "transfer" });
  await api("POST", "/v1/transactions/batch", { transactions: Array.from({ length: 500 }, (_, n) => order(n)) });
  const writing = createDeferred();
  [noted, kept] = [0, writing.promise];
  const advanced = advance(sandbox.defaultCompany, { byMs: 10_000 });
  for (let turn = 0; turn < 50; turn++) await systemClock.yieldToEventLoop();
  expect(noted).toBeLessThan(100);
  kept = undefined;
  writing.resolve();
  expect((await advanced).firedCount).toBe(500);
});
