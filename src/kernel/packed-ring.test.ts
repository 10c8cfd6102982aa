import { describe, expect, it } from "vitest";
import { PackedRing } from "./packed-ring.js";

function textsOf(ring: PackedRing): string[] {
  return Array.from({ length: ring.size }, (_, index) => ring.text(index).read());
}

/** The texts that are to be there, kept in the plainest way. */
function play(ring: PackedRing, steps: number, most: number, textOf: (step: number) => string): string[] {
  const expected: string[] = [];
  for (let step = 0; step < steps; step++) {
    ring.push(textOf(step), [step, step / 3]);
    expected.push(textOf(step));
    while (ring.size > most) {
      ring.shift();
      expected.shift();
    }
  }
  return expected;
}

describe("a packed ring", () => {
  it.each([
    ["short ones", (step: number) => `${step}`],
    ["some that are empty", (step: number) => (step % 2 === 0 ? "" : `${step}`)],
    ["those of about a kilobyte", (step: number) => `${step} ${"x".repeat((step * 37) % 2_000)}`],
    ["large ones among small ones", (step: number) => `${step} ${"y".repeat(step % 7 === 0 ? 100_000 : 5)}`],
    ["letters of several bytes", (step: number) => `${step} ${"é\u20ac\ud83d\ude00".repeat((step * 13) % 400)}`],
  ])("keeps the newest texts: %s", (_, textOf) => {
    for (const most of [1, 7, 16, 17, 300]) {
      const ring = new PackedRing(2);
      expect(play(ring, 1_000, most, textOf)).toEqual(textsOf(ring));
      expect([ring.number(0, 0), ring.number(ring.size - 1, 1)]).toEqual([1_000 - ring.size, 333]);
    }
  });

  it("counts what its rows take, and nothing when there are none", () => {
    const ring = new PackedRing(0);
    ring.push("abc", []);
    const one = ring.bytes;
    ring.push("\u20ac", []);
    expect(ring.bytes).toBe(2 * one);
    ring.shift();
    ring.shift();
    ring.shift();
    expect([ring.size, ring.bytes]).toEqual([0, 0]);
  });

  it("begins again when it is cleared", () => {
    const ring = new PackedRing(1);
    play(ring, 1_000, 100, (step) => `${step}`);
    ring.clear();
    expect([ring.size, ring.bytes]).toEqual([0, 0]);
    ring.push("again", [1]);
    expect([ring.text(0).read(), ring.number(0, 0)]).toEqual(["again", 1]);
  });

  it("changes a number in its place", () => {
    const ring = new PackedRing(2);
    play(ring, 20, 10, (step) => `${step}`);
    ring.setNumber(3, 1, -1.5);
    expect([ring.number(3, 0), ring.number(3, 1), ring.number(4, 1)]).toEqual([13, -1.5, 14 / 3]);
  });

  it("lets a text be read that was forgotten since", () => {
    const ring = new PackedRing(0);
    ring.push("first", []);
    const first = ring.text(0);
    ring.shift();
    play(ring, 1_000, 10, (step) => `${step} ${"x".repeat(2_000)}`);
    const other = ring.text(5);
    const said = other.read();
    play(ring, 1_000, 10, (step) => `${step} ${"y".repeat(2_000)}`);
    expect([first.read(), other.read()]).toEqual(["first", said]);
  });

  it("uses the memory of those that are forgotten for those that come", () => {
    const ring = new PackedRing(1);
    const before = process.memoryUsage().arrayBuffers;
    play(ring, 100_000, 100, (step) => `${step} ${"x".repeat(1_000)}`);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(4_000_000);
  });
});
