import { describe, expect, it } from "vitest";
import { startLive } from "../support/live.js";
import { CONCURRENT_ATTEMPTS_PER_RECEIVER } from "../../src/sandbox/company/dispatcher.js";

describe("different resources go out concurrently, bounded per receiver, keep-alive", () => {
  it("five thousand are sent over no more sockets than that", async () => {
    const live = await startLive({
      balance: 7e11,
      profile: { batch: { maxItems: 5_000 }, server: { bodyLimit: 8 * 1024 * 1024 } },
    });
    const receiver = await live.receiverFor("transactions/completed");
    const transactions = Array.from({ length: 5_000 }, (_, n) => ({
      amount: 5_000,
      msisdn: "0700000001",
      reference: `r${n}`,
    }));
    await live.ok("POST", "/v1/transactions/batch", { transactions });
    const result = await live.advance("2s");
    expect(result.deliveries).toEqual({ attempted: 5_000, succeeded: 5_000, failed: 0 });
    expect(new Set(receiver.received.map(({ body }) => body.data.id)).size).toBe(5_000);
    expect(receiver.mostConnections).toBeLessThanOrEqual(CONCURRENT_ATTEMPTS_PER_RECEIVER);
    expect(receiver.connectionsMade).toBeLessThanOrEqual(CONCURRENT_ATTEMPTS_PER_RECEIVER);
  }, 60_000);
});
