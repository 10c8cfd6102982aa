import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { transform } from "esbuild";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { createPayments } from "../../examples/vitest/payments.js";
import { openShop } from "../../examples/vitest/shop.js";
import { runAudit } from "../../src/audit/run-audit.js";
import { folderWith } from "../support/folder.js";
import { listen } from "../support/listen.js";
import { startLive } from "../support/live.js";
import { readPage, root } from "../support/markdown.js";
import { HEADER, startReceiver, stillSystem, take } from "./receivers.js";

/** A program of examples/ that says where it listens, until the test ends. */
async function start(command: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, {
    cwd: `${root}examples`,
    env: { PATH: process.env["PATH"] ?? "", PORT: "0", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill());
  const lines = createInterface({ input: child.stdout });
  // Keep reading the pipe, so that the program can print.
  const line = await new Promise<string>((resolve) => lines.on("line", resolve));
  return line.replace("listening on ", "");
}

/** A service that takes subscriptions, and answers nothing at one path: the program waits there, with its receiver open. */
async function startService(silentAt: string) {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (request.url === "/v1/webhooks") server.emit("subscribed", JSON.parse(body).url);
      if (request.url !== silentAt) response.end("{}");
    });
  });
  const subscribed = once(server, "subscribed").then(([receiver]) => String(receiver));
  return { url: `http://127.0.0.1:${await listen(server)}`, subscribed };
}

/** JavaScript or TypeScript of a page as a module, which finds this package. */
async function importPage(code: string) {
  const file = join(await folderWith({}), "page.mjs");
  const built = pathToFileURL(join(root, "dist/webhooks.js")).href;
  const { code: plain } = await transform(code, { loader: "ts", target: "node20" });
  await writeFile(file, plain.replace("business-payments-sandbox/webhooks", built));
  return import(/* @vite-ignore */ pathToFileURL(file).href);
}

const NOWHERE = "http://127.0.0.1:9";
const account = { accessToken: "at_sandbox", companyId: "company_sandbox", secretKey: "secret_sandbox" };

async function findMistakes(url: string): Promise<string[]> {
  const { checks } = await runAudit({ url, secret: "secret_sandbox", system: stillSystem, skip: ["state"] });
  return checks
    .filter(({ verdict }) => verdict !== "pass" && verdict !== "skipped")
    .map(({ id, seen }) => `${id}: ${seen}`);
}

describe("the receivers of the examples pass the audit", { timeout: 60_000 }, () => {
  it.each(["first-bug/receiver.mjs", "first-bug/buggy-receiver.mjs", "audit/receiver.mjs"])("%s", async (file) => {
    expect(await findMistakes(await start([process.execPath, file]))).toEqual([]);
  });

  it("docker-compose/app.mjs", async () => {
    const { url } = await startLive({ clock: "running" });
    const app = await start([process.execPath, "docker-compose/app.mjs"], { PAYMENTS_URL: url });
    expect(await findMistakes(`${app}/webhooks`)).toEqual([]);
  });

  it.each([
    ["explore/market.mjs", "/v1/charges"],
    ["explore/market-fixed.mjs", "/v1/charges"],
    ["double-payout/pay-salaries-fixed.mjs", "/v1/transactions"],
  ])("%s", async (file, silentAt) => {
    const { url, subscribed } = await startService(silentAt);
    const child = spawn(process.execPath, [file], {
      cwd: `${root}examples`,
      env: { SANDBOX_URL: url, SANDBOX_ACCESS_TOKEN: "at_sandbox", SANDBOX_SECRET_KEY: "secret_sandbox" },
      stdio: ["ignore", "ignore", "inherit"],
    });
    onTestFinished(() => void child.kill());
    expect(await findMistakes(await subscribed)).toEqual([]);
  });

  it.each([
    ["node-test/payouts.mjs", "openPayouts"],
    ["jest/box-office.js", "openBoxOffice"],
  ])("%s", async (file, name) => {
    const { [name]: open } = await import(/* @vite-ignore */ pathToFileURL(join(root, "examples", file)).href);
    const { url, close } = await open({ url: NOWHERE, ...account });
    onTestFinished(close);
    expect(await findMistakes(url)).toEqual([]);
  });

  it("vitest/shop.ts", async () => {
    const shop = await openShop(createPayments({ url: NOWHERE, ...account }), account.secretKey);
    onTestFinished(() => shop.close());
    expect(await findMistakes(shop.url)).toEqual([]);
  });

  it("python/shop.py", async ({ skip }) => {
    skip(spawnSync("python3", ["--version"]).status !== 0, "python3 is not installed");
    const program =
      'import time; from shop import Shop; print(Shop(None, "secret_sandbox").url, flush=True); time.sleep(600)';
    expect(
      await findMistakes(
        await start(["python3", "-c", program], { PYTHONPATH: "python", PYTHONDONTWRITEBYTECODE: "1" }),
      ),
    ).toEqual([]);
  });
});

const isOrdered = {
  only: ["state-history", "state-duplicate", "state-reversed"],
  secret: "secret_sandbox",
  settleMs: 200,
};

describe("the applications of the examples count each event once, in any order", { timeout: 60_000 }, () => {
  it("docker-compose/app.mjs", async () => {
    const { url } = await startLive({ clock: "running" });
    const app = await start([process.execPath, "docker-compose/app.mjs"], { PAYMENTS_URL: url });
    const order = async () => {
      const response = await fetch(`${app}/orders`, { method: "POST" });
      const { id, paymentUrl } = JSON.parse(await response.text());
      return { id: paymentUrl.split("/").at(-1), externalId: id, amount: 10_000 };
    };
    const report = await runAudit({
      url: `${app}/webhooks`,
      check: `${app}/orders`,
      order,
      system: systemClock,
      ...isOrdered,
    });
    expect(report.checks.map(({ id, verdict }) => [id, verdict])).toEqual(isOrdered.only.map((id) => [id, "pass"]));
  });

  it("node-test/payouts.mjs", async () => {
    const live = await startLive({ clock: "running" });
    const { openPayouts } = await import(
      /* @vite-ignore */ pathToFileURL(`${root}examples/node-test/payouts.mjs`).href
    );
    const payouts = await openPayouts({ ...account, url: live.url });
    onTestFinished(payouts.close);
    const references: string[] = [];
    const order = async () => {
      const reference = `payout-${references.length + 1}`;
      references.push(reference);
      await payouts.payOut([{ reference, msisdn: "+2250700000003", amount: 5_000 }]);
      const { body } = await live.control("GET", "/transactions?limit=1");
      return { id: body.data[0].id, reference };
    };
    const check = () => references.map((reference) => payouts.find(reference));
    const topic = "transactions/completed";
    const report = await runAudit({ url: payouts.url, topic, check, order, system: systemClock, ...isOrdered });
    expect(report.checks.map(({ id, verdict }) => [id, verdict])).toEqual(isOrdered.only.map((id) => [id, "pass"]));
  });
});

/** The block of code of a page that contains this text. */
function blockOf(page: string, part: string): string {
  const block = readPage(page).blocks.find(({ text: code }) => code.includes(part));
  if (block === undefined) throw new Error(`${page} has no code with ${part}`);
  return block.text;
}

describe("the receivers of the pages pass the audit", { timeout: 60_000 }, () => {
  it("tutorial.md", async () => {
    const { url, subscribed } = await startService("/none");
    const { openShop: open } = await importPage(blockOf("docs/tutorial.md", "// shop.mjs"));
    const { close } = await open({ url, ...account });
    onTestFinished(close);
    expect(await findMistakes(await subscribed)).toEqual([]);
  });

  it("library.md", async () => {
    const around = `const sandbox = { secretKey: "${account.secretKey}" }, handle = () => undefined;\nexport { receiver };\n`;
    const { receiver } = await importPage(around + blockOf("docs/library.md", "parseWebhook(rawBody"));
    expect(await findMistakes(`http://127.0.0.1:${await listen(receiver)}`)).toEqual([]);
  });

  it("clock-and-webhooks.md", async () => {
    vi.stubEnv("SECRET_KEY", account.secretKey);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { isGenuine } = await importPage(
      `${blockOf("docs/clock-and-webhooks.md", "function isGenuine")}\nexport { isGenuine };`,
    );
    const { url } = await startReceiver(({ body, headers }) => (isGenuine(body, headers[HEADER]) ? take(body) : 401));
    expect(await findMistakes(url)).toEqual([]);
  });

  it("languages.md", async ({ skip }) => {
    skip(spawnSync("python3", ["--version"]).status !== 0, "python3 is not installed");
    const folder = await folderWith({
      "signature.py": blockOf("docs/languages.md", "# signature.py"),
      "receiver.py": RECEIVER_PY,
    });
    expect(await findMistakes(await start(["python3", join(folder, "receiver.py")]))).toEqual([]);
  });
});

/** Gives the header as WSGI does: None, or one text for all of them. */
const RECEIVER_PY = `
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from signature import is_genuine


def answer(raw_body, signature):
    if not is_genuine(raw_body, signature, "secret_sandbox"):
        return 401
    try:
        event = json.loads(raw_body)
    except ValueError:
        return 400
    return 204 if isinstance(event, dict) and "topic" in event and "data" in event else 400


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        raw_body = self.rfile.read(int(self.headers["Content-Length"]))
        signatures = self.headers.get_all("x-service-hmac-sha256")
        self.send_response(answer(raw_body, signatures and ",".join(signatures)))
        self.end_headers()

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
print(f"http://127.0.0.1:{server.server_port}/", flush=True)
server.serve_forever()
`;
