import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AuditReport } from "../../src/index.js";
import { runSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { isRunning } from "../support/is-running.js";
import { runShell } from "../support/shell.js";
import { SECRET } from "./receivers.js";

/**
 * A shop as a process of its own. It keeps the statuses of its orders in a file, and the events that it has handled in the file or in memory.
 * KEYS: the keys that it accepts. DELAY: how long after its answer it works.
 */
const shop = `
import { createHmac } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { buffer } from "node:stream/consumers";

const { KEYS = "", DELAY = "0", MEMORY = "file" } = process.env;
const read = (file, otherwise) => (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : otherwise);
const payments = read("payments.json", {});
const handled = new Set(MEMORY === "file" ? read("handled.json", []) : []);

function handle({ topic, data }) {
  const key = [data.id, data.status, data.refunded].join(" ");
  if (!topic.startsWith("charge") || handled.has(key)) return;
  handled.add(key);
  writeFileSync("handled.json", JSON.stringify([...handled]));
  const next = { refundedTo: 0, isPaid: false, count: 0, ...payments[data.id] };
  if (data.status === "paid") next.count++;
  if (data.status !== "dropped") next.isPaid = true;
  next.refundedTo = Math.max(next.refundedTo, data.refunded);
  payments[data.id] = next;
  writeFileSync("payments.json", JSON.stringify(payments));
}

const server = createServer(async (request, response) => {
  if (request.method === "GET") return response.end(JSON.stringify(payments));
  const body = await buffer(request);
  const header = request.headers["x-service-hmac-sha256"];
  const isGenuine = KEYS.split(",").some((key) => createHmac("sha256", key).update(body).digest("base64") === header);
  if (!isGenuine) return response.writeHead(401).end();
  try {
    const event = JSON.parse(body);
    if (typeof event?.topic !== "string" || typeof event.data?.id !== "string") return response.writeHead(400).end();
    if (DELAY === "0") handle(event);
    else setTimeout(() => handle(event), Number(DELAY));
    response.writeHead(200).end();
  } catch {
    response.writeHead(400).end();
  }
});
server.listen(read("port.json", 0), "127.0.0.1", () => {
  writeFileSync("pid.json", String(process.pid));
  writeFileSync("port.json", String(server.address().port));
});
`;

/** Ends the running shop, if there is one, and starts it again at the same port. */
const start = `
cd "$(dirname "$0")"
if [ -f pid.json ]; then
  kill "$(cat pid.json)"
  while kill -0 "$(cat pid.json)" 2>/dev/null; do sleep 0.05; done
  rm pid.json
fi
nohup "$NODE" shop.mjs >shop.log 2>&1 &
until [ -s pid.json ] && [ -s port.json ]; do sleep 0.05; done
`;

async function startShop(variables: Readonly<Record<string, string>>) {
  const settings = Object.entries({ NODE: process.execPath, KEYS: SECRET, ...variables });
  const exported = settings.map(([name, value]) => `export ${name}='${value}'\n`).join("");
  const folder = await folderWith({ "shop.mjs": shop, "start.sh": `set -eu\n${exported}${start}` });
  onTestFinished(() => {
    const pid = Number(readFileSync(join(folder, "pid.json"), "utf8"));
    if (isRunning(pid)) process.kill(pid, "SIGKILL");
  });
  const command = `sh ${join(folder, "start.sh")}`;
  await runShell(command, { url: "", cwd: folder });
  return { command, folder, origin: `http://127.0.0.1:${readFileSync(join(folder, "port.json"), "utf8")}` };
}

async function audit(origin: string, ...flags: readonly string[]) {
  const common = ["--check", `${origin}/state`, "--topic", "charges/events", "--reporter", "json"];
  const finished = await runSandbox(["audit", `${origin}/webhooks`, ...common, ...flags], {
    env: { SANDBOX_SECRET_KEY: SECRET },
  });
  const report: AuditReport = JSON.parse(finished.stdout);
  const verdictOf = (id: string) => report.checks.find((check) => check.id === id)?.verdict;
  return { code: finished.code, report, verdictOf };
}

describe("sandbox audit of a shop that is a process of its own", { timeout: 180_000 }, () => {
  it.each<[string, string, [number, string], string?]>([
    ["fails a shop that keeps handled events in memory", "memory", [4, "fail"]],
    ["passes a shop that keeps them in a file", "file", [0, "pass"]],
    ["waits for one that begins after the command", "memory", [4, "fail"], "sleep 1; "],
  ])("--restart %s", async (_, memory, expected, before) => {
    const { origin, command } = await startShop({ MEMORY: memory });
    const restart = before === undefined ? command : `(${before}${command}) &`;
    const { code, verdictOf } = await audit(origin, "--restart", restart, "--only", "state-history,state-restart");
    expect([code, verdictOf("state-restart")]).toEqual(expected);
  });

  it("does not blame an event when --restart ends the shop and does not start it again", async () => {
    const { origin, folder } = await startShop({ MEMORY: "file" });
    const restart = `kill -9 $(cat ${join(folder, "pid.json")}); exit 1`;
    const { code, verdictOf } = await audit(origin, "--restart", restart, "--only", "state-history,state-restart");
    expect([code, verdictOf("state-restart")]).toEqual([6, "skipped"]);
  });

  it("says so when the state does not survive --restart", async () => {
    const { origin, folder, command } = await startShop({ MEMORY: "file" });
    const restart = `rm ${join(folder, "payments.json")}; ${command}`;
    const { report } = await audit(origin, "--restart", restart, "--only", "state-history,state-restart");
    const [check] = report.checks.filter(({ id }) => id === "state-restart");
    expect(check?.seen).toContain("the state does not survive a restart");
  });

  it.each([
    ["fails a shop that still accepts it", `${SECRET},old`, [4, "fail"]],
    ["passes a shop that refuses it", SECRET, [0, "pass"]],
  ])("--old-secret %s", async (_, keys, expected) => {
    const { origin } = await startShop({ KEYS: keys });
    const { code, verdictOf } = await audit(origin, "--old-secret", "old", "--only", "signature-old-secret");
    expect([code, verdictOf("signature-old-secret")]).toEqual(expected);
  });

  it("names --settle where a worker takes longer than it waits, and passes with it", async () => {
    const { origin } = await startShop({ DELAY: "3000" });
    const only = ["--only", "state-history"];
    const hasty = await audit(origin, ...only);
    expect([hasty.code, hasty.report.reasons.join()]).toEqual([6, expect.stringContaining("--settle")]);
    const patient = await audit(origin, "--settle", "4s", ...only);
    expect([patient.code, patient.report.reasons]).toEqual([0, []]);
  });
});
