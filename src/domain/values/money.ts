import Big from "big.js";

/**
 * An amount of XOF in ten-thousandths, always a safe integer: sums of fractional fees stay exact.
 * The contract: "Integers appear for requests and most responses; a decimal (for example a fee with a fractional part) appears in a
 * webhook payload."
 */
export type Money = number;

export const CURRENCY = "XOF";
const DECIMALS_MAX = 4;
const UNITS_PER_XOF = 10 ** DECIMALS_MAX;

/** The largest amount, in XOF, of which four decimals survive the way to the wire and back (about 225 billion). */
export const XOF_MAX = Math.floor(2 ** 51 / UNITS_PER_XOF);

/** The largest amount that is kept, 800 billion XOF. What one operation adds to it still gives a safe integer. */
export const MONEY_STORED_MAX: Money = 8e15;

/** From a number of XOF with at most four decimals. */
export function fromXof(xof: number): Money {
  return Math.round(xof * UNITS_PER_XOF);
}

/** The number of XOF for the wire: the nearest double, which prints as the right decimal. */
export function toXof(money: Money): number {
  return money / UNITS_PER_XOF;
}

/** `round(amount × rate + fixed, decimals)`, half up, in decimal arithmetic: 1 % of 5050 XOF is 50.5 and not 50.50000000000001. */
export function feeOf(amount: Money, fee: { rate: number; fixed: number; decimals: number }): Money {
  const share = Big(amount).times(fee.rate);
  const whole = fee.fixed === 0 ? share : share.plus(Big(fee.fixed).times(UNITS_PER_XOF));
  return whole.round(fee.decimals - DECIMALS_MAX, Big.roundHalfUp).toNumber();
}

/** Whether a number of XOF can be kept exactly: finite, at most four decimals, and not too large. */
export function isExactXof(xof: number): boolean {
  return Number.isFinite(xof) && Math.abs(xof) <= XOF_MAX && Math.abs(toXof(fromXof(xof)) - xof) < 1e-9;
}
