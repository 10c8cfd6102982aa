/**
 * Checks that a long-running sandbox does not grow: many requests of many clients, each with its own token like the workers of a test suite, and
 * webhooks to a healthy, a slow and a dead receiver. The heap is measured after a garbage collection, ten times.
 *
 *     npm run build && npm run bench:soak                    1 000 000 requests
 *     npm run bench:soak -- --requests 20000                 the short form
 *
 * All limits are low and reached early, so that later growth shows a missing limit. Exits with 1 when the largest heap of the second half exceeds
 * that of the first by more than a tenth.
 */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "undici";
import { chargeOf, printTable, programs, readNumbers, startServer } from "./programs.mjs";

const { requests, clients } = readNumbers({ requests: 1_000_000, clients: 32 });
/** Requests per token. Few, so that most of the run is at full size. */
const REQUESTS_PER_COMPANY = Math.min(500, Math.max(50, Math.round(requests / 400)));
const KEPT = Math.round(REQUESTS_PER_COMPANY * 0.4);
const LIMITS = { requests: KEPT, events: KEPT, deliveries: KEPT, pendingDeliveries: 2 * KEPT, companies: 2 * clients };
const SLOW_MS = 200;
/** The allowed growth of the largest heap from the first half to the second. */
const GROWTH_MAX = 0.1;
const GROWTH_MAX_MIB = 10;

const folder = await mkdtemp(join(tmpdir(), "soak-"));
await writeFile(join(folder, "sandbox.config.json"), JSON.stringify({ autoProvision: true, limits: LIMITS }));
const [healthy, slow] = await Promise.all([openReceiver(0), openReceiver(SLOW_MS)]);
const dead = await openReceiver(0);
await dead.close();
const sandbox = await startServer(programs.sandbox, folder);
const agent = new Agent({ connections: clients });

const counts = { answered: 0, refused: 0 };
const samples = [];
const startedAt = performance.now();
for (let tenth = 1; tenth <= 10; tenth++) {
  await run(Math.round((requests * tenth) / 10));
  samples.push({ requests: counts.answered, ...(await sandbox.sample()) });
}
const seconds = (performance.now() - startedAt) / 1000;
const { count: companies } = await control("GET", "/companies?limit=1000");
await agent.close();
const log = await sandbox.stop();
await Promise.all([healthy.close(), slow.close(), rm(folder, { recursive: true })]);

const [before, after] = [samples.slice(0, 5), samples.slice(5)].map((half) =>
  Math.max(...half.map(({ heapMib }) => heapMib)),
);
const growthMib = after - before;
const isFlat = growthMib <= Math.max(GROWTH_MAX_MIB, before * GROWTH_MAX);
const p99Ms = Math.max(...samples.map((sample) => sample.p99Ms));
printTable(
  ["requests", "heap after GC, MiB", "external, MiB", "resident, MB", "event-loop delay p99, ms", "max, ms"],
  samples.map(({ requests: done, heapMib, externalMib, rssMb, ...delay }) => [
    done,
    ...[heapMib, externalMib, rssMb, delay.p99Ms, delay.maxMs].map((number) => number.toFixed(1)),
  ]),
);
console.log(`
${requests} requests in ${seconds.toFixed(0)} s (${(requests / seconds).toFixed(0)}/s, ${clients} clients), ${counts.refused} refused
webhooks      ${healthy.received} to the healthy receiver, ${slow.received} to the slow one, none to the dead one
companies     ${companies} at the end, of ${Math.ceil(requests / REQUESTS_PER_COMPANY)} that were opened
largest heap  ${before.toFixed(1)} MiB in the first half, ${after.toFixed(1)} MiB in the second (at most a tenth more, or ${GROWTH_MAX_MIB} MiB)
event loop    ${p99Ms.toFixed(1)} ms delay at the 99th percentile, in the worst tenth
`);
console.log(JSON.stringify({ requests, seconds, clients, limits: LIMITS, companies, isFlat, p99Ms, samples }));
if (!isFlat || /"event":"bug"/.test(log)) process.exitCode = 1;

/** Runs all clients until `target` requests are answered. */
async function run(target) {
  let taken = counts.answered;
  const client = async () => {
    while (taken < target) {
      const size = Math.min(REQUESTS_PER_COMPANY, target - taken);
      taken += size;
      await useCompany(`soak${taken}`, size);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
}

/** Does what a test suite does: subscribes, pays, reads and refunds charges, sends transfers; some requests are wrong. */
async function useCompany(name, size) {
  const send = (method, path, body) => call(name, method, path, body);
  const topics = ["charges/events", "transactions/completed"];
  const subscriptions = topics.flatMap((topic) => [healthy, slow, dead].map(({ url }) => ({ topic, url })));
  let left = size;
  for (const subscription of subscriptions) if (left-- > 0) await send("POST", "/v1/webhooks", subscription);
  for (let turn = 0; left > 0; turn++) {
    const made = await send("POST", "/v1/charges", charge(turn));
    const steps = [
      ["POST", `/v1/charges/${made?.id}/pay`],
      ["GET", `/v1/charges/${made?.id}`],
      ["POST", `/v1/charges/${made?.id}/refund`, { amount: 100 }],
      ["POST", "/v1/transactions", transfer(turn)],
      ["GET", "/v1/balance"],
      ["POST", "/v1/charges", { amount: -1, metadata: { text: "x".repeat(500) } }],
      ["GET", "/v1/webhooks"],
    ];
    left--;
    for (const step of steps) if (left-- > 0) await send(...step);
  }
}

async function call(name, method, path, body) {
  const response = await agent.request({
    origin: sandbox.url,
    method,
    path,
    headers: {
      authorization: `Bearer at_${name}`,
      "x-company-id": `company_${name}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.body.text();
  counts.answered++;
  if (response.statusCode >= 400) counts.refused++;
  if (response.statusCode >= 500) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}

async function control(method, path) {
  const response = await agent.request({ origin: sandbox.url, method, path: `/_sandbox${path}` });
  return response.body.json();
}

function charge(turn) {
  return { ...chargeOf(turn), metadata: { cart: ["a", "b"], turn } };
}

function transfer(turn) {
  return { amount: 5_000, msisdn: "+2250700000001", reference: `payout-${turn}`, type: "transfer" };
}

async function openReceiver(delayMs) {
  const receiver = { received: 0 };
  const server = createServer((incoming, outgoing) => {
    incoming.resume();
    incoming.on("end", () => {
      receiver.received++;
      if (delayMs === 0) outgoing.end();
      else setTimeout(() => outgoing.end(), delayMs);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  receiver.url = `http://127.0.0.1:${server.address().port}/hook`;
  receiver.close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return receiver;
}
