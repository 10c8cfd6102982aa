/**
 * Tests the package with the Node that runs this script: packs it, installs it in an empty folder and uses it without a network. A charge has a payment
 * page and is dropped after one hour; SIGTERM stops the program with exit code 0. With a URL as argument it tests the sandbox that runs there instead.
 */
import { equal, ok } from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);
const root = fileURLToPath(new URL("..", import.meta.url));
const [givenUrl] = process.argv.slice(2);
const timeoutMs = 30_000;

if (givenUrl === undefined) await checkPackage();
else await checkDroppedCharge(givenUrl);
console.log(`smoke: a charge was dropped after one hour (${givenUrl ?? `Node ${process.version}`})`);

async function checkPackage() {
  const folder = await mkdtemp(join(tmpdir(), "sandbox-smoke-"));
  try {
    await run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], { cwd: root });
    const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz"));
    await writeFile(join(folder, "package.json"), '{ "private": true }');
    await run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", `./${tarball}`], { cwd: folder });
    await checkProgram(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** @param {string} folder in which the package is installed */
async function checkProgram(folder) {
  const offline = ["--offline", "--no-install", "business-payments-sandbox", "--version"];
  await run("npx", offline, { cwd: folder });
  const program = join(folder, "node_modules/business-payments-sandbox/bin/sandbox.js");
  const child = spawn(process.execPath, [program, "start", "--port", "0", "--log", "json", "--clock", "frozen"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  /** @type {Promise<number | string | null>} */
  const exited = new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve(code ?? signal));
  });
  try {
    await checkDroppedCharge(await listeningUrl(child.stdout));
    child.kill("SIGTERM");
    equal(await exited, 0, "SIGTERM stops the program with exit code 0");
  } finally {
    child.kill("SIGKILL");
  }
}

/** @param {import("node:stream").Readable} stdout */
async function listeningUrl(stdout) {
  for await (const line of createInterface({ input: stdout })) {
    const { event, url } = JSON.parse(line);
    if (event === "listening") {
      stdout.resume();
      ok(url, "the listening line carries a url");
      return url;
    }
  }
  throw new Error("the program ended before it listened");
}

/** @param {string} url */
async function checkDroppedCharge(url) {
  const created = await call(`${url}/v1/charges`, 201, {
    amount: 10_000,
    externalId: `smoke-${process.pid}`,
    description: "Shoes",
    onCanceledRedirectionUrl: "https://shop.test/no",
    onCompletedRedirectionUrl: "https://shop.test/yes",
  });
  equal(created.status, "created");
  await checkPage(`${url}/checkout/${created.id}`);
  await call(`${url}/_sandbox/clock/advance`, 200, { by: "1h" });
  const charge = await call(`${url}/v1/charges/${created.id}`, 200);
  equal(charge.status, "dropped");
}

/** @param {string} url */
async function checkPage(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
  const page = (await response.text()).replaceAll(/\s/g, " ");
  ok(page.includes("Pay 10 000 F CFA"), `${url} is the payment page: ${page}`);
  const [, style] = /<link rel="stylesheet" href="([^"]+)"/.exec(page) ?? [];
  equal((await fetch(new URL(style ?? "", url))).status, 200, "the page's style is there");
}

/**
 * @param {string} url
 * @param {number} status
 * @param {object} [body]
 */
async function call(url, status, body) {
  const response = await fetch(url, {
    headers: {
      authorization: "Bearer at_sandbox",
      "x-company-id": "company_sandbox",
      "content-type": "application/json",
    },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  equal(response.status, status, `${url} answered ${response.status}: ${text}`);
  return JSON.parse(text);
}
