import { describe, expect, it } from "vitest";
import {
  type Delivery,
  type Schedule,
  describeSchedule,
  keyOf,
  partsOf,
  realHistoryOf,
  seeds,
  shrinkSchedule,
} from "./schedule.js";

const [paid, other] = (["first", "second"] as const).map((order): Delivery => ({
  order,
  step: "paid",
  subscription: 1,
}));
const late = seeds["state-late-duplicate"][2];

/** Broken when it contains these, in this order. */
const breaksOn =
  (wanted: readonly string[]) =>
  (schedule: Schedule): boolean => {
    let found = 0;
    for (const name of describeSchedule(schedule)) if (name === wanted[found]) found++;
    return found === wanted.length;
  };

describe("shrinkSchedule", () => {
  it.each([[["paid", "paid again"]], [["paid", "paid of another order", "paid again"]]])(
    "finds the shortest part with %j",
    async (wanted) => {
      const shortest = await shrinkSchedule(late, async (part) => breaksOn(wanted)(part));
      expect(describeSchedule(shortest)).toEqual(wanted);
    },
  );

  it("keeps a schedule that fails only as a whole", async () => {
    expect(await shrinkSchedule(late, async () => false)).toBe(late);
  });

  it("tries a bounded number of parts, each once", async () => {
    const long = Array.from({ length: 9 }, (_, index): Delivery => (index % 2 === 0 ? paid! : other!));
    const tried: string[] = [];
    await shrinkSchedule(long, async (part) => {
      tried.push(keyOf(part));
      return false;
    });
    expect(tried.length).toBeLessThanOrEqual(40);
    expect(new Set(tried).size).toBe(tried.length);
  });

  it("never tries the real history, or a dropped event of an unpaid order", () => {
    for (const seed of Object.values(seeds).flat()) {
      for (const part of partsOf(seed)) {
        expect(keyOf(part)).not.toBe(keyOf(realHistoryOf(part)));
        const steps = part.map(({ order, step }) => `${order} ${step}`);
        const dropped = steps.indexOf("first dropped");
        if (dropped !== -1) expect(steps.slice(0, dropped)).toContain("first paid");
      }
    }
  });
});

describe("realHistoryOf", () => {
  it("has each event once, in order", () => {
    const schedule = [...seeds["state-reversed"][0], ...seeds["state-dropped-after-paid"][1]];
    expect(describeSchedule(realHistoryOf(schedule))).toEqual(["paid", "refunded", "paid of another order"]);
  });

  it("has no events of an unknown order", () => {
    expect(realHistoryOf(seeds["state-unknown-id"].flat())).toEqual([]);
  });
});
