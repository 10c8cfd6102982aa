/**
 * The floor of webhook sending: `undici.request` over a pool, with the sandbox's headers and its concurrency for one receiver. Each request has a
 * new body, and each answer is read; nothing is signed, recorded or retried.
 *
 *     node bench/floors/sender.mjs http://127.0.0.1:3000 20000 2000        prints {"seconds":…,"cpuUs":…} of the 20 000, after 2 000 to warm up
 */
import { Pool } from "undici";

const AT_ONCE = 64;
const [url = "", count = "", warmUp = ""] = process.argv.slice(2);
const headers = {
  "content-type": "application/json",
  "user-agent": "business-payments-sandbox/0.2.0",
  "x-service-hmac-sha256": "95Wpa460g+sxv9WQ3P6zmX8nQ2CArVgOqDHRqdBqPC8=",
};
const pool = new Pool(url, { connections: AT_ONCE, pipelining: 1 });

await send(Number(warmUp));
const cpu = process.cpuUsage();
const startedAt = performance.now();
await send(Number(count));
const seconds = (performance.now() - startedAt) / 1000;
const { user, system } = process.cpuUsage(cpu);
process.stdout.write(JSON.stringify({ seconds, cpuUs: user + system }));
await pool.close();

async function send(webhooks) {
  let sent = 0;
  const sender = async () => {
    while (sent < webhooks) {
      const { statusCode, body } = await pool.request({
        path: "/hook",
        method: "POST",
        headers,
        body: bodyOf(sent++),
      });
      await body.dump();
      if (statusCode !== 200) throw new Error(`The receiver answered ${statusCode}.`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
}

/** A body as long as a webhook of the sandbox. */
function bodyOf(index) {
  return JSON.stringify({
    topic: "charges/events",
    data: {
      id: "6f1b9a52-0c9f-4e0e-9e57-3c8d3f3b2a10",
      createdAt: "2026-01-15T09:00:00.000Z",
      externalId: `order-${index}`,
      description: "Shoes",
      currency: "XOF",
      amount: 10_000,
      due: 10_000,
      fees: { currency: "XOF", rate: 0.01, value: 100 },
      status: "dropped",
      droppedReason: "expired",
      paid: 0,
      refunded: 0,
      attempts: 0,
      metadata: {},
      paymentUrl: "http://127.0.0.1:4010/checkout/6f1b9a52-0c9f-4e0e-9e57-3c8d3f3b2a10",
      transactions: [],
    },
  });
}
