import { describe, expect, it } from "vitest";
import { runAudit } from "../../src/audit/run-audit.js";
import { SECRET, sound, startReceiver, stillSystem } from "./receivers.js";
import { DELIVERIES_MAX } from "../../src/audit/state/judge-state.js";
import { stateChecks } from "../../src/audit/state/state-checks.js";
import { REQUESTS_MAX } from "../../src/audit/wire/sender.js";

describe("an audit", () => {
  it("is bounded: all checks together send no more than REQUESTS_MAX", async () => {
    expect(100 + stateChecks.length * DELIVERIES_MAX).toBeLessThanOrEqual(REQUESTS_MAX);
    const { url, received } = await startReceiver(sound);
    const { requests } = await runAudit({ url, secret: SECRET, system: stillSystem });
    expect(received).toHaveLength(requests);
    expect(requests).toBeLessThanOrEqual(100);
    expect(new Set(received.map(({ method }) => method))).toEqual(new Set(["POST"]));
  });
});
