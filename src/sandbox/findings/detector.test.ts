import { expect, it } from "vitest";
import { leavesOf } from "./detector.js";

it("reads no more members of a wide object than it takes", () => {
  const wide: Record<string, unknown> = {};
  let reads = 0;
  const get = (): number => ++reads;
  for (let n = 0; n < 60_000; n++) Object.defineProperty(wide, `member-${n}`, { enumerable: true, get });
  expect([leavesOf(wide).length, reads]).toEqual([20_000, 20_000]);
});
