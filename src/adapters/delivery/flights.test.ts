import { expect, it } from "vitest";
import { createFakeSystem } from "../../../test/support/fake-system.js";
import { type Flight, Flights } from "./flights.js";

/** Some that take so long at most, ms, and what becomes of each: `names[index] what`, in the order in which it does. */
function takeOff(timeouts: Readonly<Record<string, number>>) {
  const system = createFakeSystem(0);
  const controller = new AbortController();
  const flights = new Flights(system, controller.signal);
  const ended: string[] = [];
  const under = new Map<string, Flight>();
  for (const [name, timeoutMs] of Object.entries(timeouts)) {
    const end = (how: string): void => {
      ended.push(`${name} ${how}`);
      flights.end(flight);
    };
    const flight: Flight = {
      deadline: system.monotonic() + timeoutMs,
      place: 0,
      timeOut: () => end("timed out"),
      giveUp: () => end("was given up"),
    };
    under.set(name, flight);
    flights.begin(flight);
  }
  const land = (name: string): void => flights.end(under.get(name)!);
  return { system, ended, land, abort: () => controller.abort() };
}

it("each is over when its own time is", () => {
  const { system, ended } = takeOff({ middle: 200, short: 100, long: 300, alike: 200 });
  expect(system.pending).toEqual([100]);
  system.pass(99);
  expect(ended).toEqual([]);
  system.pass(1);
  expect(ended).toEqual(["short timed out"]);
  system.pass(100);
  expect(ended.slice(1).toSorted()).toEqual(["alike timed out", "middle timed out"]);
  system.pass(100);
  expect(ended.slice(3)).toEqual(["long timed out"]);
  expect(system.pending).toEqual([]);
});

it("one that has landed is not timed out, and is no reason for another to be so early", () => {
  const { system, ended, land } = takeOff({ first: 100, second: 250, third: 250 });
  land("first");
  system.pass(100);
  land("third");
  expect([ended, system.pending]).toEqual([[], [150]]);
  system.pass(150);
  expect(ended).toEqual(["second timed out"]);
});

it("the last that lands leaves no timer behind", () => {
  const { system, land } = takeOff({ first: 100, second: 200 });
  land("second");
  land("first");
  expect(system.pending).toEqual([]);
});

it("all are given up together", () => {
  const { system, ended, land, abort } = takeOff({ first: 100, second: 200, third: 300 });
  land("first");
  abort();
  expect(ended.toSorted()).toEqual(["second was given up", "third was given up"]);
  expect(system.pending).toEqual([]);
});
