import { describe, expect, it } from "vitest";
import { startLive } from "../support/live.js";

describe("POST /_sandbox/clock/advance", () => {
  it("continues when its client has left", async () => {
    const live = await startLive();
    const receiver = await live.receiverFor("charges/events", "hang");
    await live.createCharge();
    const client = new AbortController();
    const asked = fetch(`${live.url}/_sandbox/clock/advance`, {
      method: "POST",
      body: JSON.stringify({ by: "2h", maxWaitMs: 50 }),
      headers: { "content-type": "application/json" },
      signal: client.signal,
    });
    await receiver.waitFor(1);
    client.abort();
    await expect(asked).rejects.toThrow("aborted");
    expect((await live.control("POST", "/clock/advance", { by: 0, maxWaitMs: 0 })).body.now).toBe(
      "2026-01-15T11:00:00.000Z",
    );
  });
});
