import { describe, expect, it } from "vitest";
import { EventEmitter } from "../../kernel/events.js";
import { systemClock } from "../../kernel/time/system-clock.js";
import { CONCURRENT_ATTEMPTS, CONCURRENT_ATTEMPTS_PER_RECEIVER, Dispatcher, WAITING_UNSWEPT } from "./dispatcher.js";
import type { Delivery } from "../../domain/model/delivery.js";
import { longestStop } from "../../../test/support/loop-stops.js";

function delivery(n: number): Delivery {
  return {
    id: `del_${n}`,
    seq: n,
    createdAt: 0,
    eventId: `evt_${n}`,
    subscriptionId: "sub",
    topic: "charges/events",
    url: "http://hook.test/",
    resource: `charge_${n}`,
    resourceKind: "charge",
    body: "{}",
    copy: 0,
    turn: n,
    effect: null,
    status: "pending",
    nextAttemptAt: 0,
    attempts: [],
  };
}

type DispatcherDeps = ConstructorParameters<typeof Dispatcher>[0];

function createDispatcher(deps: Partial<DispatcherDeps>): Dispatcher {
  const usual = {
    events: new EventEmitter(),
    system: systemClock,
    isPending: () => true,
    nextSeq: () => 0,
    onBug: () => undefined,
  };
  return new Dispatcher({ ...usual, attempt: () => undefined, ...deps });
}

describe("Dispatcher", () => {
  it("skips a hundred thousand that are no longer pending, without recursion", async () => {
    let answer = (_: { succeeded: boolean }): void => undefined;
    const answered = new Promise<{ succeeded: boolean }>((resolve) => (answer = resolve));
    const bugs: unknown[] = [];
    let begun = 0;
    const dispatcher = createDispatcher({
      attempt: () => (begun++ < CONCURRENT_ATTEMPTS_PER_RECEIVER ? answered : undefined),
      onBug: (_, error) => bugs.push(error),
    });
    const counts = dispatcher.startCount();
    dispatcher.hold(Array.from({ length: 100_000 }, (_, n) => delivery(n))).release();
    answer({ succeeded: true });
    expect(await dispatcher.quietWithin(60_000)).toBe(true);
    expect([begun, bugs]).toEqual([100_000, []]);
    const sent = CONCURRENT_ATTEMPTS_PER_RECEIVER;
    expect(counts).toEqual({ attempted: sent, succeeded: sent, failed: 0 });
  });

  it("starts an event with thousands of subscriptions without reading all of them for each", async () => {
    let begun = 0;
    const dispatcher = createDispatcher({
      attempt: () => void begun++,
    });
    const subscribed = Array.from({ length: 20_000 }, (_, n) => ({ ...delivery(0), id: `del_${n}` }));
    const stop = await longestStop(async () => {
      dispatcher.hold(subscribed).release();
      expect(await dispatcher.quietWithin(60_000)).toBe(true);
    });
    expect(begun).toBe(20_000);
    expect(stop).toBeLessThan(1_500);
  });

  it("starts attempts that take time, at many receivers, between other work", async () => {
    const dispatcher = createDispatcher({
      attempt() {
        const start = performance.now();
        while (performance.now() - start < 2);
        return undefined;
      },
    });
    const subscribed = Array.from({ length: 200 }, (_, n) => ({
      ...delivery(0),
      id: `del_${n}`,
      url: `http://hook${n}.test/`,
    }));
    const stop = await longestStop(async () => {
      dispatcher.hold(subscribed).release();
      expect(await dispatcher.quietWithin(60_000)).toBe(true);
    });
    expect(stop).toBeLessThan(100);
  });

  it("has no more than 64 MiB of bodies in flight", async () => {
    const answers: (() => void)[] = [];
    const begun: string[] = [];
    const dispatcher = createDispatcher({
      attempt(id) {
        begun.push(id);
        return new Promise((resolve) => answers.push(() => resolve({ succeeded: true })));
      },
    });
    const body = "x".repeat(1024 * 1024);
    const large = Array.from({ length: 66 }, (_, n) => ({ ...delivery(n), url: `http://hook${n}.test/`, body }));
    dispatcher.hold(large).release();
    expect(begun).toHaveLength(64);
    answers[0]?.();
    await dispatcher.endedWithin(["del_0"], 60_000);
    expect(begun.slice(64)).toEqual(["del_64"]);
    for (const answer of answers) answer();
    await dispatcher.endedWithin(["del_1"], 60_000);
    answers.at(-1)?.();
    expect(await dispatcher.quietWithin(60_000)).toBe(true);
    expect(begun.slice(65)).toEqual(["del_65"]);
  });

  it("has no more than a thousand attempts in flight to all receivers together", async () => {
    const answers: (() => void)[] = [];
    const dispatcher = createDispatcher({
      attempt: () => new Promise((resolve) => answers.push(() => resolve({ succeeded: true }))),
    });
    const many = Array.from({ length: 1_002 }, (_, n) => ({ ...delivery(n), url: `http://hook${n}.test/` }));
    dispatcher.hold(many).release();
    const ids = many.map(({ id }) => id);
    await expect.poll(() => answers.length).toBe(CONCURRENT_ATTEMPTS);
    answers[0]?.();
    await dispatcher.endedWithin(ids.slice(0, 1), 60_000);
    await expect.poll(() => answers.length).toBe(CONCURRENT_ATTEMPTS + 1);
    for (const answer of answers.splice(0)) answer();
    await expect.poll(() => answers.length).toBe(1);
    answers[0]?.();
    expect(await dispatcher.quietWithin(60_000)).toBe(true);
  });

  it("starts nothing once it is closed", async () => {
    let begun = 0;
    const dispatcher = createDispatcher({
      attempt: () => void begun++,
    });
    const held = dispatcher.hold([delivery(1)]);
    dispatcher.close();
    held.release();
    dispatcher.holdRetries([delivery(2)])();
    expect([begun, dispatcher.quiet, dispatcher.outstanding]).toEqual([0, true, []]);
  });

  it("drops waiting attempts that are no longer pending behind a receiver that hangs", () => {
    const pending = new Set<string>();
    const dispatcher = createDispatcher({
      attempt: () => new Promise(() => undefined),
      isPending: (id) => pending.has(id),
    });
    for (let n = 0; n < 50_000; n++) {
      const next = delivery(n);
      pending.add(next.id);
      // Like a table that forgets its oldest row.
      pending.delete(`del_${n - 1_000}`);
      dispatcher.hold([next]).release();
    }
    expect(dispatcher.outstanding.length).toBeLessThan(20_000);
    expect(dispatcher.outstanding.at(-1)).toBe("del_49999");
    dispatcher.close();
  });

  it("sends a webhook whose neighbour of the same event was cancelled, behind thousands that wait", async () => {
    const answers: (() => void)[] = [];
    const dispatcher = createDispatcher({
      attempt: () => new Promise((resolve) => answers.push(() => resolve({ succeeded: true }))),
      isPending: (id) => id !== "del_cancelled",
    });
    const later = { ...delivery(1), eventId: "evt_later" };
    const many = Array.from({ length: CONCURRENT_ATTEMPTS_PER_RECEIVER + WAITING_UNSWEPT }, (_, n) => delivery(n + 1));
    dispatcher.hold(many.slice(0, CONCURRENT_ATTEMPTS_PER_RECEIVER)).release();
    await expect.poll(() => answers.length).toBe(CONCURRENT_ATTEMPTS_PER_RECEIVER);
    dispatcher.hold(["del_cancelled", "del_live"].map((id) => ({ ...later, id }))).release();
    dispatcher.hold(many.slice(CONCURRENT_ATTEMPTS_PER_RECEIVER)).release();
    for (let turns = 0; !dispatcher.quiet && turns < 1_000; turns++) {
      for (const answer of answers.splice(0)) answer();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(dispatcher.outstanding).toEqual([]);
  });
});
