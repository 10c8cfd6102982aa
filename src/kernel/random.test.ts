import { describe, expect, it } from "vitest";
import { createMachineRandom, createSeededRandom, hashToSeed } from "./random.js";

describe("a seeded stream", () => {
  it.each([0, 1, 16, 32, 33, 100])("draws %i bytes", (size) => {
    expect(createSeededRandom(1, "a").bytes(size)).toHaveLength(size);
    expect(createMachineRandom().bytes(size)).toHaveLength(size);
  });

  it("counts its draws, not its bytes", () => {
    const random = createSeededRandom(1, "a");
    random.bytes(1);
    random.bytes(100);
    expect(random.position).toBe(2);
  });

  it("repeats, and can be taken up at any draw", () => {
    const random = createSeededRandom(1, "a");
    const draws = [random.bytes(8), random.bytes(40), random.bytes(8)];
    expect(createSeededRandom(1, "a").bytes(8)).toEqual(draws[0]);
    expect(createSeededRandom(1, "a", 2).bytes(8)).toEqual(draws[2]);
    expect(draws[2]).not.toEqual(draws[0]);
  });

  it("keeps seeds and names apart, however they run together", () => {
    const of = (seed: number, name: string): string =>
      Buffer.from(createSeededRandom(seed, name).bytes(16)).toString("hex");
    expect(new Set([of(1, "1"), of(11, ""), of(1, ""), of(1, "1\n0"), of(2, "1")]).size).toBe(5);
  });
});

it("hashToSeed gives the same 32 bits for the same words", () => {
  expect(hashToSeed(1, "a")).toBe(hashToSeed(1, "a"));
  expect(hashToSeed(1, "a")).not.toBe(hashToSeed(2, "a"));
  expect(hashToSeed("a", "b")).not.toBe(hashToSeed("ab"));
  expect(hashToSeed("a")).toBeGreaterThanOrEqual(0);
  expect(hashToSeed("a")).toBeLessThan(2 ** 32);
});
