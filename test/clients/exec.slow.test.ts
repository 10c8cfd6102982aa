import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { runSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";

const node = (code: string) => [
  "node",
  "--input-type=module",
  "-e",
  `
const { SANDBOX_URL: url, SANDBOX_ACCESS_TOKEN: token } = process.env;
const headers = { authorization: "Bearer " + token, "content-type": "application/json" };
const post = (path, body) => fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
const pay = (reference) => post("/v1/transactions", { amount: 5000, msisdn: "+2250700000010", reference, type: "transfer" });
${code}`,
];

const python = (code: string) => [
  "python3",
  "-c",
  `
import json, os, urllib.request
def call(method, path, body=None):
    headers = {"authorization": "Bearer " + os.environ["SANDBOX_ACCESS_TOKEN"], "content-type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(os.environ["SANDBOX_URL"] + path, data, headers, method=method)
    with urllib.request.urlopen(request) as response:
        return json.load(response)
def pay(reference):
    return call("POST", "/v1/transactions", {"amount": 5000, "msisdn": "+2250700000010", "reference": reference, "type": "transfer"})
${code}`,
];

const php = (code: string) => [
  "php",
  "-r",
  `
function call($method, $path, $body = null) {
    $headers = ["Authorization: Bearer " . getenv("SANDBOX_ACCESS_TOKEN"), "Content-Type: application/json"];
    $options = ["method" => $method, "header" => $headers, "content" => json_encode($body), "ignore_errors" => true];
    $answer = @file_get_contents(getenv("SANDBOX_URL") . $path, false, stream_context_create(["http" => $options]));
    return $answer === false ? null : json_decode($answer);
}
function pay($reference) {
    return call("POST", "/v1/transactions", ["amount" => 5000, "msisdn" => "+2250700000010", "reference" => $reference, "type" => "transfer"]);
}
function lose_answer() {
    call("POST", "/_sandbox/rules", ["on" => "request", "match" => ["path" => "/v1/transactions"], "then" => ["fault" => "reset", "commit" => true], "times" => 1]);
}
${code}`,
];

/** Programs of one shell command, one after the other. */
const inTurn = (...programs: readonly (readonly string[])[]) => [
  "sh",
  "-c",
  programs.map((words) => words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ")).join("; "),
];

async function findingsOf(command: readonly string[]): Promise<readonly string[]> {
  const folder = await folderWith({});
  const { code, stderr } = await runSandbox(["exec", "--report", folder, "--", ...command]);
  expect(stderr).not.toContain("Error");
  expect(code).toBe(0);
  const report = JSON.parse(await readFile(join(folder, "sandbox.json"), "utf8"));
  return report.findings.map(({ kind }: { kind: string }) => kind);
}

it.each([
  [
    "reads until the transfer is final",
    `let { id, status } = await (await pay("a")).json();
    await post("/_sandbox/clock/advance", { by: "2s" });
    await fetch(url + "/v1/transactions/" + id, { headers });`,
    [],
  ],
  [
    "never learns the outcome",
    `await pay("a"); await post("/_sandbox/clock/advance", { by: "2s" });`,
    ["outcome-never-learned"],
  ],
  [
    "ends with a webhook that nobody takes",
    `await post("/v1/webhooks", { topic: "transactions/started", url: "http://127.0.0.1:9/" });
    await pay("a"); await post("/_sandbox/settle");`,
    ["webhook-unacknowledged"],
  ],
  [
    "pays with two workers",
    `await Promise.all([1, 2].map(() => pay("order-7-" + crypto.randomUUID())));`,
    ["concurrent-payouts"],
  ],
  [
    "no longer waits for an answer, does not abort the request, and tries again",
    `const delay = (path, by) => post("/_sandbox/rules", { on: "request", match: { path }, then: { delay: by }, times: 1 });
    await fetch(url + "/_sandbox/clock", { method: "PUT", headers, body: '{"mode":"frozen"}' });
    await delay("/v1/transactions", "2s"); await delay("/v1/balance", "1200ms");
    const first = pay(crypto.randomUUID());
    await Promise.race([first, fetch(url + "/v1/balance", { headers })]);
    await pay(crypto.randomUUID());
    await first;`,
    ["concurrent-payouts"],
  ],
  ["pays twice, one after the other", `for (const _ of [1, 2, 3, 4]) await pay(crypto.randomUUID());`, []],
])("exec judges a client in Node that %s", async (_, code, kinds) => {
  expect(await findingsOf(node(code))).toEqual(kinds);
});

const hasPython = spawnSync("python3", ["--version"]).status === 0;

it.skipIf(!hasPython).each([
  [
    "pays one after the other",
    `
for number in range(4): pay(os.urandom(8).hex())`,
    [],
  ],
  [
    "never learns the outcome",
    `
pay("a")
call("POST", "/_sandbox/clock/advance", {"by": "2s"})`,
    ["outcome-never-learned"],
  ],
  [
    "reuses a reference",
    `
pay("a")
try: call("POST", "/v1/transactions", {"amount": 6000, "msisdn": "+2250700000010", "reference": "a", "type": "transfer"})
except urllib.error.HTTPError: pass`,
    ["reference-reused"],
  ],
])("exec judges a client in Python that %s", async (_, code, kinds) => {
  expect(await findingsOf(python(code))).toEqual(kinds);
});

const hasPhp = spawnSync("php", ["--version"]).status === 0;

it.skipIf(!hasPhp).each([
  ["draws a reference for each try", "lose_answer(); pay(uniqid()) ?? pay(uniqid());", ["double-payout"]],
  ["keeps its reference", 'lose_answer(); pay("order-17") ?? pay("order-17"); pay("order-18");', []],
  ["pays one after the other", "for ($order = 1; $order <= 4; $order++) pay(bin2hex(random_bytes(8)));", []],
  [
    "sends the secret key in a header",
    'file_get_contents(getenv("SANDBOX_URL") . "/v1/balance", false, stream_context_create(["http" => ["ignore_errors" => true, "header" => "X-Key: " . getenv("SANDBOX_SECRET_KEY")]]));',
    ["secret-leaked"],
  ],
])("exec judges a client in PHP that %s", async (_, code, kinds) => {
  expect(await findingsOf(php(code))).toEqual(kinds);
});

it("exec finds that a second process pays what the first one may have paid", async () => {
  const lose = `await post("/_sandbox/rules", { on: "request", match: { path: "/v1/transactions" }, then: { fault: "hang", commit: true }, times: 1 });`;
  const job = `await Promise.race([pay(crypto.randomUUID()), new Promise((end) => setTimeout(end, 200))]); process.exit();`;
  expect(await findingsOf(inTurn(node(lose), node(job), node(job)))).toEqual(["double-payout"]);
});

it("exec judges clients, not an audit that runs beside them", async () => {
  const code = `
    const { createServer } = await import("node:http");
    const { spawn } = await import("node:child_process");
    let events = 0;
    const receiver = createServer((request, response) => request.resume().on("end", () => response.end(String(++events))));
    await new Promise((listening) => receiver.listen(0, "127.0.0.1", listening));
    const address = "http://127.0.0.1:" + receiver.address().port;
    const words = ["bin/sandbox.js", "audit", address + "/hooks", "--check", address + "/state", "--only", "state-history", "state-duplicate"];
    await new Promise((ended) => spawn(process.execPath, words, { stdio: "ignore" }).on("exit", ended));
    receiver.close();`;
  expect(await findingsOf(node(code))).toEqual([]);
});
