import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { brotliCompressSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { BODY_IS_CUT, type HttpExchange } from "../../src/adapters/har/http-exchange.js";
import { COPIED_BYTES_MAX } from "../../src/calibration/proxy/body-copy.js";
import { startRecordingProxy } from "../../src/calibration/proxy/recording-proxy.js";
import { createExchangeRedactor } from "../../src/calibration/proxy/redact-exchange.js";
import type { Side } from "../../src/calibration/proxy/side.js";
import { forgeryOf } from "../../src/cli/shared/guard-proxy.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { longestStop } from "../support/loop-stops.js";
import { listen } from "../support/listen.js";
import { answerAfter, gate } from "../support/live.js";
import { connectTo, sendRaw } from "../support/raw-http.js";
import { startReceiver } from "../support/receiver.js";

const redactOptions = { secretKey: "sk_1", signatureHeader: "x-service-hmac-sha256", fields: [] };

async function startProxy(target: string, webhooksTo?: string, redact = (exchange: HttpExchange, _: Side) => exchange) {
  const recorded: { exchange: HttpExchange; side: Side }[] = [];
  const waiting: (() => void)[] = [];
  const proxy = await startRecordingProxy({
    target: new URL(target),
    webhooksTo: webhooksTo === undefined ? undefined : new URL(webhooksTo),
    host: "127.0.0.1",
    port: 0,
    // Waits for requests in flight are short.
    system: { ...systemClock, after: (_, task) => systemClock.after(500, task) },
    refuses: forgeryOf,
    onExchange(exchange, side) {
      recorded.push({ exchange: redact(exchange, side), side });
      for (const wake of waiting.splice(0)) wake();
    },
  });
  onTestFinished(() => proxy.close());
  const waitFor = async (count: number) => {
    while (recorded.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    return recorded.map(({ exchange }) => exchange);
  };
  return { ...proxy, recorded, waitFor };
}

const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();

describe("what passes through the proxy", () => {
  it("is the request with its path, query, headers and bytes, and the whole answer", async () => {
    const service = await startReceiver({ status: 409, headers: { "X-Kept": "yes" }, body: '{"a":1}' });
    const proxy = await startProxy(`${service.origin}/base/`);
    const response = await fetch(`${proxy.url}/v1/charges?a=1&a=%20`, {
      method: "POST",
      body: "{ }",
      headers: { "X-One": "1" },
    });
    expect([response.status, response.headers.get("x-kept"), await response.text()]).toEqual([409, "yes", '{"a":1}']);
    const [request] = service.received;
    expect(request).toMatchObject({ method: "POST", path: "/base/v1/charges?a=1&a=%20" });
    expect(request!.headers).toMatchObject({ "x-one": "1", host: new URL(service.origin).host });
    expect(request!.raw.toString()).toBe("{ }");
    const [exchange] = await proxy.waitFor(1);
    expect(exchange).toMatchObject({ method: "POST", url: `${service.origin}/base/v1/charges?a=1&a=%20` });
    expect([textOf(exchange!.body), exchange!.answer?.status, textOf(exchange!.answer?.body)]).toEqual([
      "{ }",
      409,
      '{"a":1}',
    ]);
  });

  it("is a body of any size, which is recorded up to a bound", async () => {
    const big = Buffer.alloc(9 * 1024 * 1024, "x");
    const service = await startReceiver({ body: big });
    const proxy = await startProxy(service.origin);
    const response = await fetch(proxy.url, { method: "POST", body: big });
    expect((await response.arrayBuffer()).byteLength).toBe(big.length);
    expect(service.received[0]!.raw).toHaveLength(big.length);
    const [exchange] = await proxy.waitFor(1);
    expect(exchange!.comment).toBe(BODY_IS_CUT);
    const length = 256 * 1024 + Buffer.byteLength("…");
    expect([exchange!.body?.length, exchange!.answer?.body.length]).toEqual([length, length]);
  });

  it("where a body is cut, no part of a token is recorded", async () => {
    const body = `${"x".repeat(COPIED_BYTES_MAX - 10)}at_some_token`;
    const service = await startReceiver({ body });
    const proxy = await startProxy(service.origin, undefined, createExchangeRedactor(redactOptions));
    const request = { method: "POST", body, headers: { authorization: "Bearer at_some_token" } };
    await (await fetch(proxy.url, request)).arrayBuffer();
    const [exchange] = await proxy.waitFor(1);
    for (const bytes of [exchange!.body, exchange!.answer?.body]) expect(textOf(bytes)).toMatch(/x\[redacted\]…$/);
  });

  it("does not wait while another client's long body is searched for secrets", async () => {
    const long = (text: string): Buffer => Buffer.from(text.repeat((2 * COPIED_BYTES_MAX) / text.length));
    const service = await startReceiver({ body: long("0123456789abcdef") });
    const redact = createExchangeRedactor({ ...redactOptions, fields: ["msisdn"] });
    const proxy = await startProxy(service.origin, undefined, redact);
    const request = {
      method: "POST",
      body: long('{"msisdn":"+2250711223344","description":"Shoes"},'),
      headers: { authorization: "Bearer at_some_token" },
    };
    const stop = await longestStop(async () => {
      await (await fetch(proxy.url, request)).arrayBuffer();
      await proxy.waitFor(1);
    });
    expect(stop).toBeLessThan(500);
  });

  it("is an answer while it is still being written", async () => {
    let finish = (): void => undefined;
    const server = createServer((_, outgoing) => {
      outgoing.write("first ");
      finish = () => void outgoing.end("second");
    });
    const proxy = await startProxy(`http://127.0.0.1:${await listen(server)}`);
    const reader = (await fetch(proxy.url)).body!.getReader();
    expect(textOf((await reader.read()).value)).toBe("first ");
    finish();
    expect(textOf((await reader.read()).value)).toBe("second");
    server.close();
  });

  it("is a compressed answer unchanged; the recording has its text", async () => {
    const service = await startReceiver({ headers: { "content-encoding": "br" }, body: brotliCompressSync('{"a":1}') });
    const proxy = await startProxy(service.origin);
    expect(await (await fetch(proxy.url)).json()).toEqual({ a: 1 });
    const [exchange] = await proxy.waitFor(1);
    expect(textOf(exchange!.answer?.body)).toBe('{"a":1}');
  });

  it.each([
    ["zstd, gzip;q=0.5, br", "gzip;q=0.5, br"],
    ["zstd", "identity"],
    ["*", "identity"],
  ])("is an offer of encodings, %s, as far as the recording can read them", async (offered, passed) => {
    const service = await startReceiver({});
    const proxy = await startProxy(service.origin);
    await sendRaw(
      proxy.url,
      `GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: ${offered}\r\nConnection: close\r\n\r\n`,
    );
    expect(service.received[0]!.headers["accept-encoding"]).toBe(passed);
  });

  it("can go to an IPv6 address", async () => {
    const server = createServer(({ url, headers: { host } }, outgoing) => outgoing.end(`${host}${url}`));
    server.listen(0, "::1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const proxy = await startProxy(`http://[::1]:${port}/base`);
    expect(await (await fetch(`${proxy.url}/v1/balance?a=1`)).text()).toBe(`[::1]:${port}/base/v1/balance?a=1`);
  });

  it("uses kept-alive connections", async () => {
    const service = await startReceiver({ body: "ok", headers: { "Keep-Alive": "timeout=600" } });
    const proxy = await startProxy(service.origin);
    for (const path of ["/a", "/b"]) {
      const response = await fetch(proxy.url + path);
      expect([await response.text(), response.headers.get("keep-alive")]).toEqual(["ok", null]);
    }
    expect(await proxy.waitFor(2)).toHaveLength(2);
    expect(service.connectionsMade).toBe(1);
  });

  it("closes an unused connection before the service does", async () => {
    const server = createServer((_, outgoing) => outgoing.end());
    server.keepAliveTimeout = 3_600_000;
    const connected = once(server, "connection");
    const proxy = await startProxy(`http://127.0.0.1:${await listen(server)}`);
    await (await fetch(proxy.url)).arrayBuffer();
    const [socket] = await connected;
    await once(socket, "end");
    expect((await fetch(proxy.url)).status).toBe(200);
    server.close();
  });
});

describe("webhooks", () => {
  it("that arrive at /_webhooks go to their receiver", async () => {
    const [service, receiver] = [await startReceiver(), await startReceiver({ status: 204 })];
    const proxy = await startProxy(service.origin, receiver.url);
    const response = await fetch(`${proxy.url}/_webhooks`, { method: "POST", body: "{}" });
    await fetch(`${proxy.url}/_webhooks/more?a=1`, { method: "POST", body: "{}" });
    expect([response.status, service.received.length]).toEqual([204, 0]);
    expect(receiver.received.map(({ path }) => path)).toEqual(["/hook", "/hook/more?a=1"]);
    await proxy.waitFor(2);
    expect(proxy.recorded.map(({ side }) => side)).toEqual(["receiver", "receiver"]);
  });

  it("without a receiver are refused, and never sent to the service", async () => {
    const service = await startReceiver();
    const proxy = await startProxy(service.origin);
    const response = await fetch(`${proxy.url}/_webhooks`, { method: "POST", body: "{}" });
    expect(response.status).toBe(404);
    expect(await response.text()).toContain("--webhooks-to");
    expect(service.received).toHaveLength(0);
  });
});

describe("what can go wrong", () => {
  it.each([
    ["000", "HTTP/1.1 000 X\r\nContent-Length: 2\r\n\r\n{}"],
    ["099, without an end", "HTTP/1.1 099 X\r\n\r\n"],
    ["101", "HTTP/1.1 101 X\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"],
  ])("an answer with the status %s, which nobody can pass on, is 502", async (_, answer) => {
    const service = createTcpServer((socket) => socket.once("data", () => socket.write(answer)));
    const proxy = await startProxy(`http://127.0.0.1:${await listen(service)}`);
    expect((await fetch(`${proxy.url}/v1/balance`)).status).toBe(502);
    expect(await proxy.waitFor(1)).toMatchObject([{ method: "GET" }]);
  });

  it("an answer with control characters in its reason is passed on without them", async () => {
    const service = createTcpServer((socket) =>
      socket.once("data", () => socket.end("HTTP/1.1 200 \u0001 O\u007fK\r\nContent-Length: 2\r\n\r\n{}")),
    );
    const proxy = await startProxy(`http://127.0.0.1:${await listen(service)}`);
    const response = await fetch(`${proxy.url}/v1/balance`);
    expect([response.status, response.statusText, await response.text()]).toEqual([200, "? O?K", "{}"]);
    expect(await proxy.waitFor(1)).toMatchObject([{ answer: { status: 200 } }]);
  });

  it("a request and an answer that promise trailers are passed on without them", async () => {
    const received: string[] = [];
    const service = createTcpServer((socket) =>
      socket.once("data", (bytes) => {
        received.push(bytes.toString("latin1"));
        socket.end("HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nContent-Length: 2\r\n\r\n{}");
      }),
    );
    const proxy = await startProxy(`http://127.0.0.1:${await listen(service)}`);
    const { host } = new URL(proxy.url);
    const request = `GET /v1/balance HTTP/1.1\r\nHost: ${host}\r\nTrailer: X-Sum\r\nConnection: close\r\n\r\n`;
    const { status, headers, body } = await sendRaw(proxy.url, [request]);
    expect([status, headers["trailer"], body]).toEqual([200, undefined, "{}"]);
    expect(received).toEqual([expect.not.stringMatching(/trailer/i)]);
    expect(await proxy.waitFor(1)).toMatchObject([{ answer: { status: 200 } }]);
  });

  it("a service that cannot be reached is 502, and recorded as no answer", async () => {
    const proxy = await startProxy("http://127.0.0.1:9");
    const response = await fetch(`${proxy.url}/v1/balance`);
    expect(response.status).toBe(502);
    expect(await response.text()).toContain("The proxy got no answer from http://127.0.0.1:9: ");
    const [exchange] = await proxy.waitFor(1);
    expect(exchange).toMatchObject({ answer: undefined, comment: expect.stringContaining("no answer: ") });
  });

  it("an answer that breaks off also breaks off for the client", async () => {
    const service = await startReceiver("reset");
    const proxy = await startProxy(service.origin);
    expect((await fetch(proxy.url)).status).toBe(502);
    const [exchange] = await proxy.waitFor(1);
    expect(exchange!.answer).toBeUndefined();
  });

  it("an answer that breaks off in the middle of its body", async () => {
    const target = createTcpServer((socket) => {
      socket.once("data", () =>
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", () => socket.destroy()),
      );
    });
    const proxy = await startProxy(`http://127.0.0.1:${await listen(target)}`);
    const response = await fetch(`${proxy.url}/v1/balance`);
    await expect(response.text()).rejects.toThrow("terminated");
    const [exchange] = await proxy.waitFor(1);
    expect(exchange).toMatchObject({ answer: undefined, comment: "no answer: the service closed the connection" });
    expect((await fetch(`${proxy.url}/v1/balance`)).status).toBe(200);
  });

  it("bytes that come one at a time, both ways", async () => {
    const target = createTcpServer((socket) => {
      let received = "";
      socket.setNoDelay(true).on("data", (chunk) => {
        received += String(chunk);
        if (!received.endsWith("\r\n\r\n0123456789")) return;
        for (const byte of "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n9876543210") socket.write(byte);
      });
    });
    const proxy = await startProxy(`http://127.0.0.1:${await listen(target)}`);
    const text =
      "POST /v1/charges HTTP/1.1\r\nhost: localhost\r\ncontent-length: 10\r\nconnection: close\r\n\r\n0123456789";
    expect(await sendRaw(proxy.url, Array.from(text))).toMatchObject({ status: 200, body: "9876543210" });
    const [exchange] = await proxy.waitFor(1);
    expect([textOf(exchange!.body), textOf(exchange!.answer?.body)]).toEqual(["0123456789", "9876543210"]);
  });

  it("a receiver that hangs delays neither other traffic nor the end", async () => {
    const [service, receiver] = [await startReceiver(), await startReceiver("hang")];
    const proxy = await startProxy(service.origin, receiver.url);
    const hanging = fetch(`${proxy.url}/_webhooks`, { method: "POST", body: "{}" }).catch(
      (error: Error) => error.message,
    );
    await receiver.waitFor(1);
    expect((await fetch(`${proxy.url}/v1/balance`)).status).toBe(200);
    await proxy.close();
    expect(proxy.recorded).toHaveLength(2);
    expect(await hanging).toBe("fetch failed");
    expect(await proxy.waitFor(2)).toMatchObject([{ method: "GET" }, { method: "POST", answer: undefined }]);
  });

  it("an answer in flight at the end closes its connection, so that no further request is cut off", async () => {
    const hold = gate();
    const service = await startReceiver(answerAfter(hold, { headers: { Connection: "x-own" } }));
    const proxy = await startProxy(service.origin);
    const client = await connectTo(proxy.url);
    client.write("GET /v1/balance HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await service.waitFor(1);
    const closed = proxy.close();
    hold.open();
    const [answer] = (await once(client, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 200 [^]*\r\nconnection: close\r\n/i);
    expect(answer.toString()).not.toContain("x-own");
    await closed;
  });

  it("a client that leaves", async () => {
    const service = await startReceiver("hang");
    const proxy = await startProxy(service.origin);
    const client = await connectTo(proxy.url);
    client.write("GET /v1/balance HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await service.waitFor(1);
    client.destroy();
    const [exchange] = await proxy.waitFor(1);
    expect(exchange).toMatchObject({
      method: "GET",
      answer: undefined,
      comment: "no answer: the client closed the connection",
    });
    await service.disconnected();
  });

  it.each(["GET http://169.254.169.254/latest HTTP/1.1", "GET //169.254.169.254/latest HTTP/1.1"])(
    "a request line that names another host: %s",
    async (line) => {
      const service = await startReceiver();
      const proxy = await startProxy(service.origin);
      await sendRaw(proxy.url, [`${line}\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`]);
      expect(service.received).toHaveLength(1);
      expect(service.received[0]!.headers.host).toBe(new URL(service.origin).host);
    },
  );

  it("a client that leaves while several of its requests wait", async () => {
    const service = await startReceiver("hang");
    const proxy = await startProxy(service.origin);
    const client = await connectTo(proxy.url);
    client.write("GET /v1/balance HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(3));
    await service.waitFor(3);
    client.destroy();
    expect(await proxy.waitFor(3)).toHaveLength(3);
    await proxy.close();
  });

  it("an offer of HTTP/2 is ignored", async () => {
    const service = await startReceiver({ body: "{}" });
    const proxy = await startProxy(service.origin);
    const offer =
      "connection: close, upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA";
    expect(await sendRaw(proxy.url, [`GET / HTTP/1.1\r\nhost: localhost\r\n${offer}\r\n\r\n`])).toMatchObject({
      status: 200,
      body: "{}",
    });
    expect(service.received[0]!.headers).not.toHaveProperty("upgrade");
  });

  it("a client that keeps its side open after a refused upgrade does not delay the end", async () => {
    const proxy = await startProxy((await startReceiver()).origin);
    const { hostname, port } = new URL(proxy.url);
    const client = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    onTestFinished(() => void client.destroy());
    client.write("GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n");
    const [answer] = (await once(client, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 501 /);
    await proxy.close();
  });

  it("an upgrade and CONNECT are refused", async () => {
    const service = await startReceiver();
    const proxy = await startProxy(service.origin);
    const upgrade = "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n";
    expect((await sendRaw(proxy.url, [upgrade])).status).toBe(501);
    const client = await connectTo(proxy.url);
    client.write("CONNECT example.test:443 HTTP/1.1\r\nhost: localhost\r\n\r\n");
    client.resume();
    await once(client, "close");
    expect(service.received).toHaveLength(0);
  });
});

it.each<[string, string, Record<string, string>, number]>([
  ["GET", "/v1/balance", { host: "rebound.test" }, 403],
  ["GET", "/v1/balance", { origin: "https://page.test" }, 403],
  ["GET", "/v1/balance", { origin: "null" }, 403],
  ["GET", "/v1/balance", { "sec-fetch-site": "cross-site" }, 403],
  ["POST", "/_webhooks", { host: "tunnel.test" }, 200],
  ["POST", "/_webhooks", { host: "tunnel.test", origin: "http://tunnel.test" }, 403],
  ["POST", "/_webhooks/../admin", { host: "tunnel.test" }, 403],
  ["GET", "/_webhooks", { host: "tunnel.test" }, 403],
  ["GET", "/v1/balance", { host: "localhost:4011" }, 200],
])("answers %s %s with %j with %i", async (method, path, given, status) => {
  const service = await startReceiver();
  const proxy = await startProxy(service.origin, service.origin);
  const lines = Object.entries({ host: "127.0.0.1", ...given }).map(([name, value]) => `${name}: ${value}\r\n`);
  const request = `${method} ${path} HTTP/1.1\r\n${lines.join("")}content-length: 0\r\nconnection: close\r\n\r\n`;
  expect((await sendRaw(proxy.url, [request])).status).toBe(status);
  expect(service.received).toHaveLength(status === 200 ? 1 : 0);
});
