import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";
import { runSandbox } from "../support/cli.js";

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

async function findingsOf(command: readonly string[]): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), "clients-"));
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
