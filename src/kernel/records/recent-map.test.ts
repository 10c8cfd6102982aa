import { expect, it } from "vitest";
import { RecentMap } from "./recent-map.js";

it("keeps the entries that were added last, in their order", () => {
  const map = new RecentMap<string, number>(3);
  for (const [index, key] of ["a", "b", "a", "c", "d"].entries()) expect(map.add(key, index)).toBe(index);
  expect([...map.values()]).toEqual([2, 3, 4]);
  expect([map.get("a"), map.get("b")]).toEqual([2, undefined]);
  map.delete("c");
  expect(map.get("c")).toBeUndefined();
});
