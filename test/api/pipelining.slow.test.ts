import { expect, it, onTestFinished } from "vitest";
import { startLive } from "../support/live.js";
import { longestStop } from "../support/loop-stops.js";
import { connectTo } from "../support/raw-http.js";

const COUNT = 2_000;

it("many requests that one client sends without waiting are answered in order, and do not keep others waiting", async () => {
  const live = await startLive();
  const socket = await connectTo(live.url);
  onTestFinished(() => void socket.destroy());
  const seen: number[] = [];
  let text = "";
  const all = new Promise<void>((resolve) => {
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      for (const [found, number] of text.matchAll(/"path":"\/n\/(\d+)"/g)) {
        seen.push(Number(number));
        text = text.slice(text.indexOf(found) + found.length);
      }
      if (seen.length === COUNT) resolve();
    });
  });
  const requests = Array.from({ length: COUNT }, (_, index) => `GET /n/${index} HTTP/1.1\r\nhost: x\r\n\r\n`);
  await new Promise<void>((resolve) => socket.write(requests.join(""), () => resolve()));
  expect((await live.http("GET", "/v1/balance")).status).toBe(200);
  expect(seen.length).toBeLessThan(COUNT / 10);
  await all;
  expect(seen).toEqual(Array.from({ length: COUNT }, (_, index) => index));
});

it.each([
  ["of one client", () => ""],
  ["with different wrong tokens", (index: number) => `authorization: Bearer wrong${index}\r\n`],
])("many connections %s do not keep another client waiting", async (_, credentials) => {
  const live = await startLive();
  const CONNECTIONS = 50;
  const REQUESTS = 20;
  let answered = 0;
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS }, () => connectTo(live.url)));
  for (const [index, socket] of sockets.entries()) {
    onTestFinished(() => void socket.destroy());
    const ask = (): void => void socket.write(`GET /n HTTP/1.1\r\nhost: x\r\n${credentials(index)}\r\n`);
    socket.on("data", () => {
      answered++;
      ask();
    });
    ask();
  }
  await live.http("GET", "/v1/balance");
  const before = answered;
  for (let sent = 0; sent < REQUESTS; sent++) expect((await live.http("GET", "/v1/balance")).status).toBe(200);
  // If requests were handled as they arrive, all of them would be answered between two of these answers.
  expect((answered - before) / REQUESTS).toBeLessThan(CONNECTIONS / 2);
});

it("no further answers are made for a client that does not read its answer", async () => {
  const live = await startLive();
  const metadata = { text: "x".repeat(400_000) };
  for (let made = 0; made < 12; made++) await live.createCharge({ metadata });
  const socket = await connectTo(live.url);
  onTestFinished(() => void socket.destroy());
  const headers = `host: ${new URL(live.url).host}\r\nauthorization: Bearer at_sandbox\r\n\r\n`;
  // 48 MB, which is more than the system buffers for a client.
  const paths = [...Array.from({ length: 10 }, () => "/_sandbox/charges?limit=100"), "/v1/charges/last"];
  const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\n${headers}`).join("");
  await new Promise<void>((resolve) => socket.write(requests, () => resolve()));
  for (let other = 0; other < 5; other++) {
    await live.http("GET", "/v1/balance");
    expect((await live.control("GET", "/requests?path=/v1/charges/last")).body.count).toBe(0);
  }
  let end = "";
  await new Promise<void>((resolve) => {
    socket.on("data", (chunk) => {
      end = (end + chunk.toString("latin1")).slice(-1_000);
      if (end.includes('"path":"/v1/charges/last"')) resolve();
    });
  });
});

it.each([
  ["without a body", "GET", ""],
  ["with a body", "POST", "x"],
])("requests %s are not read while others of their connection wait", async (_, method, body) => {
  const live = await startLive();
  const socket = await connectTo(live.url);
  onTestFinished(() => void socket.destroy());
  socket.write("GET /_sandbox/deliveries/wait?timeout=60s HTTP/1.1\r\nhost: localhost\r\n\r\n");
  const headers = Array.from({ length: 900 }, (_, index) => `h${index}: vvvvvvvv\r\n`).join("");
  const request = `${method} /n HTTP/1.1\r\nhost: x\r\ncontent-length: ${body.length}\r\n${headers}\r\n${body}`;
  for (let written = 0; written < 900; written++) socket.write(request);
  for (let sent = 0; sent < 500; sent++) expect((await live.http("GET", "/v1/balance")).status).toBe(200);
  // Only a few megabytes are buffered between the two ends.
  expect(socket.writableLength).toBeGreaterThan(4_000_000);
});

it("thousands of connections that send no HTTP at once do not stop the event loop for long", async () => {
  const live = await startLive();
  const sockets = await Promise.all(Array.from({ length: 2_000 }, () => connectTo(live.url)));
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  const stop = await longestStop(() => {
    const answered = sockets.map((socket) => new Promise((resolve) => void socket.once("data", resolve)));
    for (const socket of sockets) socket.write("GARBAGE\r\n\r\n");
    return Promise.all(answered);
  });
  expect(stop).toBeLessThan(180);
});

it("connections full of small requests do not stop the event loop for long", async () => {
  const live = await startLive();
  const sockets = await Promise.all(Array.from({ length: 128 }, () => connectTo(live.url)));
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  const bytes = "GET / HTTP/1.1\r\n\r\n".repeat(3_600);
  const stop = await longestStop(async () => {
    await Promise.all(sockets.map((socket) => new Promise((resolve) => void socket.resume().write(bytes, resolve))));
    for (let other = 0; other < 20; other++) expect((await live.http("GET", "/v1/balance")).status).toBe(200);
  });
  expect(stop).toBeLessThan(100);
});
