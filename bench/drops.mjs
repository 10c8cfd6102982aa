/**
 * Checks that a sandbox still answers while one advance drops 100 000 charges, each with a webhook, and a client asks for the balance.
 *
 *     npm run build && npm run bench:drops
 *     npm run bench:drops -- --charges 10000 --p99 250       the short form, for a busy machine
 *
 * Exits with 1 when the 99th percentile of the event loop's delay exceeds --p99 (default 50 ms).
 */
import { createServer } from "node:http";
import { Agent } from "undici";
import { chargeOf, frozenSandbox, headers, printTable, readNumbers, startServer } from "./programs.mjs";

const { charges, clients, p99 } = readNumbers({ charges: 100_000, clients: 32, p99: 50 });
const ASK_EACH_MS = 5;

const received = { count: 0 };
const receiver = createServer((incoming, outgoing) => {
  incoming.resume();
  incoming.on("end", () => {
    received.count++;
    outgoing.end();
  });
});
await new Promise((resolve) => receiver.listen(0, "127.0.0.1", resolve));
const sandbox = await startServer(frozenSandbox);
const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

await post("/v1/webhooks", { topic: "charges/events", url: `http://127.0.0.1:${receiver.address().port}/hook` });
let made = 0;
await Promise.all(
  Array.from({ length: clients }, async () => {
    while (made < charges) await post("/v1/charges", chargeOf(++made));
  }),
);

sandbox.resetDelays();
const startedAt = performance.now();
const over = new AbortController();
const latencies = [];
const asking = (async () => {
  while (!over.signal.aborted) {
    const askedAt = performance.now();
    await get("/v1/balance");
    latencies.push(performance.now() - askedAt);
    await new Promise((resolve) => setTimeout(resolve, ASK_EACH_MS));
  }
})();
const { firedCount, deliveries } = await post("/_sandbox/clock/advance", { by: "1h", maxWaitMs: 600_000 });
const seconds = (performance.now() - startedAt) / 1000;
over.abort();
await asking;
const { p99Ms, maxMs, rssMb } = await sandbox.sample();
await agent.close();
await sandbox.stop();
receiver.closeAllConnections();
receiver.close();

const sorted = latencies.toSorted((a, b) => a - b);
const answerP99Ms = sorted[Math.floor(sorted.length * 0.99)] ?? 0;
printTable(
  [
    "drops",
    "webhooks",
    "seconds",
    "event-loop delay p99, ms",
    "max, ms",
    "answers meanwhile",
    "their p99, ms",
    "resident, MB",
  ],
  [
    [firedCount, received.count, seconds, p99Ms, maxMs, latencies.length, answerP99Ms, rssMb].map((number) =>
      Number.isInteger(number) ? number : number.toFixed(1),
    ),
  ],
);
console.log(`\n${JSON.stringify({ charges, firedCount, deliveries, seconds, p99Ms, maxMs, answerP99Ms, rssMb })}`);
const isWhole = firedCount === charges && deliveries.succeeded === charges && received.count === charges;
if (!isWhole || p99Ms > p99) process.exitCode = 1;

async function post(path, body) {
  const response = await agent.request({
    origin: sandbox.url,
    method: "POST",
    path,
    headers,
    body: JSON.stringify(body),
  });
  const text = await response.body.text();
  if (response.statusCode >= 400) throw new Error(`${path}: ${response.statusCode} ${text}`);
  return JSON.parse(text);
}

async function get(path) {
  const response = await agent.request({ origin: sandbox.url, method: "GET", path, headers });
  return response.body.json();
}
