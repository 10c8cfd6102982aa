import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it, onTestFinished } from "vitest";
import { startLive } from "../support/live.js";
import { connectTo } from "../support/raw-http.js";

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

it("few requests with many headers are kept while others of their connection wait", async () => {
  const live = await startLive();
  const sockets = await Promise.all(Array.from({ length: 90 }, () => connectTo(live.url)));
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  collect();
  const before = process.memoryUsage().heapUsed;
  const waiting = "GET /_sandbox/deliveries/wait?timeout=60s HTTP/1.1\r\nhost: localhost\r\n\r\n";
  const headers = Array.from({ length: 990 }, (_, n) => `h${n}: vvvvvvvv\r\n`).join("");
  const bytes = waiting + `GET /n HTTP/1.1\r\nhost: x\r\n${headers}\r\n`.repeat(12);
  await Promise.all(sockets.map((socket) => new Promise((resolve) => void socket.write(bytes, resolve))));
  for (let sent = 0; sent < 500; sent++) expect((await live.http("GET", "/v1/balance")).status).toBe(200);
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(50_000_000);
});
