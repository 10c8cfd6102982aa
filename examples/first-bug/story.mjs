/**
 * An unpaid charge is dropped after one hour. Two shops get the signed webhook: the one with a bug ships the order, the fixed one does not, and the
 * sandbox records both. Exits with 0 if everything happens as described.
 *
 * Uses free ports, waits for lines and answers instead of sleeping, and stops the programs that it started.
 */
import { deepEqual, equal } from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));
const timeoutMs = 60_000;

say("The sandbox starts, and two shops that listen for webhooks: one with a bug, one fixed.");
const sandbox = start(["bin/sandbox.js", "start", "--port", "0", "--clock", "frozen", "--log", "json"]);
const buggy = start(["examples/first-bug/buggy-receiver.mjs"]);
const fixed = start(["examples/first-bug/receiver.mjs"]);
try {
  await tellStory();
  console.log("\nEverything happened as described.");
} finally {
  for (const { child } of [sandbox, buggy, fixed]) child.kill();
}

async function tellStory() {
  const { event, url } = JSON.parse(await sandbox.nextLine());
  check("the first line says", event, "listening");
  const shops = [await listeningUrl(buggy), await listeningUrl(fixed)];

  say("Both subscribe to the events of charges.");
  for (const shop of shops) await call(`${url}/v1/webhooks`, { topic: "charges/events", url: shop });

  say("A customer orders shoes and is sent to pay for them.");
  const charge = await call(`${url}/v1/charges`, {
    amount: 10_000,
    externalId: "order-1",
    description: "Chaussures d'été", // not ASCII: the signature is about bytes
    onCanceledRedirectionUrl: "https://shop.test/no",
    onCompletedRedirectionUrl: "https://shop.test/yes",
  });
  check("the creation answer has the status", charge.status, "created");
  const statusNow = async () => (await call(`${url}/v1/charges/${charge.id}`)).status;
  check("a moment later it is", await statusNow(), "due");

  say("Nobody pays, and an hour passes in no time.");
  await call(`${url}/_sandbox/clock/advance`, { by: "59m59.999s" });
  check("a millisecond before the hour is over it is", await statusNow(), "due");
  const { fired, deliveries } = await call(`${url}/_sandbox/clock/advance`, { by: "1ms" });
  check("at the hour there was due", fired[0].kind, "charge.expire");
  check("webhooks confirmed", deliveries.succeeded, 2);
  check("now it is", await statusNow(), "dropped");

  say("What the shops made of it:");
  check("the buggy one", await buggy.nextLine(), "200 shipped order-1");
  check("the fixed one", await fixed.nextLine(), "200 did not ship order-1: it is dropped");

  say("The sandbox has a record of what it sent and what came back.");
  const { data } = await call(`${url}/_sandbox/deliveries?resource=${charge.id}`);
  const answers = data.map(({ attempts }) => attempts[0].response.body).sort();
  deepEqual(answers, ["did not ship order-1: it is dropped", "shipped order-1"]);
  for (const answer of answers) console.log(`  ok  answer: ${answer}`);

  say("The signature is the one of exactly these bytes, and no other is taken.");
  const delivery = await call(`${url}/_sandbox/deliveries/wait?resource=${charge.id}&status=succeeded&timeout=10s`);
  const { body, headers } = delivery.attempts[0].request;
  const signed = spawnSync(process.execPath, ["bin/sandbox.js", "sign", "-"], { cwd: root, input: body });
  check("x-service-hmac-sha256", headers["x-service-hmac-sha256"], signed.stdout.toString().trim());
  const forged = { ...headers, "x-service-hmac-sha256": signed.stdout.toString("hex") };
  check("a forged one is refused with", (await fetch(shops[1], { method: "POST", headers: forged, body })).status, 401);

  say("SIGTERM stops the sandbox.");
  sandbox.child.kill("SIGTERM");
  check("its exit code is", await sandbox.exited, 0);
}

/** Runs a program of this repository in the background, and kills it if it hangs. `nextLine` resolves with its next line. */
function start([file, ...args]) {
  const { SANDBOX_SECRET_KEY: _, ...inherited } = process.env;
  const child = spawn(process.execPath, [file, ...args], {
    cwd: root,
    env: { ...inherited, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  const exited = new Promise((resolve, reject) => {
    child.once("error", reject).once("exit", (code, signal) => resolve(code ?? signal));
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const nextLine = async () => {
    const { done, value } = await lines.next();
    if (done) throw new Error(`${file} ended without a further line`);
    return value;
  };
  return { child, exited, nextLine };
}

async function listeningUrl(receiver) {
  return (await receiver.nextLine()).replace("listening on ", "");
}

async function call(url, body) {
  const response = await fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: "Bearer at_sandbox",
      "x-company-id": "company_sandbox",
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}

function check(what, actual, wanted) {
  equal(actual, wanted, `${what}: ${actual} instead of ${wanted}`);
  console.log(`  ok  ${what}: ${actual}`);
}

function say(text) {
  console.log(`\n${text}`);
}
