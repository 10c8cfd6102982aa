/**
 * Pays salaries, and retries when the network fails. Every attempt has the same reference, which identifies the salary and not the attempt. A salary
 * counts as paid when the webhook with its reference says so: 201 means pending, and 409 that an earlier attempt got through, not how it ended.
 * `pay-salaries.mjs` makes up a reference for each attempt.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

const { SANDBOX_URL: url, SANDBOX_ACCESS_TOKEN: token, SANDBOX_SECRET_KEY: secret } = process.env;
const month = "2026-01";
const salaries = [
  { worker: "awa", msisdn: "+2250700000010", amount: 150_000 },
  { worker: "kouassi", msisdn: "+2250700000011", amount: 90_000 },
];

/** How payouts ended, by reference. */
const outcomes = new Map();
const receiver = createServer((request, response) => void take(request, response)).listen(0, "127.0.0.1");
await once(receiver, "listening");
for (const topic of ["transactions/completed", "transactions/failed"])
  await post("/v1/webhooks", { topic, url: `http://127.0.0.1:${receiver.address().port}/` });

for (const salary of salaries) console.log(`${salary.worker}: ${await pay(salary)}`);
for (const { worker } of salaries) console.log(`${worker}: ${await outcomeOf(referenceOf(worker))}`);
receiver.close();

async function take(request, response) {
  const body = Buffer.concat(await request.toArray());
  if (!isGenuine(body, request.headers["x-service-hmac-sha256"])) return response.writeHead(401).end();
  const { data } = JSON.parse(body);
  outcomes.set(data.reference, data.status);
  return response.end(() => receiver.emit("outcome"));
}

async function pay({ worker, msisdn, amount }) {
  for (let attempt = 1; attempt <= 3; attempt++) {
    try {
      const { status } = await post("/v1/transactions", {
        type: "transfer",
        amount,
        msisdn,
        reference: referenceOf(worker),
      });
      if (status === 201) return "pending";
      if (status === 409) return "an earlier attempt got through";
    } catch {
      console.log(`${worker}: no answer, trying again`);
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  return "not known yet";
}

function referenceOf(worker) {
  return `salary-${month}-${worker}`;
}

async function outcomeOf(reference) {
  while (!outcomes.has(reference)) await once(receiver, "outcome");
  return outcomes.get(reference);
}

function isGenuine(body, signature = "") {
  const expected = createHmac("sha256", secret).update(body).digest();
  const given = Buffer.from(signature, "base64");
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function post(path, body) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
}
