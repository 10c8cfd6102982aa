import { once } from "node:events";
import { createServer } from "node:http";
import { connect, createServer as createTcpServer } from "node:net";
import { brotliCompressSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { BODY_IS_CUT, type HttpExchange } from "../../src/adapters/har/http-exchange.js";
import { COPIED_BYTES_MAX } from "../../src/calibration/proxy/body-copy.js";
import { renderHarEntry } from "../../src/adapters/har/write-har.js";
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
    system: { ...systemClock, after: (_, task) => systemClock.after(50, task) },
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

describe("what passes", () => {
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
    expect([exchange!.body?.length, exchange!.answer?.body.length]).toEqual([256 * 1024, 256 * 1024]);
  });

  it("does not wait for another's long body to be searched for secrets", async () => {
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

  it("is a compressed answer as it is; the recording has its text", async () => {
    const service = await startReceiver({ headers: { "content-encoding": "br" }, body: brotliCompressSync('{"a":1}') });
    const proxy = await startProxy(service.origin);
    expect(await (await fetch(proxy.url)).json()).toEqual({ a: 1 });
    const [exchange] = await proxy.waitFor(1);
    expect(textOf(exchange!.answer?.body)).toBe('{"a":1}');
  });

  it("goes over connections that are kept", async () => {
    const service = await startReceiver({ body: "ok" });
    const proxy = await startProxy(service.origin);
    for (const path of ["/a", "/b"]) expect(await (await fetch(proxy.url + path)).text()).toBe("ok");
    expect(await proxy.waitFor(2)).toHaveLength(2);
    expect(service.connectionsMade).toBe(1);
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

describe("what goes wrong", () => {
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

  it("an answer with control characters in its reason goes on without them", async () => {
    const service = createTcpServer((socket) =>
      socket.once("data", () => socket.end("HTTP/1.1 200 \u0001 O\u007fK\r\nContent-Length: 2\r\n\r\n{}")),
    );
    const proxy = await startProxy(`http://127.0.0.1:${await listen(service)}`);
    const response = await fetch(`${proxy.url}/v1/balance`);
    expect([response.status, response.statusText, await response.text()]).toEqual([200, "? O?K", "{}"]);
    expect(await proxy.waitFor(1)).toMatchObject([{ answer: { status: 200 } }]);
  });

  it("a request and an answer that promise trailers go on without them", async () => {
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

  it("an answer that breaks off breaks off", async () => {
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

  it("a receiver that hangs holds up neither other traffic nor the end", async () => {
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

  it("a client that keeps its side open after a refused upgrade does not hold the end", async () => {
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

describe("redaction", () => {
  const exchange: HttpExchange = {
    startedAt: 0,
    ms: 1,
    method: "POST",
    url: "https://api.test/v1/charges?key=at_1",
    headers: [
      ["Authorization", "Bearer at_1"],
      ["Cookie", "session=at_1"],
      ["X-Note", "at_1"],
    ],
    body: Buffer.from('{"msisdn":"+2250711223344","note":"sk_1","name":"Awa"}'),
    answer: {
      status: 200,
      headers: [["Set-Cookie", "session=2"]],
      body: Buffer.from('{"data":[{"msisdn":"2250711223344","test":{"msisdn":"+2250700000001"}}]}'),
    },
  };

  it("hides the token, the secret key and cookies, wherever they stand", () => {
    const redacted = createExchangeRedactor(redactOptions)(exchange, "service");
    const text = JSON.stringify({ ...redacted, body: textOf(redacted.body), answer: textOf(redacted.answer?.body) });
    expect(text).not.toMatch(/at_1|sk_1|session/);
    expect(JSON.parse(textOf(redacted.body))).toEqual({ msisdn: "+2250711223344", note: "[redacted]", name: "Awa" });
  });

  const [token, secretKey] = ["at_live_6f1c0e2b9d", "sk_live_93b1aa07cc"];
  const both = `${token} ${secretKey}`;
  const twice = JSON.stringify({ inner: JSON.stringify({ note: `x ${token}`, key: secretKey }) });

  it.each<[string, Partial<HttpExchange>]>([
    [
      "headers",
      {
        headers: [
          ["X-Note", both],
          ["Cookie", both],
          ["Proxy-Authorization", both],
          [token, "x"],
        ],
      },
    ],
    ["the query", { url: `https://api.test/v1/balance?token=${token}&b=${encodeURIComponent(secretKey)}` }],
    ["the path", { url: `https://api.test/v1/charges/${token}/${secretKey}` }],
    ["user info", { url: `https://${token}:${secretKey}@api.test/v1/balance` }],
    ["JSON", { body: Buffer.from(JSON.stringify({ [token]: { deep: [secretKey] } })) }],
    ["JSON in JSON in JSON", { body: Buffer.from(JSON.stringify({ outer: twice })) }],
    ["a form", { body: Buffer.from(`a=${token}&b=${secretKey}&c=%61t_live_6f1c0e2b9d`) }],
    ["base64", { body: Buffer.from(JSON.stringify({ proof: Buffer.from(`user:${both}`).toString("base64") })) }],
    ["text that is not UTF-8", { body: Buffer.concat([Buffer.of(0xff), Buffer.from(both)]) }],
    [
      "the answer and its cookies",
      {
        answer: {
          status: 400,
          headers: [
            ["Set-Cookie", both],
            ["X-Echo", both],
          ],
          body: Buffer.from(twice),
        },
      },
    ],
  ])("hides the token and the secret key in %s", (_, given) => {
    const redact = createExchangeRedactor({ ...redactOptions, secretKey });
    const headers = [...(given.headers ?? []), ["Authorization", `Bearer ${token}`] as const];
    const text = renderHarEntry(redact({ ...exchange, body: undefined, ...given, headers }, "service"));
    const decoded = text.replaceAll(
      /[\w+/]{16,}=*/g,
      (run) => `${run} ${Buffer.from(run, "base64").toString("latin1")}`,
    );
    expect(decoded).not.toMatch(/live_6f1c0e2b9d|live_93b1aa07cc/);
    expect(JSON.parse(text)).toMatchObject({ request: { method: "POST" } });
  });

  it("hides named fields; a phone number becomes one pseudonym, and test numbers stay", () => {
    const redact = createExchangeRedactor({ ...redactOptions, fields: ["msisdn", "Name"] });
    const first = redact(exchange, "service");
    const { msisdn, name } = JSON.parse(textOf(first.body));
    expect([msisdn, name]).toEqual([expect.stringMatching(/^\+22599\d{8}$/), "[redacted]"]);
    const [row] = JSON.parse(textOf(first.answer?.body)).data;
    expect(row).toEqual({ msisdn: msisdn.slice(1), test: { msisdn: "+2250700000001" } });
    const again = redact({ ...exchange, url: "https://api.test/v1/customers?msisdn=%2B2250711223344" }, "service");
    expect(JSON.parse(textOf(again.body)).msisdn).toBe(msisdn);
    expect(again.url).not.toContain("0711223344");
  });

  it.each<[string, string, Partial<HttpExchange>]>([
    ["in recipientMsisdn", "2250711223344", { body: Buffer.from('{"data":{"recipientMsisdn":"2250711223344"}}') }],
    ["in another form elsewhere", "0711223344", { body: Buffer.from('{"msisdn":"+2250711223344","x":"0711223344"}') }],
    ["with a long prefix", "0711223344", { body: Buffer.from('{"msisdn":"0711223344","x":"002250711223344"}') }],
    ["written in groups", "0711223344", { body: Buffer.from('{"msisdn":"+225 07 11-22 33 44","x":"2250711223344"}') }],
    [
      "in groups elsewhere",
      "07/11.22-33",
      { body: Buffer.from('{"msisdn":"0711223344","x":"(225) 07/11.22-33\u00a044"}') },
    ],
    ["as a number", "2250711223344", { body: Buffer.from('{"msisdn":2250711223344}') }],
    ["in a list", "2250711223344", { body: Buffer.from('{"msisdn":["2250711223344"]}') }],
    ["among other digits", "0711223344", { body: Buffer.from('{"msisdn":"0711223344","ref":"2026011507112233449"}') }],
    [
      "in JSON in a query",
      "0711223344",
      { url: "https://a.test/?msisdn=0711223344&q=%7B%22x%22%3A%2207112233440%22%7D" },
    ],
    ["in a parameter with brackets", "0711223344", { url: "https://a.test/?filter%5Bmsisdn%5D=0711223344" }],
    ["in a form", "0711223344", { body: Buffer.from("amount=1&msisdn=0711223344") }],
    ["in a header", "0711223344", { headers: [["X-Payer-Msisdn", "0711223344"]] }],
  ])("hides a phone number %s", (_, number, given) => {
    const redact = createExchangeRedactor({ ...redactOptions, fields: ["msisdn"] });
    const text = renderHarEntry(redact({ ...exchange, body: undefined, answer: undefined, ...given }, "service"));
    expect(text).not.toContain(number);
  });

  const shown = {
    status: 200,
    headers: [["Location", "/x/0711223344"]] as const,
    body: Buffer.from('{"note":"0711223344"}'),
  };
  it.each<[string, Partial<HttpExchange>]>([
    ["the query", { url: "https://api.test/?msisdn=0711223344", answer: shown }],
    ["the request", { body: Buffer.from('{"msisdn":"0711223344"}'), answer: shown }],
    ["a header", { headers: [["X-Msisdn", "+2250711223344"]], answer: shown }],
    [
      "the answer",
      {
        body: Buffer.from('{"reference":"sal-0711223344"}'),
        answer: { ...shown, body: Buffer.from('{"recipientMsisdn":"+2250711223344"}') },
      },
    ],
  ])("hides a phone number in all parts of the exchange in which first %s shows it", (_, given) => {
    const redact = createExchangeRedactor({ ...redactOptions, fields: ["msisdn"] });
    const text = renderHarEntry(redact({ ...exchange, headers: [], body: undefined, ...given }, "service"));
    expect(text).not.toContain("0711223344");
  });

  it.each([
    '"123"',
    '"20261"',
    '" 0711223344"',
    '"+225 07 11 22 33 44"',
    '"01234567890123456789"',
    "2250711223344",
    "711223344",
  ])("keeps the form of %s, which the service may refuse", (value) => {
    const redact = createExchangeRedactor({ ...redactOptions, fields: ["msisdn"] });
    const body = textOf(redact({ ...exchange, body: Buffer.from(`{"msisdn":${value}}`) }, "service").body);
    const form = (text: string) => text.replaceAll(/\d/g, "0");
    expect(form(body)).toBe(form(`{"msisdn":${value}}`));
    expect(body).not.toContain(value);
  });

  it.each<[string, string]>([
    ["a bare token", "live_6f1c0e2b9d"],
    ["another scheme", "Token live_6f1c0e2b9d"],
    ["two words", "Bearer live_6f1c0e2b9d please"],
    ["a tab", "Bearer\tlive_6f1c0e2b9d"],
    ["the scheme twice", "Bearer Bearer live_6f1c0e2b9d"],
    ["quotes", 'Bearer "live_6f1c0e2b9d"'],
    ["Basic", `Basic ${Buffer.from("shop:live_6f1c0e2b9d").toString("base64")}`],
  ])("hides a token that the service repeats, of an Authorization with %s", (_, authorization) => {
    const body = Buffer.from('{"message":"live_6f1c0e2b9d is not a token"}');
    const headers = [["Authorization", authorization]] as const;
    const redact = createExchangeRedactor(redactOptions);
    const text = renderHarEntry(
      redact({ ...exchange, headers, answer: { status: 401, headers: [], body } }, "service"),
    );
    expect(text).not.toContain("live_6f1c0e2b9d");
  });

  it.each<[string, Partial<HttpExchange>]>([
    ["X-Api-Key", { headers: [["X-Api-Key", "live_6f1c0e2b9d"]] }],
    ["a cookie", { headers: [["Cookie", "a=b; session=live_6f1c0e2b9d"]] }],
    ["a query", { url: "https://api.test/v1/balance?access_token=live_6f1c0e2b9d" }],
  ])("hides the credentials of %s", (_, given) => {
    const body = Buffer.from('{"message":"live_6f1c0e2b9d is unknown"}');
    const answer = { status: 401, headers: [], body };
    const text = renderHarEntry(createExchangeRedactor(redactOptions)({ ...exchange, ...given, answer }, "service"));
    expect(text).not.toContain("live_6f1c0e2b9d");
  });

  it.each<[string, Partial<HttpExchange>]>([
    [
      "an issued token",
      {
        body: undefined,
        answer: { status: 200, headers: [], body: Buffer.from('{"access_token":"live_6f1c0e2b9d"}') },
      },
    ],
    ["a secret that buys one", { body: Buffer.from('{"grant":{"clientSecret":"live_6f1c0e2b9d"}}') }],
    ["a form", { body: Buffer.from("grant_type=password&password=live_6f1c0e2b9d") }],
    ["a query", { url: "https://api.test/v1/balance?apiKey=live_6f1c0e2b9d" }],
    ["a header", { headers: [["Ocp-Apim-Subscription-Key", "live_6f1c0e2b9d"]] }],
  ])("hides a credential by its name, in %s", (_, given) => {
    const text = renderHarEntry(createExchangeRedactor(redactOptions)({ ...exchange, ...given }, "service"));
    expect(text).not.toContain("live_6f1c0e2b9d");
  });

  it("keeps what only looks like the name of a credential", () => {
    const headers = [["Idempotency-Key", "order-1"]] as const;
    const body = Buffer.from('{"tokens":50.5,"monkey":"a","message":"no access token"}');
    expect(createExchangeRedactor(redactOptions)({ ...exchange, headers, body }, "service")).toMatchObject({
      headers,
      body,
    });
  });

  it("hides named parameters of a query, also of numbers that no body has", () => {
    const redact = createExchangeRedactor({ ...redactOptions, fields: ["msisdn", "Name"] });
    const url = "https://api.test/v1/transactions/customers/check?a=%20b&msisdn=%2B2250711223344&NAME=Awa&msisdn=1";
    const asked = redact({ ...exchange, url, body: undefined, answer: undefined }, "service").url;
    expect(asked).toMatch(/\/check\?a=%20b&msisdn=%2B22599\d{8}&NAME=(?:%5B)?redacted(?:%5D)?&msisdn=\d$/);
    const { msisdn } = JSON.parse(textOf(redact(exchange, "service").body));
    expect(new URL(asked).searchParams.get("msisdn")).toBe(msisdn);
  });

  it("hides a body whole that is nested too deep to look for named fields, and leaves an empty one", () => {
    const redact = createExchangeRedactor({ ...redactOptions, fields: ["name"] });
    const deep = Buffer.from(`${'{"name":"Awa","in":['.repeat(20_000)}1${"]}".repeat(20_000)}`);
    const { body, answer } = redact(
      { ...exchange, body: Buffer.alloc(0), answer: { ...exchange.answer!, body: deep } },
      "service",
    );
    expect([textOf(body), textOf(answer?.body)]).toEqual(["", "[redacted]"]);
  });

  it.each([
    ["valid", '{"msisdn":"+2250711223344","note":"sk_1","name":"Awa"}', redactOptions.secretKey],
    ["invalid", "{}", redactOptions.secretKey],
    ["unverified", "{}", undefined],
  ])("keeps the verdict of a signature: %s", async (verdict, body, secretKey) => {
    const { signBody } = await import("../../src/domain/deliveries/sign-delivery.js");
    const signature = signBody(Buffer.from(exchange.body!), "sk_1");
    const webhook = { ...exchange, headers: [["X-Service-Hmac-Sha256", signature]] as const, body: Buffer.from(body) };
    const redacted = createExchangeRedactor({ ...redactOptions, secretKey })(webhook, "receiver");
    expect(redacted).toMatchObject({ signature: verdict, headers: [["X-Service-Hmac-Sha256", "[redacted]"]] });
    expect(createExchangeRedactor(redactOptions)({ ...webhook, headers: [] }, "receiver").signature).toBe("missing");
  });
});
