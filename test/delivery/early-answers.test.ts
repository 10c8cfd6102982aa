import { createServer, type Server, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createServer as createTlsServer, type TLSSocket } from "node:tls";
import { expect, it } from "vitest";
import { createHttpTransport } from "../../src/adapters/delivery/http-transport.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { selfSigned } from "../support/self-signed.js";
import { listen } from "../support/listen.js";

/** Answers before it has read the body, which it does not read, and resets the connection while the body is still sent. */
async function answerEarly(socket: Socket | TLSSocket, connection: Socket): Promise<void> {
  for (const each of [socket, connection]) each.on("error", () => undefined);
  await new Promise((resolve) => socket.once("data", resolve));
  socket.pause();
  await new Promise<void>((resolve) => socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", resolve));
  for (let turns = 0; turns < 100; turns++) await nextTurn();
  connection.resetAndDestroy();
}

it.each<[string, () => Server]>([
  ["http", () => createServer({ allowHalfOpen: true }, (socket) => void answerEarly(socket, socket))],
  [
    "https",
    () => {
      const server = createTlsServer({ ...selfSigned, allowHalfOpen: true });
      let connection: Socket;
      server.on("connection", (socket: Socket) => (connection = socket));
      return server.on("secureConnection", (socket) => void answerEarly(socket, connection));
    },
  ],
])(
  "a receiver over %s that answers early and breaks the connection has answered, and ends nothing",
  async (protocol, open) => {
    const transport = createHttpTransport(systemClock);
    const result = await transport.send({
      url: `${protocol}://127.0.0.1:${await listen(open())}/`,
      body: Buffer.alloc(32 * 1024 * 1024),
      headers: {},
      timeoutMs: 10_000,
      insecureTls: true,
      allow: { kind: "list", hosts: ["127.0.0.1"] },
      signal: new AbortController().signal,
    });
    // An error that nobody listens to would fail the whole run.
    expect(result).toMatchObject({ status: 404 });
    await transport.close();
  },
);
