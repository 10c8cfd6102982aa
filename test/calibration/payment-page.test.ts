import { expect, it } from "vitest";
import type { Sandbox } from "../../src/index.js";
import { calibrateAll, chargeOf, recordWith, settingsIn } from "../support/calibrate.js";

/** A charge, and an attempt to pay it on the payment page that fails. */
async function failOnPage(sandbox: Sandbox): Promise<string> {
  await sandbox.fetch("/v1/webhooks", { json: { topic: "charges/events", url: "http://127.0.0.1:9/hooks" } });
  const created = await sandbox.fetch<{ id: string }>("/v1/charges", { json: chargeOf("order-1") });
  const { id } = await created.json();
  await sandbox.fetch(`/_sandbox/charges/${id}/pay`, { json: { msisdn: "+2250700000006" } });
  return id;
}

it.each([
  [
    "that is paid",
    async (sandbox: Sandbox) => {
      const id = await failOnPage(sandbox);
      await sandbox.fetch(`/_sandbox/charges/${id}/pay`, { json: { msisdn: "+2250700000010" } });
      await sandbox.fetch(`/v1/charges/${id}`);
    },
  ],
  [
    "that is dropped",
    async (sandbox: Sandbox) => {
      await failOnPage(sandbox);
      await sandbox.clock.advance("1h");
    },
  ],
  [
    "that is still due",
    async (sandbox: Sandbox) => {
      await sandbox.fetch(`/v1/charges/${await failOnPage(sandbox)}`);
    },
  ],
])("infers failed attempts on the payment page for a charge %s", async (_, run) => {
  const report = await calibrateAll([await recordWith({}, run)], { only: ["http", "charges.failedAttempt"] });
  expect([report.drift, settingsIn(report, "set")]).toEqual([[], {}]);
  expect(report.assumptions).toContainEqual(
    expect.stringMatching(/^Attempts to pay the charge .* failed on the payment page\.$/),
  );
});

it("infers a payment on the payment page before a refused request to pay", async () => {
  const recorded = await recordWith({}, async (sandbox) => {
    await sandbox.fetch("/v1/webhooks", { json: { topic: "charges/events", url: "http://127.0.0.1:9/hooks" } });
    const created = await sandbox.fetch<{ id: string }>("/v1/charges", { json: chargeOf("order-1") });
    const { id } = await created.json();
    await sandbox.fetch(`/_sandbox/charges/${id}/pay`, { json: { msisdn: "+2250700000010" } });
    await sandbox.clock.advance("1s");
    await sandbox.fetch(`/v1/charges/${id}/pay`, { json: { msisdn: "+2250700000010" } });
  });
  const report = await calibrateAll([recorded], { only: ["charges.payNotDue"] });
  expect([report.drift, settingsIn(report, "set")]).toEqual([[], {}]);
  expect(report.assumptions).toContainEqual(expect.stringMatching(/^The charge .* was paid on the payment page\.$/));
});
