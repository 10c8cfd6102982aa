import { expect, it } from "vitest";
import { decimalOf } from "../support/decimal.js";
import { useWorlds } from "../support/describe-api.js";
import fc, { runs } from "../support/fast-check.js";
import { transferRequest } from "../support/requests.js";

const open = useWorlds();

it("every answer and the balance have the exact decimals of a fee, under every fee rule", async () => {
  const fees = fc.constantFrom(
    { rateMillionths: 10_000, fixedCents: 0, decimals: 4 },
    { rateMillionths: 13_333, fixedCents: 33, decimals: 2 },
    { rateMillionths: 7, fixedCents: 1, decimals: 3 },
    { rateMillionths: 199_999, fixedCents: 99_999, decimals: 1 },
    { rateMillionths: 1, fixedCents: 50, decimals: 0 },
  );
  const amounts = fc.array(fc.integer({ min: 5_000, max: 500_000 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(fees, amounts, async ({ rateMillionths, fixedCents, decimals }, given) => {
      const world = await open({
        profile: { transfers: { fee: { rate: rateMillionths / 1e6, fixed: fixedCents / 100, decimals } } },
      });
      let expected = 10_000_000n * 10_000n;
      const step = 10n ** BigInt(6 - decimals);
      for (const amount of given) {
        const exact = BigInt(amount) * BigInt(rateMillionths) + BigInt(fixedCents) * 10_000n;
        const fee = (((exact + step / 2n) / step) * step) / 100n;
        const total = BigInt(amount) * 10_000n + fee;
        expected -= total;
        const { text } = await world.api("POST", "/v1/transactions", transferRequest({ amount }));
        expect(text).toContain(`"fee":${decimalOf(fee)},"totalAmount":${decimalOf(total)},`);
      }
      expect((await world.api("GET", "/v1/balance")).text).toBe(`{"balance":${decimalOf(expected)},"currency":"XOF"}`);
      await world.close();
    }),
    { numRuns: runs(50) },
  );
});
