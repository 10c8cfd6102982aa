/** The programs that are compared, each in a process on another core than the client, and the load on them. */
import autocannon from "autocannon";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { open, readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const at = (path) => fileURLToPath(new URL(path, import.meta.url));
const quietStart = [at("../bin/sandbox.js"), "start", "--port", "0", "--log", "json", "--log-level", "warn"];

/** Each program prints its address on the first line. */
export const programs = {
  plain: [at("floors/plain.mjs")],
  hono: [at("../reports/bench/hono.mjs")],
  sandbox: quietStart,
};
/** The sandbox with a frozen clock. */
export const frozenSandbox = [...quietStart, "--clock", "2026-01-15T09:00:00Z"];
/** The command of a proxy that records to a file. */
export const recordingProxy = (target, file, ...flags) => [
  at("../bin/sandbox.js"),
  "proxy",
  "--port=0",
  `--target=${target}`,
  `--record=${file}`,
  ...flags,
];
const exploredCommand = [process.execPath, at("floors/pays.mjs")];
export const senderFloor = at("floors/sender.mjs");
export const receiverFloor = at("floors/receiver.mjs");

/** Without `taskset`, or with one core, the system decides. */
export const isPinned = availableParallelism() > 1 && spawnSync("taskset", ["-V"]).status === 0;
const SERVER_CORE = "0";
const CLIENT_CORE = "1";

export function pinClient() {
  if (isPinned) spawnSync("taskset", ["-a", "-c", "-p", CLIENT_CORE, String(process.pid)]);
}

function spawnOnServerCore(args, stdio, cwd) {
  const node = [process.execPath, ...args];
  const [command, ...rest] = isPinned ? ["taskset", "-c", SERVER_CORE, ...node] : node;
  return spawn(command, rest, { stdio, cwd });
}

/** Runs `node` with these arguments in `cwd` until `stop()`, which returns what it wrote to stderr. */
export async function startServer(args, cwd = undefined) {
  const probe = ["--expose-gc", "--import", new URL("usage-probe.mjs", import.meta.url).href];
  const child = spawnOnServerCore([...probe, ...args], ["ignore", "pipe", "pipe", "ipc"], cwd);
  const ended = once(child, "exit");
  let errors = "";
  child.stderr.on("data", (chunk) => (errors = (errors + chunk).slice(-10_000)));
  const firstLine = once(createInterface(child.stdout), "line");
  const line = await Promise.race([
    firstLine,
    ended.then(([code]) => Promise.reject(new Error(`${args[0]}: ${code}`))),
  ]);
  const ask = async (question) => {
    child.send(question);
    return (await once(child, "message"))[0];
  };
  return {
    url: /http:[^\s"]+/.exec(line[0])[0],
    usage: () => ask("usage"),
    sample: () => ask("sample"),
    resetDelays: () => child.send("reset"),
    async stop() {
      child.kill("SIGTERM");
      const [code, signal] = await ended;
      if (code !== 0) throw new Error(`${args[0]} ended with ${code ?? signal}:\n${errors}`);
      return errors;
    },
  };
}

/** Runs `node` until it ends, and parses its output. */
export async function runNode(args) {
  const child = spawnOnServerCore(args, ["ignore", "pipe", "inherit"]);
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}.`);
  return JSON.parse(output);
}

/** Runs a command on all cores, which must succeed. Returns its time in ms. */
async function timeOf([program, ...args], env = process.env, output = "ignore") {
  const words = isPinned ? ["taskset", "-c", `${SERVER_CORE},${CLIENT_CORE}`, program, ...args] : [program, ...args];
  const startedAt = performance.now();
  const child = spawn(words[0], words.slice(1), { env, stdio: ["ignore", output, "inherit"] });
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`${words.join(" ")} ended with ${code}.`);
  return performance.now() - startedAt;
}

/** The command that is explored, beside a sandbox that runs. */
export function timeOfCommand(url) {
  return timeOf(exploredCommand, { ...process.env, SANDBOX_URL: url, SANDBOX_ACCESS_TOKEN: "at_sandbox" });
}

/** `explore` over the command. `slow` is left out, since it waits on purpose. */
export function timeOfExplore(flags) {
  const out = ["--reporter", "json", "--out", at("../reports/bench/explore"), "--skip", "slow"];
  return timeOf([process.execPath, at("../bin/sandbox.js"), "explore", ...out, ...flags, "--", ...exploredCommand]);
}

/** `calibrate` of an archive: its time in seconds, the most memory that it had in MB, and its report. */
export async function calibrateFile(file) {
  const [peakFile, reportFile] = [`${file}.peak`, `${file}.json`];
  const probe = ["--import", new URL("usage-probe.mjs", import.meta.url).href];
  const report = await open(reportFile, "w");
  const command = [process.execPath, ...probe, at("../bin/sandbox.js"), "calibrate", file, "--reporter=json"];
  const ms = await timeOf(command, { ...process.env, PEAK_FILE: peakFile }, report.fd);
  await report.close();
  const [peakMb, written] = await Promise.all([peakFile, reportFile].map((path) => readFile(path, "utf8")));
  return { seconds: ms / 1000, peakMb: Number(peakMb), report: JSON.parse(written) };
}

const CONNECTIONS = 32;
export const headers = {
  authorization: "Bearer at_sandbox",
  "x-company-id": "company_sandbox",
  "content-type": "application/json",
};

/** Sends `requests` requests with autocannon; any answer but 2xx is an error. Returns requests per second and the 99th percentile in ms. */
async function run(url, requests, request) {
  const startedAt = performance.now();
  let endedAt = startedAt;
  const { latency, non2xx, errors } = await autocannon({
    url,
    connections: Math.min(CONNECTIONS, requests),
    amount: requests,
    requests: [{ headers, ...request }],
    // autocannon rounds its own duration to its sampling interval.
    setupClient: (client) => client.on("response", () => (endedAt = performance.now())),
  });
  if (non2xx > 0 || errors > 0) throw new Error(`${url}: ${non2xx} answers were not 2xx, ${errors} requests failed`);
  return { perSecond: (1000 * requests) / (endedAt - startedAt), p99Ms: latency.p99 };
}

/** `firstNumber` makes externalIds unique across calls. `onId` gets the id of each charge. */
export function postCharges(url, requests, firstNumber = 0, onId = undefined) {
  let number = firstNumber;
  const setupRequest = (request) => ({ ...request, body: JSON.stringify(chargeOf(number++)) });
  const onResponse = onId && ((_status, body) => onId(JSON.parse(body).id));
  return run(url, requests, { method: "POST", path: "/v1/charges", setupRequest, onResponse });
}

export function getCharges(url, requests, ids) {
  let index = 0;
  const setupRequest = (request) => ({ ...request, path: `/v1/charges/${ids[index++ % ids.length]}` });
  return run(url, requests, { method: "GET", setupRequest });
}

export function getBalance(url, requests) {
  return run(url, requests, { method: "GET", path: "/v1/balance" });
}

/** A shop's day: charges that are created, paid and read, and transfers; several at a time. */
export async function trade(url, rounds) {
  let number = 0;
  const lane = async () => {
    while (number < rounds) {
      const order = number++;
      const { id } = await postJson(url, "/v1/charges", chargeOf(order));
      await postJson(url, `/v1/charges/${id}/pay`, {});
      await (await fetch(new URL(`/v1/charges/${id}`, url), { headers })).arrayBuffer();
      const transfer = { type: "transfer", amount: 5_000, msisdn: "+2250700000010", reference: `payout-${order}` };
      await postJson(url, "/v1/transactions", transfer);
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}

export async function postJson(url, path, body) {
  const response = await fetch(new URL(path, url), { method: "POST", headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`POST ${path} was answered ${response.status}: ${await response.text()}`);
  return response.json();
}

/** One request with little work for the client, for the time to a first answer. */
export async function firstAnswer(url) {
  const response = await fetch(new URL("/v1/balance", url), { headers });
  if (response.status !== 200) throw new Error(`GET /v1/balance was answered ${response.status}`);
  await response.arrayBuffer();
}

/** Asks each address in turn, one request at a time over kept connections; returns the median in ms of each. */
export async function medianAnswers(urls, requests) {
  const times = urls.map(() => []);
  for (let number = 0; number < requests; number++) {
    for (const [index, url] of urls.entries()) {
      const startedAt = performance.now();
      await firstAnswer(url);
      times[index].push(performance.now() - startedAt);
    }
  }
  return times.map((list) => list.toSorted((a, b) => a - b)[requests >> 1]);
}

/** A request to create the charge `order-NUMBER`. */
export function chargeOf(number) {
  return {
    amount: 10_000,
    externalId: `order-${number}`,
    description: "Shoes",
    onCanceledRedirectionUrl: "https://shop.test/no",
    onCompletedRedirectionUrl: "https://shop.test/yes",
  };
}

/** Reads numbers of the command line, as in `npm run bench:soak -- --requests 20000`, over the defaults. */
export function readNumbers(defaults) {
  const options = Object.fromEntries(Object.keys(defaults).map((name) => [name, { type: "string" }]));
  const given = Object.entries(parseArgs({ options }).values).map(([name, value]) => [name, Number(value)]);
  const wrong = given.find(([, value]) => !(value > 0));
  if (wrong !== undefined) throw new Error(`--${wrong[0]} takes a number above 0.`);
  return { ...defaults, ...Object.fromEntries(given) };
}

/** Rows of a Markdown table. */
export function printTable(heads, rows) {
  console.log(`| ${heads.join(" | ")} |\n|${heads.map(() => "---:").join("|")}|`);
  for (const row of rows) console.log(`| ${row.join(" | ")} |`);
}
