import { describe, expect, it } from "vitest";
import { type IdSource, createIdSource, createMachineRandom, createSeededRandom, hashToSeed } from "./ids.js";

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const draw = (ids: IdSource, count: number): string[] => Array.from({ length: count }, () => ids.uuid());

describe.each([
  ["without a seed", undefined],
  ["with a seed", 7],
])("ids %s", (_, seed) => {
  it("have the documented forms", () => {
    const ids = createIdSource(seed, "company");
    for (const uuid of draw(ids, 50)) expect(uuid).toMatch(UUID_V4);
    expect(ids.short("evt")).toMatch(/^evt_[\w-]{21}$/);
    expect(ids.hex32()).toMatch(/^[0-9a-f]{32}$/);
  });

  it("do not repeat", () => {
    const ids = createIdSource(seed, "company");
    expect(new Set(draw(ids, 2_000)).size).toBe(2_000);
  });
});

describe("seeded ids", () => {
  it("are the same for the same seed and name, in the same order", () => {
    const draw = (ids: IdSource): string[] => [ids.uuid(), ids.short("del"), ids.hex32(), ids.uuid()];
    expect(draw(createIdSource(7, "company"))).toEqual(draw(createIdSource(7, "company")));
  });

  it.each([
    ["seed", 8, "company"],
    ["name", 7, "other"],
  ])("differ for another %s", (_, seed, name) => {
    const ids = draw(createIdSource(7, "company"), 20);
    const others = draw(createIdSource(seed, name), 20);
    expect(ids.filter((id) => others.includes(id))).toEqual([]);
  });

  it("continue at a stored position, so that none is repeated", () => {
    const ids = createIdSource(7, "company");
    draw(ids, 5);
    const later = createIdSource(7, "company", ids.position);
    expect(draw(later, 3)).toEqual(draw(createIdSource(7, "company"), 8).slice(5));
  });
});

it("ids without a seed have no position to store, and differ from one source to the next", () => {
  const ids = createIdSource(undefined, "company");
  const first = ids.uuid();
  expect(ids.position).toBe(0);
  expect(createIdSource(undefined, "company").uuid()).not.toBe(first);
});

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

  it("repeats, and can be continued at any draw", () => {
    const random = createSeededRandom(1, "a");
    const draws = [random.bytes(8), random.bytes(40), random.bytes(8)];
    expect(createSeededRandom(1, "a").bytes(8)).toEqual(draws[0]);
    expect(createSeededRandom(1, "a", 2).bytes(8)).toEqual(draws[2]);
    expect(draws[2]).not.toEqual(draws[0]);
  });

  it("distinguishes seeds and names, even when their joined texts are equal", () => {
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
