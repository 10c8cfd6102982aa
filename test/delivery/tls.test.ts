import { createServer as createHttpServer } from "node:http";
import { type Agent, createServer, type ServerOptions } from "node:https";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createAgent, post, TlsAgentOfSmallReads } from "../../src/adapters/delivery/http-client.js";
import { createHttpTransport } from "../../src/adapters/delivery/http-transport.js";
import { sendOnWire } from "../../src/audit/wire/send-on-wire.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { listen } from "../support/listen.js";
import { selfSigned, selfSignedRsa } from "../support/self-signed.js";

const body = Buffer.from("{}");
const { signal } = new AbortController();
const options = { body, headers: {}, timeoutMs: 5_000, insecureTls: true, allow: { kind: "any" }, signal } as const;

async function deliver(url: string) {
  const transport = createHttpTransport(systemClock);
  onTestFinished(() => transport.close());
  const { status, error } = await transport.send({ url, ...options });
  return status ?? error;
}

async function audit(url: string) {
  const wire = { url: new URL(url), timeoutMs: 5_000, system: systemClock, secret: "", insecureTls: true };
  const { answer, error } = await sendOnWire(wire, { headers: [], body, sent: "an event" });
  return answer?.status ?? error;
}

describe.each([
  ["a webhook", deliver],
  ["an audit", audit],
])("%s", (_, client) => {
  const askReceiver = async (options: ServerOptions) => {
    const server = createServer({ ...selfSignedRsa, ...options }, (_request, response) => response.end());
    return client(`https://127.0.0.1:${await listen(server)}/`);
  };

  // The receiver chooses the parameters. With 8192 bits and more each handshake stops the loop.
  it.each<[string, ServerOptions]>([
    ["1.2", { maxVersion: "TLSv1.2", ciphers: "DHE-RSA-AES128-GCM-SHA256", dhparam: "auto" }],
    ["1.3", { minVersion: "TLSv1.3", ecdhCurve: "ffdhe2048" }],
  ])("agrees to no finite-field Diffie-Hellman in TLS %s", async (_version, options) => {
    expect(await askReceiver(options)).toMatch(/handshake failure|does not speak TLS/);
  });

  it.each<[string, ServerOptions]>([
    ["TLS 1.2", { maxVersion: "TLSv1.2" }],
    ["TLS 1.3", { minVersion: "TLSv1.3" }],
    ["TLS 1.2 without Diffie-Hellman", { maxVersion: "TLSv1.2", ciphers: "AES128-GCM-SHA256" }],
    ["P-384", { ecdhCurve: "secp384r1" }],
    ["P-521", { ecdhCurve: "secp521r1" }],
    ["X448", { ecdhCurve: "X448" }],
  ])("speaks %s", async (_what, options) => {
    expect(await askReceiver(options)).toBe(200);
  });
});

// Node parses each read as a whole. Chunks of one byte in reads of 16 KiB, from many receivers at once, stopped the event loop for 0.3 s.
it.each([
  ["http", () => createHttpServer()],
  ["https", () => createServer(selfSignedRsa)],
])("an answer over %s is read in small pieces", async (protocol, create) => {
  const server = create().on("request", (_request, response) => response.end("x".repeat(64 * 1024)));
  const request = { ...options, url: `${protocol}://127.0.0.1:${await listen(server)}/` };
  const agent = createAgent(request);
  onTestFinished(() => agent.destroy());
  const sizes: number[] = [];
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (...given) => {
    const socket = connect(...given) as Socket;
    return socket.on("data", (piece: Buffer) => sizes.push(piece.length));
  };
  expect(await post(agent, request, systemClock)).toMatchObject({ status: 200, error: null });
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1024);
});

// An error may list all names of a certificate.
it("the start of a long error is kept", async () => {
  const url = `https://localhost:${await listen(createServer(selfSigned))}/`;
  const checkServerIdentity = () => new Error(`not in the cert's altnames: ${"DNS:a.test, ".repeat(1_000)}`);
  const agent = new TlsAgentOfSmallReads({ ca: selfSigned.cert, checkServerIdentity });
  onTestFinished(() => agent.destroy());
  const { error } = await post(agent, { ...options, url, insecureTls: false }, systemClock);
  expect(error).toMatch(/^not in the cert's altnames: DNS:a.test/);
  expect(error).toHaveLength(500);
});

// Node drops such data, but counts it as activity: 250 such connections kept two thirds of a processor busy until the process ended.
it.each([
  ["http", () => createHttpServer()],
  ["https", () => createServer(selfSignedRsa)],
])(
  "a connection over %s is closed when the receiver sends something between two requests",
  async (protocol, create) => {
    const server = create();
    const closed = new Promise((resolve) => {
      server.on("request", ({ socket }, response) => {
        response.end();
        const timer = setInterval(() => socket.write("x"), 5);
        socket.once("close", () => resolve(clearInterval(timer)));
        socket.once("error", () => undefined);
      });
    });
    const transport = createHttpTransport(systemClock);
    onTestFinished(() => transport.close());
    const request = { ...options, url: `${protocol}://127.0.0.1:${await listen(server)}/` };
    expect(await transport.send(request)).toMatchObject({ status: 200, error: null });
    await closed;
    expect(await transport.send(request)).toMatchObject({ status: 200, error: null });
  },
);

// A receiver may send 20 000 key updates in half a megabyte. When one turn of the event loop took them all, from many connections, it stopped for seconds.
it.each([
  ["a webhook", deliver],
  ["an audit", audit],
])("an answer to %s over https is decrypted in several turns of the event loop", async (_, client) => {
  const server = createServer(selfSignedRsa, (_request, response) => response.end("x".repeat(64 * 1024)));
  server.on("secureConnection", (socket: TLSSocket) => socket.setMaxSendFragment(512));
  let bytesOfTurn = 0;
  let longest = 0;
  const connect: TlsAgentOfSmallReads["createConnection"] = Reflect.get(
    TlsAgentOfSmallReads.prototype,
    "createConnection",
  );
  vi.spyOn(TlsAgentOfSmallReads.prototype, "createConnection").mockImplementation(function (this: Agent, options) {
    return connect.call(this, options).on("data", (piece: Buffer) => {
      if (bytesOfTurn === 0) setImmediate(() => (bytesOfTurn = 0));
      bytesOfTurn += piece.length;
      longest = Math.max(longest, bytesOfTurn);
    });
  });
  onTestFinished(() => void vi.restoreAllMocks());
  expect(await client(`https://127.0.0.1:${await listen(server)}/`)).toBe(200);
  expect(longest).toBeGreaterThan(0);
  expect(longest).toBeLessThanOrEqual(2048);
});
