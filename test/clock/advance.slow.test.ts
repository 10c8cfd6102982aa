import { describe, expect, it } from "vitest";
import { createCharge } from "../../src/domain/charges/create-charge.js";
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

describe("advancing jumps from due item to due item up to and including the target", () => {
  it("handles twenty thousand items at one instant", async () => {
    const live = await startLive();
    for (let n = 0; n < 20_000; n++) {
      live.company.run(createCharge, {
        amount: 100,
        externalId: `order-${n}`,
        description: "Shoes",
        onCanceledRedirectionUrl: "https://shop.test/no",
        onCompletedRedirectionUrl: "https://shop.test/yes",
        metadata: {},
        checkoutUrl: live.url,
      });
    }
    const { firedCount } = await live.advance("1h");
    expect(firedCount).toBe(20_000);
    expect(live.company.world.charges.values().every(({ status }) => status === "dropped")).toBe(true);
    expect(live.company.world.due.size).toBe(0);
  });
});
