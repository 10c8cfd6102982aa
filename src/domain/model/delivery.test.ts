import { describe, expect, it } from "vitest";
import { nextRetryAt } from "./delivery.js";

describe("nextRetryAt", () => {
  const gaps = [10_000, 60_000];

  it.each([
    [1, 11_000],
    [2, 61_000],
    [3, null],
    [9, null],
  ])("after %i failed attempts, the last of which ended at 1000, is %s", (attempts, expected) => {
    expect(nextRetryAt(gaps, attempts, 1_000)).toBe(expected);
  });

  it("is null without gaps, and the same instant for a gap of 0", () => {
    expect(nextRetryAt([], 1, 1_000)).toBeNull();
    expect(nextRetryAt([0], 1, 1_000)).toBe(1_000);
  });
});
