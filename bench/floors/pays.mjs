/**
 * The command that `explore` runs: thirteen payouts in 200 ms. It fails if one is not accepted, so that no fault of a request counts as a bug and is run
 * again.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

const { SANDBOX_URL: url, SANDBOX_ACCESS_TOKEN: token } = process.env;
for (let payout = 1; payout <= 13; payout++) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = JSON.stringify({
    type: "transfer",
    amount: 5_000 + payout,
    msisdn: "+2250700000010",
    reference: randomUUID(),
  });
  const accepted = await fetch(`${url}/v1/transactions`, { method: "POST", headers, body }).then(
    async (answer) => answer.ok && (await answer.json()) !== null,
    () => false,
  );
  if (!accepted) process.exitCode = 1;
}
await sleep(Math.max(0, 200 - performance.now()));
