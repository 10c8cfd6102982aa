import { expect, it } from "vitest";
import fc from "../../test/support/fast-check.js";
import { RecentMap } from "./recent-map.js";

it("forgets what is older, a generation at a time", () => {
  const map = new RecentMap<string, number>(2);
  for (const [index, key] of ["a", "b", "a", "c", "d"].entries()) expect(map.set(key, index)).toBe(index);
  expect([...map.values()]).toEqual([1, 2, 3, 4]);
  map.set("e", 5);
  expect([map.get("a"), map.get("b"), map.get("c"), map.get("e"), map.size]).toEqual([undefined, undefined, 3, 5, 3]);
  map.delete("c");
  expect(map.get("c")).toBeUndefined();
});

it("has at least the newest, at most twice as many, each once, and in their order", () => {
  const keys = fc.array(fc.tuple(fc.nat(20), fc.boolean()), { maxLength: 200 });
  fc.assert(
    fc.property(keys, fc.integer({ min: 1, max: 8 }), (steps, max) => {
      const map = new RecentMap<number, number>(max);
      const all = new Map<number, number>();
      let deleted = 0;
      for (const [index, [key, isSet]] of steps.entries()) {
        all.delete(key);
        if (isSet) all.set(key, map.set(key, index));
        else map.delete(key);
        deleted += isSet ? 0 : 1;
        const values = [...map.values()];
        expect(map.size).toBe(values.length);
        expect(values.length).toBeLessThanOrEqual(2 * max);
        expect(values.length).toBeGreaterThanOrEqual(Math.min(max, all.size) - deleted);
        expect(values).toEqual([...all.values()].slice(all.size - values.length));
      }
    }),
  );
});
