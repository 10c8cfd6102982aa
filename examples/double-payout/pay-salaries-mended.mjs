/**
 * Pays salaries, and retries when the network fails. Every attempt has the same reference, which identifies the salary and not the attempt.
 * `pay-salaries.mjs` has a bug in that line.
 */
const { SANDBOX_URL: url, SANDBOX_ACCESS_TOKEN: token } = process.env;
const month = "2026-01";
const salaries = [
  { worker: "awa", msisdn: "+2250700000010", amount: 150_000 },
  { worker: "kouassi", msisdn: "+2250700000011", amount: 90_000 },
];

for (const salary of salaries) console.log(`${salary.worker}: ${await pay(salary)}`);

async function pay({ worker, msisdn, amount }) {
  for (let attempt = 1; attempt <= 3; attempt++) {
    const reference = `salary-${month}-${worker}`;
    try {
      const { status } = await transfer({ type: "transfer", amount, msisdn, reference });
      if (status === 201) return "paid";
      if (status === 409) return "was paid by an earlier attempt";
    } catch {
      console.log(`${worker}: no answer, trying again`);
    }
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  return "not paid";
}

function transfer(body) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return fetch(`${url}/v1/transactions`, { method: "POST", headers, body: JSON.stringify(body) });
}
