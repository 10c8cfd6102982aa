import { expect, it } from "vitest";
import { FIRED_MAX } from "../../src/sandbox/company/advance.js";
import { startLive } from "../support/live.js";

it("lists the first 10 000 fired items and counts all", async () => {
  const live = await startLive({
    balance: 7e11,
    profile: { batch: { maxItems: 5_010 }, server: { bodyLimit: 8 * 1024 * 1024 } },
  });
  for (const half of ["a", "b"]) {
    const transactions = Array.from({ length: 5_010 }, (_, n) => ({
      amount: 5_000,
      msisdn: "+2250700000001",
      reference: `${half}${n}`,
    }));
    await live.ok("POST", "/v1/transactions/batch", { transactions });
  }
  const result = await live.advance("2s");
  expect([result.fired.length, result.firedCount]).toEqual([FIRED_MAX, 10_020]);
});
