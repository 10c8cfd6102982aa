/**
 * Kills the sandbox at random instants under load, again and again, and looks each time at what the next process has:
 * every answered request, none of them half, books that add up, timers and retries that go on.
 *
 *   npm run kill                      300 kills
 *   npm run kill -- --kills 20        so many
 *   npm run kill -- --seed 7          the same instants and requests again (as far as the machine lets them be)
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "300" },
    clients: { type: "string", default: "16" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const kills = Number(values.kills);
const clients = Number(values.clients);
const random = createRandom(Number(values.seed));

const program = fileURLToPath(new URL("../bin/sandbox.js", import.meta.url));
const folder = await mkdtemp(join(tmpdir(), "sandbox-kill-"));
const headers = {
  authorization: "Bearer at_sandbox",
  "x-company-id": "company_sandbox",
  "content-type": "application/json",
};

/**
 * @typedef {{ child: import("node:child_process").ChildProcess, url: string, isDead: boolean, ended: Promise<unknown> }} Running
 * @typedef {{ id: string, reference: string, externalId: string, amount: number, status: string }} Row
 * @typedef {{ transactions: Row[], charges: Row[], deliveries: Row[], ledger: { type: string, resource: string }[] }} State
 */

/** What was answered: reference → what the answer said. @type {Map<string, { id: string, amount: number }>} */
const transfers = new Map();
/** externalId → id @type {Map<string, string>} */
const charges = new Map();
/** @type {Set<string>} */
const paid = new Set();
/** Events that the receiver has seen; it refuses every third request, so that there are retries. */
const received = new Set();
let receivedRequests = 0;
let made = 0;
let lostAnswers = 0;

const receiver = createServer((request, response) => {
  /** @type {Buffer[]} */
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    const { topic, data } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    const refused = receivedRequests++ % 3 === 0;
    if (!refused) received.add(`${topic} ${data.id}`);
    response.writeHead(refused ? 500 : 200).end();
  });
});
receiver.listen(0, "127.0.0.1");
await once(receiver, "listening");

const startedAt = performance.now();
let slowestStartMs = 0;
try {
  let sandbox = await start();
  await subscribe(sandbox);
  for (let kill = 1; kill <= kills; kill++) {
    const load = Promise.all(Array.from({ length: clients }, () => work(sandbox)));
    await passMs(random() * 400);
    sandbox.child.kill("SIGKILL");
    await sandbox.ended;
    sandbox.isDead = true;
    await load;
    sandbox = await start();
    await check(sandbox, kill);
    if (kill % 25 === 0)
      console.error(`${kill} kills, ${transfers.size + charges.size + paid.size} answered requests, all there`);
  }
  await finish(sandbox);
  sandbox.child.kill("SIGTERM");
  if ((await sandbox.ended) !== 0) throw new Error("the last one did not stop well");
  const left = await readdir(folder);
  if (left.some((name) => /\.(?:tmp|lock)/.test(name))) throw new Error(`left behind: ${left.join(", ")}`);
} finally {
  receiver.close();
  await rm(folder, { recursive: true, force: true });
}
console.log(
  JSON.stringify({
    kills,
    answeredRequests: transfers.size + charges.size + paid.size,
    lostAnswers,
    webhooksAcknowledged: received.size,
    slowestStartMs: Math.round(slowestStartMs),
    seconds: Math.round((performance.now() - startedAt) / 1000),
    seed: Number(values.seed),
  }),
);

async function start() {
  const began = performance.now();
  const args = ["start", "--port", "0", "--log", "json", "--store", `file:${join(folder, "state.json")}`];
  const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr.on("data", (chunk) => (said += chunk));
  const ended = new Promise((resolve) => child.once("close", (code, signal) => resolve(code ?? signal)));
  const sandbox = { child, url: "", isDead: false, ended };
  for await (const line of createInterface({ input: child.stdout })) {
    const { event, url } = JSON.parse(line);
    if (event !== "listening") continue;
    sandbox.url = url;
    break;
  }
  child.stdout.resume();
  if (sandbox.url === "") throw new Error(`it did not start: ${await sandbox.ended} ${said}`);
  slowestStartMs = Math.max(slowestStartMs, performance.now() - began);
  return sandbox;
}

/** @param {Running} sandbox */
async function subscribe(sandbox) {
  const profile = {
    transfers: { settlement: { after: "300ms" } },
    webhooks: { retry: ["200ms", "200ms", "200ms", "1s", "1s"] },
  };
  await api(sandbox, "PATCH", "/_sandbox/profile", profile);
  await api(sandbox, "PUT", "/_sandbox/balance", { balance: 10_000_000_000 });
  const { port } = /** @type {import("node:net").AddressInfo} */ (receiver.address());
  const url = `http://127.0.0.1:${port}/`;
  for (const topic of ["transactions/completed", "charges/events"])
    await api(sandbox, "POST", "/v1/webhooks", { topic, url });
}

/**
 * One client, one request after another until the process is dead.
 *
 * @param {Running} sandbox
 */
async function work(sandbox) {
  while (!sandbox.isDead) {
    try {
      await (random() < 0.5 ? transfer(sandbox) : chargeAndPay(sandbox));
    } catch {
      lostAnswers++;
      // The connection broke: whether it was done nobody was told.
      await passMs(1);
    }
  }
}

/** @param {Running} sandbox */
async function transfer(sandbox) {
  const reference = `transfer-${++made}`;
  const amount = 5_000 + Math.floor(random() * 10_000);
  const body = await api(sandbox, "POST", "/v1/transactions", {
    type: "transfer",
    amount,
    msisdn: "+2250700000001",
    reference,
  });
  transfers.set(reference, { id: body.id, amount });
}

/** @param {Running} sandbox */
async function chargeAndPay(sandbox) {
  const externalId = `charge-${++made}`;
  const order = {
    amount: 1_000,
    externalId,
    description: "Shoes",
    onCanceledRedirectionUrl: "https://shop.test/no",
    onCompletedRedirectionUrl: "https://shop.test/yes",
  };
  const { id } = await api(sandbox, "POST", "/v1/charges", order);
  charges.set(externalId, id);
  await api(sandbox, "POST", `/v1/charges/${id}/pay`);
  paid.add(id);
}

/**
 * Every answered request is there, none is half there, and the state as a whole fits together.
 *
 * @param {Running} sandbox
 * @param {number} kill
 */
async function check(sandbox, kill) {
  const state = await stateOf(sandbox);
  const byReference = new Map(state.transactions.map((row) => [row.reference, row]));
  for (const [reference, { id, amount }] of transfers) {
    const row = byReference.get(reference);
    assert(
      row?.id === id && row.amount === amount,
      kill,
      `the transfer ${reference} (${id}) was answered and is not there`,
    );
  }
  const debits = new Set(state.ledger.filter(({ type }) => type === "transfer.debit").map(({ resource }) => resource));
  for (const { id } of state.transactions)
    assert(debits.has(id), kill, `the transfer ${id} is there without its debit`);
  const byId = new Map(state.charges.map((row) => [row.id, row]));
  for (const [externalId, id] of charges)
    assert(byId.get(id)?.externalId === externalId, kill, `the charge ${externalId} is not there`);
  for (const id of paid)
    assert(byId.get(id)?.status === "paid", kill, `the charge ${id} was paid and is ${byId.get(id)?.status}`);
  if (kill % 5 !== 0 && kill !== kills) return;
  // Books, references and timers are checked when a state is put in. That takes longer the more there is.
  const scratch = `company_check_${kill}`;
  await api(sandbox, "POST", "/_sandbox/companies", { companyId: scratch, clock: "frozen" });
  await api(sandbox, "PUT", `/_sandbox/state?company=${scratch}`, {
    ...state,
    deliveries: [],
    due: [],
    subscriptions: [],
    holds: [],
  });
  await api(sandbox, "DELETE", `/_sandbox/companies/${scratch}`);
}

/**
 * Timers and retries go on: at last every transfer has settled, and every webhook was acknowledged.
 *
 * @param {Running} sandbox
 */
async function finish(sandbox) {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const state = await stateOf(sandbox);
    const pending = state.transactions.filter(({ status }) => status === "pending").length;
    const owed = state.deliveries.filter(({ status }) => status === "pending").length;
    const exhausted = state.deliveries.filter(({ status }) => status === "exhausted").length;
    if (pending === 0 && owed === 0) {
      const completed = state.transactions.filter(({ status }) => status === "completed");
      const missing = completed.filter(({ id }) => !received.has(`transactions/completed ${id.replace("txn_", "")}`));
      assert(missing.length <= exhausted, kills, `${missing.length} webhooks never came`);
      return;
    }
    assert(performance.now() < deadline, kills, `${pending} transfers and ${owed} webhooks never ended`);
    await passMs(200);
  }
}

/**
 * @param {Running} sandbox
 * @returns {Promise<State>}
 */
function stateOf(sandbox) {
  return api(sandbox, "GET", "/_sandbox/state");
}

/**
 * @param {Running} sandbox
 * @param {string} method
 * @param {string} path
 * @param {object} [json]
 */
async function api(sandbox, method, path, json) {
  const answer = await fetch(sandbox.url + path, { method, headers, ...(json && { body: JSON.stringify(json) }) });
  const text = await answer.text();
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}

/**
 * @param {boolean} holds
 * @param {number} kill
 * @param {string} message
 */
function assert(holds, kill, message) {
  if (!holds) throw new Error(`after ${kill} kills: ${message} (seed ${values.seed})`);
}

/** @param {number} ms */
function passMs(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * mulberry32
 *
 * @param {number} seed
 */
function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
