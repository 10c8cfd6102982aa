import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { expect, it, onTestFinished } from "vitest";
import { createHttpTransport } from "../../src/adapters/delivery/http-transport.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { listen } from "../support/listen.js";
import { selfSigned } from "../support/self-signed.js";
import { answerEarly, expectEarlyAnswer } from "./early-answer.js";

it("a receiver over https that answers early and breaks the connection has answered, and ends nothing", async () => {
  const server = createTlsServer({ ...selfSigned, allowHalfOpen: true });
  let connection: Socket;
  server.on("connection", (socket: Socket) => (connection = socket));
  server.on("secureConnection", (socket) => void answerEarly(socket, connection));
  await expectEarlyAnswer("https", server);
});

it.each<[string, (take: (socket: Socket) => void) => Server]>([
  ["http", createTcpServer],
  ["https", (take) => createTlsServer(selfSigned, take)],
])(
  "a receiver that answers over %s and does not read the body holds it until the time-out",
  async (protocol, create) => {
    const sockets: Socket[] = [];
    let bytes = 0;
    const server = create((socket) => {
      sockets.push(socket);
      socket.on("error", () => undefined);
      socket.on("data", (chunk: Buffer) => (bytes += chunk.length));
      socket.once("data", () => socket.pause().write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"));
    });
    const transport = createHttpTransport(systemClock);
    onTestFinished(() => transport.close());
    const large = Buffer.alloc(8 * 1024 * 1024);
    const url = `${protocol}://127.0.0.1:${await listen(server)}/`;
    const outcome = await transport.send({
      url,
      body: large,
      headers: {},
      timeoutMs: 700,
      insecureTls: true,
      allow: { kind: "any" },
      signal: new AbortController().signal,
    });
    expect(outcome).toMatchObject({ status: 200, error: null });
    const closed = new Promise((resolve) => sockets[0]?.on("close", resolve));
    sockets[0]?.resume();
    await closed;
    expect(bytes).toBeLessThan(large.length);
  },
);
