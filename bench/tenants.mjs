/**
 * Measures one replica with many companies in a file store: its start, the time until its first acknowledged write, its memory, and what a quiet
 * company notices of one that is at its rate limit.
 *
 *     npm run build && npm run bench:tenants
 *     npm run bench:tenants -- --companies 10000 --charges 10
 *
 * The noisy company keeps to its limit (each connection waits as long as Retry-After says), or floods: it goes on at once.
 *
 * Exits with 1 when the median start takes more than --start seconds (default 3), or when the quiet company's 99th percentile beside the one at its limit
 * is more than --ratio times the one alone (default 2).
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Agent } from "undici";
import { chargeOf, printTable, readNumbers, startServer } from "./programs.mjs";

const numbers = { companies: 1_000, charges: 100, clients: 32, starts: 5, rounds: 5, seconds: 3, noise: 16 };
const { companies, charges, clients, starts, rounds, seconds, noise, ...targets } = readNumbers({
  ...numbers,
  start: 3,
  ratio: 2,
});
/** The rate limit of the noisy company. */
const RATE_LIMIT = { requests: 100, per: "1s" };
const QUIET = 0;
const NOISY = 1;

const folder = await mkdtemp(join(tmpdir(), "sandbox-bench-tenants-"));
const store = join(folder, "sandbox.json");
const config = join(folder, "sandbox.config.json");
await writeFile(config, JSON.stringify({ limits: { companies: companies + 10 } }));
const program = fileURLToPath(new URL("../bin/sandbox.js", import.meta.url));
const args = [program, "start", "--port", "0", "--log", "json", "--log-level", "error", "--auto-provision"];
const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
let sandbox;
try {
  await start();
  const empty = await sandbox.sample();
  const fillMs = await timed(fill);
  const filled = await sandbox.sample();
  const [startsMs, firstWritesMs, startsCpuMs] = [[], [], []];
  for (let at = 0; at < starts; at++) {
    await sandbox.stop();
    const startMs = await timed(start);
    startsMs.push(startMs);
    startsCpuMs.push((await sandbox.usage()).cpuUs / 1000);
    firstWritesMs.push(startMs + (await timed(() => expectOk(post(QUIET, "/v1/charges", chargeOf(`start-${at}`))))));
  }
  const loaded = await sandbox.sample();
  const { size } = await stat(store);
  const compared = await compare();
  await sandbox.stop();
  report({ empty, filled, loaded, fillMs, startsMs, firstWritesMs, startsCpuMs, size, ...compared });
} finally {
  await agent.close();
  await rm(folder, { recursive: true, force: true });
}

async function start() {
  sandbox = await startServer([...args, "--config", config, "--store", `file:${store}`]);
}

async function timed(work) {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

/** Each company gets its charges one after another, and one in ten of them is paid. */
async function fill() {
  let next = 0;
  const client = async () => {
    while (next < companies) {
      const company = next++;
      for (let made = 0; made < charges; made++) {
        const { id } = await expectOk(post(company, "/v1/charges", chargeOf(made)));
        if (made % 10 === 0) await expectOk(post(company, `/v1/charges/${id}/pay`, {}));
      }
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
}

/** Measures the quiet company alone and beside the noisy one in turns, so that other load affects both. */
async function compare() {
  await expectOk(ask(NOISY, "PATCH", `/_sandbox/profile?company=company_t${NOISY}`, { rateLimit: RATE_LIMIT }));
  await quietRequests();
  const [alone, atLimit, flooded] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    alone.push(...(await quietRequests()));
    atLimit.push(...(await besideNoise({ waits: true })));
    flooded.push(...(await besideNoise({ waits: false })));
  }
  return { alone, atLimit, flooded };
}

/** The noisy company sends from a process of its own. */
async function besideNoise({ waits }) {
  const request = {
    origin: sandbox.url,
    method: "POST",
    path: "/v1/charges",
    headers: headersOf(NOISY),
    body: JSON.stringify(chargeOf("[<id>]")),
  };
  const child = fork(new URL("noise.mjs", import.meta.url), [JSON.stringify({ connections: noise, waits, request })]);
  await once(child, "message");
  const latencies = await quietRequests();
  child.send("stop");
  const [{ 201: accepted = 0, 429: limited = 0, ...others }] = await once(child, "message");
  if (accepted === 0 || limited === 0 || Object.keys(others).length > 0)
    throw new Error(`The noise was not at its limit: ${JSON.stringify({ accepted, limited, ...others })}`);
  return latencies;
}

/** Sends requests of the quiet company for `seconds`, which are several periods of the noisy company's limit. Returns their latencies in ms. */
async function quietRequests() {
  const latencies = [];
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end)
    latencies.push(await timed(() => expectOk(post(QUIET, "/v1/charges", chargeOf(`quiet-${performance.now()}`)))));
  return latencies;
}

function report({ empty, filled, loaded, fillMs, startsMs, firstWritesMs, startsCpuMs, size, ...latencies }) {
  const startS = percentile(startsMs, 50) / 1000;
  const [alone, atLimit, flooded] = [latencies.alone, latencies.atLimit, latencies.flooded].map((times) => ({
    p50: percentile(times, 50).toFixed(1),
    p99: percentile(times, 99),
  }));
  const row = {
    companies,
    "charges each": charges,
    "written, /s": Math.round((companies * charges * 1.1) / (fillMs / 1000)),
    "store, MB": (size / 1e6).toFixed(1),
    "start, s": startS.toFixed(2),
    "until the first write, s": (percentile(firstWritesMs, 50) / 1000).toFixed(2),
    "its CPU time, s": (percentile(startsCpuMs, 50) / 1000).toFixed(2),
    "slowest, s": (Math.max(...startsMs) / 1000).toFixed(2),
    "empty, MB": empty.rssMb.toFixed(0),
    "filled, MB": filled.rssMb.toFixed(0),
    "after a start, MB": loaded.rssMb.toFixed(0),
    "heap, MiB": loaded.heapMib.toFixed(0),
  };
  for (const [name, { p50, p99 }] of Object.entries({
    "quiet alone": alone,
    "beside the limit": atLimit,
    "beside a flood": flooded,
  })) {
    row[`${name} p50, ms`] = p50;
    row[`${name} p99, ms`] = p99.toFixed(1);
    if (name !== "quiet alone") row[`${name}, ratio`] = (p99 / alone.p99).toFixed(2);
  }
  printTable(Object.keys(row), [Object.values(row)]);
  if (startS > targets.start || atLimit.p99 / alone.p99 > targets.ratio) process.exitCode = 1;
}

function percentile(values, percent) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0;
}

function post(company, path, body) {
  return ask(company, "POST", path, body);
}

async function ask(company, method, path, body) {
  const headers = headersOf(company);
  const response = await agent.request({ origin: sandbox.url, method, path, headers, body: JSON.stringify(body) });
  const text = await response.body.text();
  return { status: response.statusCode, text };
}

function headersOf(company) {
  return {
    authorization: `Bearer at_t${company}`,
    "x-company-id": `company_t${company}`,
    "content-type": "application/json",
  };
}

async function expectOk(asked) {
  const { status, text } = await asked;
  if (status >= 400) throw new Error(`${status} ${text}`);
  return JSON.parse(text);
}
