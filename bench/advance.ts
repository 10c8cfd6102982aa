/**
 * How long an advance over many due charges takes, and whether that grows in line with their number.
 *
 *     npx esbuild bench/advance.ts --bundle --platform=node --format=esm --packages=external --outfile=dist/bench-advance.mjs
 *     node dist/bench-advance.mjs
 *
 * Delivered: each drop is delivered to a receiver that answers at once, without a network. Forgotten: as delivered, with far more events and
 * deliveries than are kept.
 */
import type { Transport } from "../src/adapters/delivery/transport.js";
import { fromXof } from "../src/domain/accounts/money.js";
import { createCharge } from "../src/domain/charges/create-charge.js";
import { createSubscription } from "../src/domain/subscriptions/create-subscription.js";
import { advance } from "../src/sandbox/advance.js";
import { DEFAULT_LIMITS, resolveOptions } from "../src/sandbox/options.js";
import { Sandbox } from "../src/sandbox/sandbox.js";

const SIZES = [10_000, 20_000, 50_000, 100_000] as const;

const transport: Transport = {
  send: async () => ({ status: 200, error: null, latencyMs: 0, response: null }),
  close: async () => undefined,
};

type Kind = "dropped" | "delivered" | "forgotten";

async function measure(charges: number, kind: Kind): Promise<number> {
  const kept = kind === "forgotten" ? 5_000 : 1_000_000;
  const sandbox = new Sandbox(
    resolveOptions({
      defaults: { balance: 0, frozenAt: Date.UTC(2026, 0, 15, 9), profile: {}, fixtures: [] },
      limits: { ...DEFAULT_LIMITS, events: kept, deliveries: kept },
    }),
    { transport },
  );
  const company = sandbox.defaultCompany;
  for (let n = 0; n < charges; n++) {
    company.run(createCharge, {
      amount: fromXof(1_000),
      externalId: `order-${n}`,
      description: "Shoes",
      onCanceledRedirectionUrl: "https://shop.test/no",
      onCompletedRedirectionUrl: "https://shop.test/yes",
      metadata: {},
      checkoutUrl: "http://127.0.0.1:4010/checkout/",
    });
  }
  if (kind !== "dropped") company.run(createSubscription, { topic: "charges/events", url: "http://hook.test/" });
  const start = performance.now();
  const { firedCount, deliveries } = await advance(company, { byMs: 3_600_000 });
  const elapsed = performance.now() - start;
  if (firedCount !== charges || deliveries.succeeded !== (kind === "dropped" ? 0 : charges))
    throw new Error("Failed to advance.");
  await sandbox.close();
  return elapsed;
}

for (const kind of ["dropped", "delivered", "forgotten"] as const) {
  for (const charges of SIZES) {
    const ms = await measure(charges, kind);
    const each = ((ms * 1000) / charges).toFixed(1);
    console.log(
      `${kind.padEnd(10)}${String(charges).padStart(7)} charges ${ms.toFixed(0).padStart(6)} ms ${each} µs each`,
    );
  }
}
