/** fast-check with the seed of this run (`seed.ts`). */
import fc from "fast-check";

const seed = Number(process.env["FAST_CHECK_SEED"]);
// The report of CI shows the start of the message, which therefore names the assertion.
fc.configureGlobal({ includeErrorInReport: true, ...(Number.isInteger(seed) ? { seed } : {}) });

export default fc;

/** The number of cases of a property: all of them in `npm run test:slow`, a tenth in `npm test`. */
export function runs(all: number): number {
  return process.env["TEST_SUITE"] === "slow" ? all : Math.max(5, Math.round(all / 10));
}
