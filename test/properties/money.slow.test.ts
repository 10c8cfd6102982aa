import { expect, it } from "vitest";
import { fromXof } from "../../src/domain/values/money.js";
import { createTransfer } from "../../src/domain/transfers/create-transfer.js";
import { assertBooksAreRight } from "../support/books.js";
import { decimalOf } from "../support/decimal.js";
import { useWorlds } from "../support/describe-api.js";
import { DEFAULT_LIMITS } from "../../src/sandbox/company/limits.js";

const open = useWorlds();

it("100 000 transfers with fractional fees end with exactly the decimal sum", async () => {
  const OPENING = 40_000_000_000;
  const world = await open({
    balance: OPENING,
    profile: { transfers: { settlement: "immediate", fee: { rate: 0.0137, fixed: 0.25, decimals: 2 } } },
    limits: { ...DEFAULT_LIMITS, events: 1_000, deliveries: 1_000 },
  });
  const company = world.sandbox.defaultCompany;
  let expected = BigInt(OPENING) * 10_000n;
  for (let index = 0; index < 100_000; index++) {
    const amount = 5_000 + ((index * 7_919) % 495_001);
    // In hundred-millionths, then rounded half up to hundredths.
    const fee = (BigInt(amount) * 1_370_000n + 25_000_000n + 500_000n) / 1_000_000n;
    expected -= BigInt(amount) * 10_000n + fee * 100n;
    const order = { amount: fromXof(amount), msisdn: "0102030405", reference: String(index), description: undefined };
    company.run(createTransfer, order);
  }
  expect((await world.api("GET", "/v1/balance")).text).toBe(`{"balance":${decimalOf(expected)},"currency":"XOF"}`);
  await assertBooksAreRight(world);
}, 60_000);
