import { describe, expect, it } from "vitest";
import { FINDINGS_MAX } from "../../../src/sandbox/findings/finding.js";
import { startLive } from "../../support/live.js";
import { transferRequest } from "../../support/requests.js";
import { createScriptedTransport } from "../../support/scripted-transport.js";

const URL = "http://receiver.test/hooks";

describe("webhook-unacknowledged", () => {
  it("describes only as many at the end of a run as are kept, the newest ones", async () => {
    const live = await startLive({ transport: createScriptedTransport(() => 500) });
    await live.subscribe("transactions/started", URL);
    for (let batch = 0; batch < 3; batch++) {
      const transactions = Array.from({ length: 400 }, () => transferRequest({ type: undefined }));
      await live.ok("POST", "/v1/transactions/batch", { transactions });
    }
    await live.settle();
    const found: string[] = [];
    live.sandbox.events.on("finding", ({ finding }) => void found.push(finding.why));
    const newest = live.deliveries().at(-1);
    await live.control("POST", "/reset");
    expect(found).toHaveLength(FINDINGS_MAX);
    expect(found.at(-1)).toContain(newest?.id);
  });
});
