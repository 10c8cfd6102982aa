import type { Server, Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { TLSSocket } from "node:tls";
import { expect } from "vitest";
import { createHttpTransport } from "../../src/adapters/delivery/http-transport.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { listen } from "../support/listen.js";

/** Answers before it has read the body, which it does not read, and resets the connection while the body is still sent. */
export async function answerEarly(socket: Socket | TLSSocket, connection: Socket): Promise<void> {
  for (const each of [socket, connection]) each.on("error", () => undefined);
  await new Promise((resolve) => socket.once("data", resolve));
  socket.pause();
  await new Promise<void>((resolve) => socket.end("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", resolve));
  for (let turns = 0; turns < 100; turns++) await nextTurn();
  connection.resetAndDestroy();
}

/** Sends a large body to a server that answers early: the server has answered, and nothing ends. */
export async function expectEarlyAnswer(protocol: string, server: Server): Promise<void> {
  const transport = createHttpTransport(systemClock);
  const result = await transport.send({
    url: `${protocol}://127.0.0.1:${await listen(server)}/`,
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
}
