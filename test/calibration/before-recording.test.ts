import { describe, expect, it } from "vitest";
import type { HttpExchange } from "../../src/adapters/har/http-exchange.js";
import type { Sandbox } from "../../src/index.js";
import { calibrateAll, recordWith, sellOne, settingsIn } from "../support/calibrate.js";

const HOOKS = "http://127.0.0.1:9/hooks";
const only = ["http", "paging", "webhooks.duplicateSubscription"];

async function subscribe(sandbox: Sandbox, ...subscriptions: readonly (readonly [string, string])[]): Promise<void> {
  for (const [topic, url] of subscriptions) await sandbox.fetch("/v1/webhooks", { json: { topic, url } });
}

/** Two subscriptions from before, of which another system has one; then a list, one more, a sale, and a list again. */
async function recordListed(): Promise<HttpExchange[]> {
  const recorded = await recordWith({}, async (sandbox) => {
    await subscribe(sandbox, ["charges/events", "http://127.0.0.1:9/other"], ["charges/events", HOOKS]);
    await sandbox.clock.advance("1h");
    await sandbox.fetch("/v1/webhooks?limit=1");
    await subscribe(sandbox, ["transactions/completed", HOOKS]);
    await sellOne(sandbox);
    await sandbox.fetch("/v1/webhooks");
  });
  return recorded.slice(2).filter(({ url }) => !url.endsWith("/other"));
}

describe("subscriptions from before a recording", () => {
  it.each([
    ["whose webhooks it has", (exchanges: readonly HttpExchange[]) => exchanges],
    [
      "whose webhooks come by way of a tunnel",
      (exchanges: readonly HttpExchange[]) =>
        exchanges.map((exchange) =>
          exchange.url === HOOKS ? { ...exchange, url: "http://127.0.0.1:3000/" } : exchange,
        ),
    ],
    [
      "whose webhooks it does not have",
      (exchanges: readonly HttpExchange[]) => exchanges.filter(({ url }) => url !== HOOKS),
    ],
  ])("are no drift of a list: one %s", async (_, change) => {
    const report = await calibrateAll([change(await recordListed())], { only });
    expect([report.drift, settingsIn(report, "set")]).toEqual([[], {}]);
    expect(report.assumptions.filter((text) => /^The subscription .* was made before/.test(text))).toHaveLength(2);
  });

  it("are no drift of a target that is asked with probes", async () => {
    const recorded = await recordWith({}, async (sandbox) => {
      await subscribe(sandbox, ["charges/events", HOOKS]);
      await subscribe(sandbox, ["charge/events", HOOKS], ["charge/events", HOOKS]);
      await sandbox.fetch("/v1/webhooks");
    });
    const report = await calibrateAll([recorded.slice(1)], { only, source: { target: "https://staging.example" } });
    expect([report.drift, settingsIn(report, "set")]).toEqual([[], {}]);
  });

  it("are not taken for one whose creation got no answer", async () => {
    const recorded = await recordWith({}, async (sandbox) => {
      await subscribe(sandbox, ["charges/events", HOOKS]);
      await sandbox.fetch("/v1/webhooks");
    });
    const report = await calibrateAll([[{ ...recorded[0]!, answer: undefined }, recorded[1]!]], { only });
    expect([report.drift, report.assumptions]).toEqual([[], []]);
  });
});
