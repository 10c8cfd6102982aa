import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { feeOf, fromXof, isExactXof, toXof, XOF_MAX } from "./money.js";

describe("money", () => {
  it.each([
    [0, 0],
    [1, 10_000],
    [50.51, 505_100],
    [0.0001, 1],
    [-2.5, -25_000],
    [XOF_MAX, XOF_MAX * 10_000],
  ])("%d XOF are %d units, and back", (xof, money) => {
    expect(fromXof(xof)).toBe(money);
    expect(toXof(money)).toBe(xof);
  });

  it("keeps every amount of at most four decimals exactly", () => {
    const money = fc.integer({ min: -XOF_MAX * 10_000, max: XOF_MAX * 10_000 });
    fc.assert(
      fc.property(money, (units) => {
        expect(fromXof(toXof(units)) - units).toBe(0);
      }),
    );
  });

  it.each([0, 5000, 50.51, 0.0001, -3.25, XOF_MAX, -XOF_MAX])("%d XOF can be kept exactly", (xof) => {
    expect(isExactXof(xof)).toBe(true);
  });

  it.each([0.00001, 1.23456, Number.NaN, Infinity, -Infinity, XOF_MAX + 1, 1e300])("%d XOF cannot", (xof) => {
    expect(isExactXof(xof)).toBe(false);
  });
});

describe("feeOf", () => {
  it.each([
    [5050, { rate: 0.01, fixed: 0, decimals: 2 }, 50.5],
    [5051, { rate: 0.01, fixed: 0, decimals: 2 }, 50.51],
    [5051, { rate: 0.01, fixed: 0, decimals: 0 }, 51],
    [5050, { rate: 0.01, fixed: 0, decimals: 0 }, 51], // half up
    [5049, { rate: 0.01, fixed: 0, decimals: 0 }, 50],
    [10_000, { rate: 0, fixed: 100, decimals: 0 }, 100],
    [10_000, { rate: 0.0125, fixed: 0.5, decimals: 1 }, 125.5],
    [1, { rate: 0.00005, fixed: 0, decimals: 4 }, 0.0001],
    [7, { rate: 0.1, fixed: 0, decimals: 4 }, 0.7], // 0.7000000000000001 in binary
    [3, { rate: 1, fixed: 0, decimals: 0 }, 3],
  ])("of %d XOF under %j is %d XOF", (amount, fee, expected) => {
    expect(toXof(feeOf(fromXof(amount), fee))).toBe(expected);
  });

  it("equals exact integer arithmetic for every amount, rate and number of decimals", () => {
    const cases = fc.record({
      amount: fc.integer({ min: 1, max: 100_000_000_000 }),
      rateMillionths: fc.integer({ min: 0, max: 1_000_000 }),
      fixedUnits: fc.integer({ min: 0, max: 10_000_000_000_000 }),
      decimals: fc.integer({ min: 0, max: 4 }),
    });
    fc.assert(
      fc.property(cases, ({ amount, rateMillionths, fixedUnits, decimals }) => {
        const fee = feeOf(fromXof(amount), { rate: rateMillionths / 1e6, fixed: fixedUnits / 1e4, decimals });
        // In millionths of a XOF; all parts are positive, so half up is floor after adding a half.
        const exact = BigInt(amount) * BigInt(rateMillionths) + BigInt(fixedUnits) * 100n;
        const step = 10n ** BigInt(6 - decimals);
        const rounded = ((exact + step / 2n) / step) * step;
        expect(BigInt(fee) * 100n).toBe(rounded);
      }),
    );
  });
});
