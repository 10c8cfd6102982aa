import { connect } from "node:net";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { type StartedSandbox, runSandbox, runUntilListening, startSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { call, gate } from "../support/live.js";
import { type Receiver, startReceiver } from "../support/receiver.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import type { LooseJson } from "../support/world.js";

const account = { authorization: "Bearer at_sandbox", "x-company-id": "company_sandbox" };

async function started(
  env: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Promise<StartedSandbox> {
  const sandbox = await startSandbox(args, { env });
  onTestFinished(() => sandbox.signal("SIGKILL"));
  return sandbox;
}

async function post({ url }: StartedSandbox, path: string, body?: unknown): Promise<LooseJson> {
  const answer = await call(url + path, "POST", body, account);
  if (answer.status >= 300) throw new Error(`${path} answered ${answer.text}`);
  return answer.body;
}

function eventsOf({ lines }: StartedSandbox): unknown[] {
  return lines.map(({ event }) => event);
}

/** A sandbox with one webhook that its receiver has received but not acknowledged. */
async function withWebhookInFlight(
  receiver: Receiver,
  env?: Readonly<Record<string, string>>,
): Promise<StartedSandbox> {
  const sandbox = await started(env);
  await post(sandbox, "/v1/webhooks", { topic: "charges/events", url: receiver.url });
  const { id } = await post(sandbox, "/v1/charges", chargeRequest());
  await post(sandbox, `/v1/charges/${id}/pay`);
  await receiver.waitFor(1);
  return sandbox;
}

describe("a signal to stop", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const)(
    "%s ends an idle sandbox with exit code 0",
    async (signal) => {
      const sandbox = await started();
      // An idle keep-alive connection must not delay the stop.
      await post(sandbox, "/v1/charges", chargeRequest());
      sandbox.signal(signal);
      expect(await sandbox.ended).toBe(0);
      expect(eventsOf(sandbox)).toEqual(["listening", "charge.created", "stopping", "stopped"]);
      expect(sandbox.stderr).toBe("");
    },
  );

  it("wait for the answer to a webhook in flight, and refuse new requests", async () => {
    const late = gate();
    const sandbox = await withWebhookInFlight(await startReceiver(() => late.opened.then(() => ({}))));
    sandbox.signal("SIGTERM");
    expect((await sandbox.waitForLine("stopping")).deliveriesInFlight).toBe(1);
    await expect(fetch(`${sandbox.url}/v1/balance`)).rejects.toThrow("fetch failed");
    expect(eventsOf(sandbox).at(-1)).toBe("stopping");
    late.open();
    expect(await sandbox.ended).toBe(0);
    expect(sandbox.stderr).toBe("");
  });

  it("answer a request in flight on a keep-alive connection", async () => {
    const sandbox = await started();
    const body = JSON.stringify(chargeRequest());
    const { hostname, port } = new URL(sandbox.url);
    const socket = connect(Number(port), hostname).setEncoding("utf8");
    let answer = "";
    socket.on("data", (chunk: string) => (answer += chunk));
    const headers = [
      "Host: x",
      ...Object.entries(account).map((entry) => entry.join(": ")),
      "Content-Type: application/json",
    ];
    socket.write(
      ["POST /v1/charges HTTP/1.1", ...headers, "Expect: 100-continue", `Content-Length: ${body.length}`, "", ""].join(
        "\r\n",
      ),
    );
    // "100 Continue" shows that the sandbox has begun to read the request.
    await once(socket, "data");
    sandbox.signal("SIGTERM");
    await sandbox.waitForLine("stopping");
    socket.write(body);
    await once(socket, "close");
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 Created\r\n/);
    expect(await sandbox.ended).toBe(0);
  });

  it("wait a bounded time for a receiver that hangs, and log it", { timeout: 30_000 }, async () => {
    const sandbox = await withWebhookInFlight(await startReceiver("hang"));
    sandbox.signal("SIGTERM");
    expect(await sandbox.ended).toBe(0);
    expect(JSON.parse(sandbox.stderr)).toMatchObject({ event: "deliveries-given-up", level: "warn", count: 1 });
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGQUIT", 131],
  ] as const)("a second %s ends it at once, with %i", async (signal, code) => {
    const sandbox = await withWebhookInFlight(await startReceiver("hang"));
    sandbox.signal("SIGTERM");
    await sandbox.waitForLine("stopping");
    sandbox.signal(signal);
    expect(await sandbox.ended).toBe(code);
  });

  it("ignore the copy of the signal that npm forwards", async () => {
    const late = gate();
    const receiver = await startReceiver(() => late.opened.then(() => ({})));
    const sandbox = await withWebhookInFlight(receiver, { npm_command: "exec" });
    sandbox.signal("SIGINT");
    sandbox.signal("SIGTERM");
    await sandbox.waitForLine("stopping");
    late.open();
    expect(await sandbox.ended).toBe(0);
  });
});

describe("a reader that closes the log's pipe", () => {
  it("does not end or disturb the sandbox", async () => {
    const sandbox = await started();
    sandbox.closeStdout();
    await post(sandbox, "/v1/charges", chargeRequest());
    sandbox.signal("SIGTERM");
    expect(await sandbox.ended).toBe(0);
    expect(sandbox.stderr).toBe("");
  });
});

describe("a reader that leaves the log's pipe unread", () => {
  it("does not hold the sandbox when it is stopped", async () => {
    const sandbox = await started({}, ["--clock", "frozen"]);
    sandbox.stopReading();
    // More than the pipe holds.
    for (let n = 0; n < 3; n++) {
      await post(sandbox, "/v1/transactions/batch", {
        transactions: Array.from({ length: 500 }, () => transferRequest()),
      });
      await post(sandbox, "/_sandbox/clock/advance", { by: "10s" });
    }
    sandbox.signal("SIGTERM");
    expect(await sandbox.exited).toBe(0);
  });
});

/** A module with which the first line of the log cannot be written. */
const failWhenListening = `data:text/javascript,${encodeURIComponent(
  `const { write } = process.stdout;
   process.stdout.write = (text, ...rest) => {
     if (String(text).includes('"listening"')) throw new Error("broken on purpose");
     return write.call(process.stdout, text, ...rest);
   };`,
)}`;

it("an error after it listens ends it with 70, also with a store, which can be opened again", async () => {
  const store = `file:${await folderWith({})}/store.json`;
  const args = ["start", "--port", "0", "--log", "json", "--store", store];
  const { code, stderr } = await runSandbox(args, { env: { NODE_OPTIONS: `--import ${failWhenListening}` } });
  expect({ code, stderr }).toEqual({ code: 70, stderr: expect.stringContaining("broken on purpose") });
  expect((await runUntilListening(["--port", "0", "--store", store])).code).toBe(0);
});

describe("--drain", () => {
  it("continues to answer after SIGTERM, alive but not ready", async () => {
    const sandbox = await started({}, ["--drain", "10m"]);
    const statusOf = async (path: string): Promise<number> => (await fetch(sandbox.url + path)).status;
    expect(await statusOf("/_sandbox/health/ready")).toBe(200);
    sandbox.signal("SIGTERM");
    await sandbox.waitForLine("stopping");
    expect(await statusOf("/_sandbox/health/ready")).toBe(503);
    expect(await statusOf("/_sandbox/health/live")).toBe(200);
    await post(sandbox, "/v1/charges", chargeRequest());
    sandbox.signal("SIGTERM");
    expect(await sandbox.ended).toBe(143);
  });

  it("ends by itself", async () => {
    const sandbox = await started({ SANDBOX_DRAIN: "10ms" });
    sandbox.signal("SIGTERM");
    expect(await sandbox.ended).toBe(0);
    expect(eventsOf(sandbox)).toEqual(["listening", "stopping", "stopped"]);
  });
});
