import { describe, expect, it } from "vitest";
import { findingsOf } from "./findings.js";
import { nameCharges, openWith, pay } from "./payouts.js";

describe("double-payout does not report", () => {
  describe("payouts of two charges,", () => {
    it("at the same time", async () => {
      const live = await openWith({ delay: "1s" });
      const [first, second] = await nameCharges(live, "id");
      const answer = pay(live, first);
      await live.until(() => live.company.world.transfers.size === 1);
      expect([await pay(live, second), await pay(live, `${first}-retry`)]).toEqual([201, 201]);
      await live.advance("1s");
      expect(await answer).toBe(201);
      const [found, ...rest] = await findingsOf(live);
      expect([found?.kind, ...rest]).toEqual(["concurrent-payouts"]);
      expect(found?.why).toContain(`under reference "${first}-retry" (req_4) and "${first}" (req_5)`);
    });
  });
});
