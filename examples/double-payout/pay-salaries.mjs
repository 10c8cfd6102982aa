/**
 * Pays salaries, and retries when the network fails, with the classic bug: a new reference for each attempt. `pay-salaries-fixed.mjs`
 * keeps one.
 *
 *   npx business-payments-sandbox exec --config examples/double-payout/sandbox.config.yaml --fail-on findings -- \
 *     node examples/double-payout/pay-salaries.mjs
 */
import { randomUUID } from "node:crypto";

const { SANDBOX_URL: url, SANDBOX_ACCESS_TOKEN: token } = process.env;
const month = "2026-01";
const salaries = [
  { worker: "awa", msisdn: "+2250700000010", amount: 150_000 },
  { worker: "kouassi", msisdn: "+2250700000011", amount: 90_000 },
];

for (const salary of salaries) console.log(`${salary.worker}: ${await pay(salary)}`);

async function pay({ worker, msisdn, amount }) {
  for (let attempt = 1; attempt <= 3; attempt++) {
    const reference = `salary-${month}-${worker}-${randomUUID()}`;
    try {
      const { status } = await transfer({ type: "transfer", amount, msisdn, reference });
      if (status === 201) return "pending";
      if (status === 409) return "an earlier attempt got through";
    } catch {
      console.log(`${worker}: no answer, trying again`);
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  return "not paid";
}

function transfer(body) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const request = { method: "POST", headers, body: JSON.stringify(body), signal: AbortSignal.timeout(3_000) };
  return fetch(`${url}/v1/transactions`, request);
}
