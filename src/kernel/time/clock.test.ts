import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Clock } from "./clock.js";
import { LATEST } from "./instant.js";
import type { SystemClock } from "./system-clock.js";

/** A machine whose time the test sets. */
function createMachine(start = 1_000) {
  let time = start;
  const system: SystemClock = {
    now: () => time,
    monotonic: () => time,
    after: () => () => undefined,
    sleep: async () => undefined,
    yieldToEventLoop: () => Promise.resolve(),
  };
  return { system, set: (to: number) => (time = to), pass: (ms: number) => (time += ms) };
}

describe("a running clock", () => {
  it("runs with real time, at its offset", () => {
    const machine = createMachine();
    const clock = new Clock(machine.system, { mode: "running", offsetMs: 500 });
    expect(clock.now()).toBe(1_500);
    machine.pass(250);
    expect(clock.now()).toBe(1_750);
    expect(clock.mode).toBe("running");
    expect(clock.realDelayUntil(2_000)).toBe(250);
  });

  it("continues from where it was when the machine's clock is set back", () => {
    const machine = createMachine();
    const clock = new Clock(machine.system, { mode: "running", offsetMs: 0 });
    machine.set(400);
    expect(clock.now()).toBe(1_000);
    expect(clock.realDelayUntil(1_100)).toBe(100);
    machine.pass(50);
    expect(clock.now()).toBe(1_050);
    expect(clock.save()).toEqual({ mode: "running", offsetMs: 600 });
  });

  it("continues from the instant of its release", () => {
    const machine = createMachine();
    const clock = new Clock(machine.system, { mode: "running", offsetMs: 0 });
    clock.pin(5_000);
    machine.pass(100);
    expect(clock.now()).toBe(5_000);
    expect(clock.pinned).toBe(true);
    expect(clock.realDelayUntil(6_000)).toBeUndefined();
    clock.release();
    expect(clock.pinned).toBe(false);
    machine.pass(10);
    expect(clock.now()).toBe(5_010);
    expect(clock.save()).toEqual({ mode: "running", offsetMs: 3_900 });
  });

  it("stops at the last instant", () => {
    const machine = createMachine();
    const clock = new Clock(machine.system, { mode: "running", offsetMs: LATEST - 1_500 });
    machine.pass(1_000);
    expect(clock.now()).toBe(LATEST);
    expect(clock.realDelayUntil(LATEST + 1)).toBeUndefined();
    clock.setMode("frozen");
    expect(clock.save()).toEqual({ mode: "frozen", at: LATEST });
  });

  it("freezes at its present instant", () => {
    const machine = createMachine();
    const clock = new Clock(machine.system, { mode: "running", offsetMs: 0 });
    clock.setMode("frozen");
    machine.pass(99);
    expect(clock.now()).toBe(1_000);
    expect(clock.save()).toEqual({ mode: "frozen", at: 1_000 });
  });
});

describe("a frozen clock", () => {
  it("does not move, however much real time passes", () => {
    const machine = createMachine();
    const clock = new Clock(machine.system, { mode: "frozen", at: 42 });
    machine.pass(1e9);
    expect(clock.now()).toBe(42);
    expect(clock.realDelayUntil(43)).toBeUndefined();
    expect(clock.save()).toEqual({ mode: "frozen", at: 42 });
  });

  it("stays at the instant of its release", () => {
    const clock = new Clock(createMachine().system, { mode: "frozen", at: 42 });
    clock.pin(100);
    expect(clock.save()).toEqual({ mode: "frozen", at: 100 });
    clock.release();
    expect(clock.now()).toBe(100);
  });

  it("continues from its instant when it is resumed", () => {
    const machine = createMachine();
    const clock = new Clock(machine.system, { mode: "frozen", at: 42 });
    clock.setMode("running");
    machine.pass(8);
    expect(clock.now()).toBe(50);
  });
});

it("a clock never goes back, under any sequence of calls", () => {
  const action = fc.oneof(
    fc.record({ do: fc.constant("pass" as const), ms: fc.integer({ min: -500, max: 500 }) }),
    fc.record({ do: fc.constant("pin" as const), ms: fc.integer({ min: -500, max: 500 }) }),
    fc.record({ do: fc.constantFrom("release" as const, "running" as const, "frozen" as const), ms: fc.constant(0) }),
  );
  fc.assert(
    fc.property(fc.constantFrom("running" as const, "frozen" as const), fc.array(action), (mode, actions) => {
      const machine = createMachine();
      const clock = new Clock(machine.system, mode === "frozen" ? { mode, at: 1_000 } : { mode, offsetMs: 0 });
      let latest = clock.now();
      for (const one of actions) {
        if (one.do === "pass") machine.pass(one.ms);
        else if (one.do === "pin") clock.pin(clock.now() + one.ms);
        else if (one.do === "release") clock.release();
        else clock.setMode(one.do);
        const now = clock.now();
        expect(now).toBeGreaterThanOrEqual(latest);
        latest = now;
      }
    }),
  );
});
