/**
 * How long pages of the dashboard take, and that this does not grow with the number of charges.
 *
 *     npx esbuild bench/dashboard.ts --bundle --platform=node --format=esm --packages=external --jsx=automatic --jsx-import-source=hono/jsx \
 *       --outfile=dist/bench-dashboard.mjs && node dist/bench-dashboard.mjs
 *
 * `first` is the first time that a page is asked for: of a charge, that makes the lookup of what is about each charge.
 */
import { fromXof } from "../src/domain/accounts/money.js";
import { createCharge } from "../src/domain/charges/create-charge.js";
import { payCharge } from "../src/domain/charges/pay-charge.js";
import { createApp } from "../src/http/app.js";
import { resolveOptions } from "../src/sandbox/options.js";
import { Sandbox } from "../src/sandbox/sandbox.js";

const SIZES = [1_000, 10_000, 100_000] as const;
const ROUNDS = 20;

async function measure(charges: number): Promise<void> {
  const defaults = { balance: 0, frozenAt: Date.UTC(2026, 0, 15, 9), profile: {}, fixtures: [] };
  const sandbox = new Sandbox(resolveOptions({ defaults }));
  const app = createApp(sandbox);
  const company = sandbox.defaultCompany;
  let id = "";
  for (let n = 0; n < charges; n++) {
    ({ id } = company.run(createCharge, {
      amount: fromXof(1_000),
      externalId: `order-${n}`,
      description: "Shoes",
      onCanceledRedirectionUrl: "https://shop.test/no",
      onCompletedRedirectionUrl: "https://shop.test/yes",
      metadata: {},
      checkoutUrl: "http://127.0.0.1:4010/checkout/",
    }));
    company.run(payCharge, { chargeId: id, msisdn: undefined });
  }
  const paths = ["", "/charges", "/charges?q=order-7", "/charges?status=refunded", "/ledger", `/charges/${id}`];
  for (const path of paths) {
    const address = path === "" ? "/_sandbox" : `/_sandbox/dashboard${path}`;
    const times: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const start = performance.now();
      const answer = await app.request(`http://localhost:4010${address}`);
      await answer.text();
      times.push(performance.now() - start);
      if (answer.status !== 200) throw new Error(`${address} answers ${answer.status}.`);
    }
    const [first = 0, ...others] = times;
    const median = others.toSorted((a, b) => a - b)[ROUNDS / 2] ?? 0;
    const name = path.replace(id, ":id") || "/";
    console.log(
      `${String(charges).padStart(7)} charges ${name.padEnd(26)} ${median.toFixed(1).padStart(7)} ms  (first ${first.toFixed(1)} ms)`,
    );
  }
  await sandbox.close();
}

for (const charges of SIZES) await measure(charges);
