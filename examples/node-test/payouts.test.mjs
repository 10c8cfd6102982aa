/**
 * Tests payouts against the sandbox with Node's test runner. In a project that has installed the package:
 *
 *     node --test
 */
import assert from "node:assert/strict";
import { after, afterEach, beforeEach, describe, test } from "node:test";
import { createSandbox } from "business-payments-sandbox";
import { openPayouts } from "./payouts.mjs";

const sandbox = await createSandbox({ clock: "2026-01-15T09:00:00Z" });
let payouts;
after(() => sandbox.close());

// Restores the initial state, and subscribes again.
beforeEach(async () => {
  await sandbox.reset();
  payouts = await openPayouts(sandbox);
  for (const topic of ["transactions/completed", "transactions/failed"])
    await sandbox.fetch("/v1/webhooks", { json: { topic, url: payouts.url } });
});
afterEach(() => payouts.close());

const ama = { reference: "january-ama", msisdn: "+2250700000001", amount: 20_000 };
/** Test numbers, which decide the outcome of a transfer. */
const unreachable = { reference: "january-kofi", msisdn: "+2250700000002", amount: 10_000 };
const late = { reference: "january-yao", msisdn: "+2250700000004", amount: 10_000 };

describe("a payout", () => {
  test("is completed once its transfer has settled", async () => {
    await payouts.payOut([ama]);
    assert.equal(payouts.find("january-ama").status, "pending");

    await sandbox.clock.advance("2s");

    assert.equal(payouts.find("january-ama").status, "completed");
    assert.equal(sandbox.balance, 10_000_000 - 20_000 - 200); // with a fee of 1 %
  });

  test("to somebody who cannot be reached fails with the reason, and the money comes back", async () => {
    await payouts.payOut([ama, unreachable]);
    await sandbox.clock.advance("2s");

    assert.equal(payouts.find("january-ama").status, "completed");
    assert.deepEqual(payouts.find("january-kofi"), { status: "failed", reason: "recipient_unreachable" });
    assert.equal(sandbox.balance, 10_000_000 - 20_200);
  });

  test("that takes its time is pending until it is there", async () => {
    await payouts.payOut([late]);
    await sandbox.clock.advance("10m");
    assert.equal(payouts.find("january-yao").status, "pending");

    await sandbox.clock.advance("2s");
    await sandbox.webhooks.waitFor("transactions/completed", ({ data }) => data.reference === "january-yao");
    assert.equal(payouts.find("january-yao").status, "completed");
  });

  test("is made once: its reference is taken", async () => {
    await payouts.payOut([ama]);
    await assert.rejects(payouts.payOut([ama]), /january-ama/);
    await sandbox.clock.advance("1h");
    assert.equal(sandbox.webhooks.list("transactions/completed").length, 1);
  });

  test("that the balance does not cover is not made, nor is any other of its batch", async () => {
    sandbox.setBalance(25_000);
    await assert.rejects(payouts.payOut([ama, late]), /balance/);
    assert.equal(sandbox.balance, 25_000);
  });
});
