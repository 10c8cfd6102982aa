import { expect, it } from "vitest";
import { leavesOf, RecentMap } from "./detector.js";

it("keeps the entries that were added last, in their order", () => {
  const map = new RecentMap<string, number>(3);
  for (const [index, key] of ["a", "b", "a", "c", "d"].entries()) expect(map.add(key, index)).toBe(index);
  expect([...map.values()]).toEqual([2, 3, 4]);
  expect([map.get("a"), map.get("b")]).toEqual([2, undefined]);
  map.delete("c");
  expect(map.get("c")).toBeUndefined();
});

it("reads no more members of a wide object than it takes", () => {
  const wide: Record<string, unknown> = {};
  let reads = 0;
  const get = (): number => ++reads;
  for (let n = 0; n < 60_000; n++) Object.defineProperty(wide, `member-${n}`, { enumerable: true, get });
  expect([leavesOf(wide).length, reads]).toEqual([20_000, 20_000]);
});
