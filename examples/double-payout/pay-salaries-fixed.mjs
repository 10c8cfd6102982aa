/**
 * Pays salaries, and asks again when the network fails. Every attempt has the same reference, which identifies the salary and not the attempt. A salary
 * counts as paid when the webhook with its reference says so, or the service when it is asked: 201 means pending, and 409 that an earlier attempt got
 * through, not how it ended. What is not known to be paid fails the program. `pay-salaries.mjs` makes up a reference for each attempt.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { parseWebhook } from "business-payments-sandbox/webhooks";

const { SANDBOX_URL: url, SANDBOX_ACCESS_TOKEN: token, SANDBOX_SECRET_KEY: secret } = process.env;
const month = "2026-01";
const salaries = [
  { worker: "awa", msisdn: "+2250700000010", amount: 150_000 },
  { worker: "kouassi", msisdn: "+2250700000011", amount: 90_000 },
];

/** How payouts ended, by reference. A webhook that comes twice changes nothing. */
const outcomes = new Map();
const receiver = createServer((request, response) => void take(request, response)).listen(0, "127.0.0.1");
await once(receiver, "listening");
for (const topic of ["transactions/completed", "transactions/failed"])
  await ask("POST", "/v1/webhooks", { topic, url: `http://127.0.0.1:${receiver.address().port}/` });

/** Ids of payouts, by reference. */
const ids = new Map();
for (const salary of salaries) console.log(`${salary.worker}: ${await pay(salary)}`);
for (const { worker } of salaries) {
  const outcome = await outcomeOf(referenceOf(worker));
  console.log(`${worker}: ${outcome}`);
  if (outcome !== "completed") process.exitCode = 1;
}
receiver.close();

async function take(request, response) {
  try {
    const { data } = parseWebhook(await buffer(request), request.headers["x-service-hmac-sha256"], secret);
    outcomes.set(data.reference, data.status);
    response.end(() => receiver.emit("outcome"));
  } catch (error) {
    response.writeHead(error.status ?? 500).end();
  }
}

async function pay({ worker, msisdn, amount }) {
  const reference = referenceOf(worker);
  const answer = await ask("POST", "/v1/transactions", { type: "transfer", amount, msisdn, reference });
  if (answer?.status === 201) ids.set(reference, answer.body.id);
  if (answer?.status === 201) return "pending";
  return answer?.status === 409 ? "an earlier attempt got through" : "not known yet";
}

function referenceOf(worker) {
  return `salary-${month}-${worker}`;
}

/** Waits for the webhook, and asks when it does not come. */
async function outcomeOf(reference) {
  const patience = AbortSignal.timeout(4_000);
  while (!outcomes.has(reference) && !patience.aborted)
    await once(receiver, "outcome", { signal: patience }).catch(() => undefined);
  const id = ids.get(reference);
  if (!outcomes.has(reference) && id !== undefined) {
    const answer = await ask("GET", `/v1/transactions/${id}`);
    outcomes.set(reference, answer?.body.status);
  }
  return outcomes.get(reference) ?? "not known: look at it by hand";
}

/** Sends the same request until its answer is clear: not lost, not 429, not 5xx. Undefined when none is after five attempts. */
async function ask(method, path, body) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  for (let attempt = 1; attempt <= 5; attempt++) {
    let waitS = 0.3;
    try {
      const request = { method, headers, body: body && JSON.stringify(body), signal: AbortSignal.timeout(3_000) };
      const answer = await fetch(url + path, request);
      const content = await answer.json();
      if (answer.status < 500 && answer.status !== 429) return { status: answer.status, body: content };
      waitS = Number(answer.headers.get("retry-after") ?? waitS);
    } catch {
      console.log(`${path}: no answer, trying again`);
    }
    await sleep(1_000 * waitS);
  }
  return undefined;
}
