import { describe, expect, it } from "vitest";
import { createFakeSystem } from "../../test/support/fake-system.js";
import { Signal, waitUntil } from "./signal.js";

describe("Signal", () => {
  it("wakes everybody who waits, once, and nobody who comes later", async () => {
    const signal = new Signal();
    const woken: string[] = [];
    void signal.next().then(() => woken.push("first"));
    void signal.next().then(() => woken.push("second"));
    signal.raise();
    void signal.next().then(() => woken.push("later"));
    await Promise.resolve();
    await Promise.resolve();
    expect(woken).toEqual(["first", "second"]);
  });

  it("tells a listener of every raise until it has had enough, also from within", () => {
    const signal = new Signal();
    let heard = 0;
    const stop = signal.listen(() => {
      heard++;
      signal.listen(() => heard++);
      if (heard === 3) stop();
    });
    signal.raise();
    expect(heard).toBe(1);
    signal.raise();
    expect(heard).toBe(3);
  });
});

describe("waitUntil", () => {
  it("is true at once when it holds already", async () => {
    expect(await waitUntil(new Signal(), () => true, createFakeSystem(), 0)).toBe(true);
  });

  it("is true at the raise after which it holds, and leaves no timer behind", async () => {
    const signal = new Signal();
    const system = createFakeSystem();
    let value = 0;
    const waiting = waitUntil(signal, () => value === 2, system, 1_000);
    for (value = 1; value <= 2; value++) signal.raise();
    value = 0; // held for a moment only
    expect(await waiting).toBe(true);
    expect(system.pending).toEqual([]);
  });

  it("is false when its time is over", async () => {
    const system = createFakeSystem();
    const waiting = waitUntil(new Signal(), () => false, system, 1_000);
    system.pass(1_000);
    expect(await waiting).toBe(false);
    expect(await waitUntil(new Signal(), () => false, system, 0)).toBe(false);
  });

  it("looks once more when its time is over", async () => {
    const system = createFakeSystem();
    let value = false;
    const waiting = waitUntil(new Signal(), () => value, system, 1_000);
    value = true;
    system.pass(1_000);
    expect(await waiting).toBe(true);
  });
});
