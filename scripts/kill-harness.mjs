/**
 * Kills the sandbox at random moments under load. Checks each time that the next process has the full effect of every answered request, and that its
 * ledger balances. At the end checks that timers and retries continue.
 *
 *   npm run kill                      300 kills
 *   npm run kill -- --kills 20        this many
 *   npm run kill -- --pauses 20       also pauses it this often while the next one takes its store over, and then resumes it
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { json } from "node:stream/consumers";
import { setTimeout as passMs } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { faker } from "@faker-js/faker";

const CLIENTS = 16;
const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "300" },
    pauses: { type: "string", default: "0" },
  },
});
const kills = Number(values.kills);
const pauses = Number(values.pauses);

const program = fileURLToPath(new URL("../bin/sandbox.js", import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "sandbox-kill-"));
const headers = {
  authorization: "Bearer at_sandbox",
  "x-company-id": "company_sandbox",
  "content-type": "application/json",
};

/** @typedef {{ id: string, reference: string, externalId: string, amount: number, status: string }} Row */
/** @typedef {{ transactions: Row[], charges: Row[], deliveries: Row[], ledger: { type: string, resource: string }[], due: { kind: string }[] }} State */

/** The answered requests. Transfers by reference, charges by externalId. @type {Map<string, { id: string, amount: number }>} */
const transfers = new Map();
/** @type {Map<string, string>} */
const charges = new Map();
const paid = new Set();
/** The events that the receiver acknowledged. It refuses every third request, so that there are retries. */
const received = new Set();
/** @returns {Promise<State>} */
const stateOf = () => api("GET", "/_sandbox/state");
let receivedRequests = 0;
let made = 0;
/** Why requests were not answered. @type {unknown[]} */
const lost = [];
let slowestStartMs = 0;
const startLoad = () => Promise.all(Array.from({ length: CLIENTS }, work));
const answered = () => transfers.size + charges.size + paid.size;

const receiver = createServer((request, response) => {
  void json(request).then((/** @type {any} */ { topic, data }) => {
    const refused = receivedRequests++ % 3 === 0;
    if (!refused) received.add(`${topic} ${data.id}`);
    response.writeHead(refused ? 500 : 200).end();
  });
});
receiver.listen(0, "127.0.0.1");
await once(receiver, "listening");

let sandbox = await start();
try {
  await subscribe();
  for (let kill = 1; kill <= kills; kill++) {
    await killUnder(startLoad());
    await check(kill);
    if (kill % 25 === 0) console.error(`${kill} kills, ${answered()} answered requests, all there`);
  }
  for (let pause = 1; pause <= pauses; pause++) {
    await replacePaused();
    await check(kills + pause);
  }
  await finish();
  sandbox.child.kill("SIGTERM");
  assert.equal(await sandbox.ended, 0, "the last process stops with exit code 0");
  assert.deepEqual(
    (await readdir(folder)).filter((name) => /\.(?:tmp|lock)/.test(name)),
    [],
    "no temporary file is left behind",
  );
} finally {
  sandbox.child.kill("SIGKILL");
  receiver.close();
  await rm(folder, { recursive: true, force: true });
}
console.log(
  JSON.stringify({
    kills,
    pauses,
    answeredRequests: answered(),
    lostAnswers: lost.length,
    slowestStartMs: Math.round(slowestStartMs),
  }),
);

async function start() {
  const began = performance.now();
  const args = ["start", "--port", "0", "--log", "json", "--store", `file:${join(folder, "state.json")}`];
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise((resolve) => child.once("close", (code, signal) => resolve(code ?? signal)));
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), "line"), ended.then(() => [])]);
  assert(line, "the sandbox starts");
  child.stdout.resume();
  slowestStartMs = Math.max(slowestStartMs, performance.now() - began);
  return { child, url: JSON.parse(line).url, isDead: false, ended };
}

/** Pauses the sandbox under load while another one takes its store over. When the first is resumed, it must notice this and exit with 3. */
async function replacePaused() {
  const paused = sandbox;
  const load = startLoad();
  await passMs(faker.number.float({ max: 400 }));
  paused.child.kill("SIGSTOP");
  // Removes the lock, as if its owner were on another machine and had not touched it for a minute.
  await rm(join(folder, "state.json.lock"));
  sandbox = await start();
  const loadOfNext = startLoad();
  paused.child.kill("SIGCONT");
  assert.equal(await paused.ended, 3, "a holder that was replaced exits with 3");
  paused.isDead = true;
  await load;
  await killUnder(loadOfNext);
}

/** Kills the sandbox at a random moment and starts the next one. @param {Promise<unknown>} load */
async function killUnder(load) {
  await passMs(faker.number.float({ max: 400 }));
  sandbox.child.kill("SIGKILL");
  await sandbox.ended;
  sandbox.isDead = true;
  await load;
  sandbox = await start();
}

async function subscribe() {
  await api("PATCH", "/_sandbox/profile", {
    transfers: { settlement: { after: "300ms" } },
    webhooks: { retry: ["200ms", "200ms", "200ms", "1s", "1s"] },
  });
  await api("PUT", "/_sandbox/balance", { balance: 10_000_000_000 });
  const { port } = /** @type {import("node:net").AddressInfo} */ (receiver.address());
  const url = `http://127.0.0.1:${port}/`;
  for (const topic of ["transactions/completed", "charges/events"]) await api("POST", "/v1/webhooks", { topic, url });
}

/** A client that sends one request after another until the process is dead. */
async function work() {
  const current = sandbox;
  while (!current.isDead) {
    try {
      await (faker.datatype.boolean() ? transfer(current.url) : chargeAndPay(current.url));
    } catch (error) {
      // The connection broke or the process was replaced, so the client does not know whether the request took effect.
      lost.push(error);
      await passMs(1);
    }
  }
}

/** @param {string} url */
async function transfer(url) {
  const reference = `transfer-${++made}`;
  const amount = faker.number.int({ min: 5_000, max: 15_000 });
  const order = { type: "transfer", amount, msisdn: "+2250700000001", reference };
  const { id } = await api("POST", "/v1/transactions", order, url);
  transfers.set(reference, { id, amount });
}

/** @param {string} url */
async function chargeAndPay(url) {
  const externalId = `charge-${++made}`;
  const order = {
    amount: 1_000,
    externalId,
    description: "Shoes",
    onCanceledRedirectionUrl: "https://shop.test/no",
    onCompletedRedirectionUrl: "https://shop.test/yes",
  };
  const { id } = await api("POST", "/v1/charges", order, url);
  charges.set(externalId, id);
  await api("POST", `/v1/charges/${id}/pay`, undefined, url);
  paid.add(id);
}

/** Checks that every answered request is stored completely, and that the state is consistent. @param {number} kill */
async function check(kill) {
  assert.ifError(lost.find((error) => error instanceof assert.AssertionError));
  const state = await stateOf();
  const byReference = new Map(state.transactions.map((row) => [row.reference, row]));
  for (const [reference, { id, amount }] of transfers) {
    const row = byReference.get(reference);
    assert(row?.id === id && row.amount === amount, `kill ${kill}: the transfer ${reference} is missing`);
  }
  const debits = new Set(state.ledger.filter(({ type }) => type === "transfer.debit").map(({ resource }) => resource));
  for (const { id } of state.transactions) assert(debits.has(id), `kill ${kill}: the transfer ${id} has no debit`);
  const byId = new Map(state.charges.map((row) => [row.id, row]));
  for (const [externalId, id] of charges)
    assert.equal(byId.get(id)?.externalId, externalId, `kill ${kill}: the charge ${externalId} is missing`);
  for (const id of paid) assert.equal(byId.get(id)?.status, "paid", `kill ${kill}: the charge ${id} was paid`);
  if (kill % 5 !== 0 && kill !== kills) return;
  // Restoring a state checks its ledger, references and timers. This is done only now and then, since it takes longer for a larger state.
  const companyId = `company_check_${kill}`;
  await api("POST", "/_sandbox/companies", { companyId, clock: "frozen" });
  const due = state.due.filter(({ kind }) => kind !== "delivery.attempt");
  const copy = { ...state, deliveries: [], due, subscriptions: [], holds: [] };
  await api("PUT", `/_sandbox/state?company=${companyId}`, copy);
  await api("DELETE", `/_sandbox/companies/${companyId}`);
}

/** Checks that timers and retries continue: in the end every transfer is settled and every webhook acknowledged. */
async function finish() {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const { transactions, deliveries } = await stateOf();
    const unsettled = transactions.filter(({ status }) => status === "pending").length;
    const pending = deliveries.filter(({ status }) => status === "pending").length;
    if (unsettled === 0 && pending === 0) {
      const exhausted = deliveries.filter(({ status }) => status === "exhausted").length;
      const completed = transactions.filter(({ status }) => status === "completed");
      const missing = completed.filter(({ id }) => !received.has(`transactions/completed ${id.replace("txn_", "")}`));
      assert(missing.length <= exhausted, `${missing.length} webhooks never came`);
      return;
    }
    assert(performance.now() < deadline, `${unsettled} transfers and ${pending} webhooks never ended`);
    await passMs(200);
  }
}

/**
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @param {string} [url]
 */
async function api(method, path, body, url = sandbox.url) {
  const answer = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  if (answer.status >= 500) throw new Error(text);
  assert(answer.status < 300, `${method} ${path}: ${answer.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}
