import { describe, expect, it } from "vitest";
import { createFakeSystem } from "../../test/support/fake-system.js";
import { EventEmitter } from "./events.js";

interface TestEvents {
  readonly counted: number;
  readonly named: string;
}

const create = () => new EventEmitter<TestEvents>();

describe("EventEmitter", () => {
  it("calls the listeners of an event in order, with its payload, until they unsubscribe", () => {
    const events = create();
    const heard: string[] = [];
    const unsubscribe = events.on("counted", (n) => heard.push(`first ${n}`));
    events.on("counted", (n) => heard.push(`second ${n}`));
    events.on("named", (name) => heard.push(name));
    events.emit("counted", 1);
    unsubscribe();
    events.emit("counted", 2);
    events.emit("named", "last");
    expect(heard).toEqual(["first 1", "second 1", "second 2", "last"]);
    expect(events.listenerCount("counted")).toBe(1);
  });

  it("calls a listener that was added by another one from the next event on", () => {
    const events = create();
    let heard = 0;
    events.on("counted", () => events.on("counted", () => heard++));
    events.emit("counted", 1);
    expect(heard).toBe(0);
    events.emit("counted", 2);
    expect(heard).toBe(1);
  });
});

describe("waitFor", () => {
  it("resolves to true at the first event that matches, and leaves neither a timer nor a listener", async () => {
    const events = create();
    const system = createFakeSystem();
    const waiting = events.waitFor("counted", (n) => n === 2, { system, maxMs: 1_000 });
    events.emit("counted", 1);
    expect(events.listenerCount("counted")).toBe(1);
    events.emit("counted", 2);
    expect(await waiting).toBe(true);
    expect(system.pending).toEqual([]);
    expect(events.listenerCount("counted")).toBe(0);
  });

  it("resolves to false when its time is over", async () => {
    const events = create();
    const system = createFakeSystem();
    const waiting = events.waitFor("counted", () => true, { system, maxMs: 1_000 });
    system.pass(1_000);
    expect(await waiting).toBe(false);
    expect(events.listenerCount("counted")).toBe(0);
  });

  it("resolves to false when it is aborted", async () => {
    const events = create();
    const system = createFakeSystem();
    const controller = new AbortController();
    const waiting = events.waitFor("counted", () => true, { system, maxMs: 1_000, abort: controller.signal });
    controller.abort();
    expect(await waiting).toBe(false);
    expect(system.pending).toEqual([]);
  });
});
