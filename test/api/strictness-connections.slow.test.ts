import { once } from "node:events";
import { connect } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createApp } from "../../src/http/server/app.js";
import { serve } from "../../src/http/server/listen.js";
import { useWorlds } from "../support/describe-api.js";

const open = useWorlds();
const credentials = "host: x\r\nauthorization: Bearer at_sandbox\r\nx-company-id: company_sandbox\r\n";

it.each([
  ["an invalid chunk", [`POST /v1/charges HTTP/1.1\r\n${credentials}transfer-encoding: chunked\r\n\r\n`, "zz\r\n"]],
  ["CONNECT", ["CONNECT x:80 HTTP/1.1\r\nhost: x\r\n\r\n"]],
])("a connection that is refused is closed after a while, though its client keeps it open: %s", async (_, pieces) => {
  const { sandbox } = await open();
  const server = await serve(createApp(sandbox), { port: 0, host: "127.0.0.1" });
  const socket = connect({ port: server.port, host: "127.0.0.1", allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  for (const piece of pieces) {
    socket.write(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await once(socket.resume(), "end");
  await server.close();
  expect(socket.writable).toBe(true);
});

it("a request behind one that was answered before its body came may wait for its own answer", async () => {
  const { sandbox } = await open();
  const server = await serve(createApp(sandbox), { port: 0, host: "127.0.0.1" });
  const socket = connect(server.port, "127.0.0.1");
  onTestFinished(async () => {
    server.cutOff();
    await server.close();
  });
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => (text += chunk));
  socket.write("POST /n HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\n\r\n");
  await once(socket, "data");
  const next = "GET /_sandbox/deliveries/wait?timeout=6s HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
  socket.write(`x${next}`);
  await once(socket, "close");
  expect(text).toContain("No delivery came within 6s");
}, 20_000);
