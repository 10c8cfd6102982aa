import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { brotliCompressSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import type { HttpExchange } from "../../src/adapters/har/http-exchange.js";
import { startRecordingProxy } from "../../src/calibration/proxy/recording-proxy.js";
import { createExchangeRedactor } from "../../src/calibration/proxy/redact-exchange.js";
import type { Side } from "../../src/calibration/proxy/side.js";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { listen } from "../support/listen.js";
import { connectTo, sendRaw } from "../support/raw-http.js";
import { startReceiver } from "../support/receiver.js";

async function startProxy(target: string, webhooksTo?: string) {
  const recorded: { exchange: HttpExchange; side: Side }[] = [];
  const waiting: (() => void)[] = [];
  const proxy = await startRecordingProxy({
    target: new URL(target),
    webhooksTo: webhooksTo === undefined ? undefined : new URL(webhooksTo),
    host: "127.0.0.1",
    port: 0,
    system: systemClock,
    onExchange(exchange, side) {
      recorded.push({ exchange, side });
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
    expect(exchange!.comment).toBe("a body is cut: it has more than 8 MiB");
    expect([exchange!.body?.length, exchange!.answer?.body.length]).toEqual([8 * 1024 * 1024, 8 * 1024 * 1024]);
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

  it("a client that leaves", async () => {
    const service = await startReceiver("hang");
    const proxy = await startProxy(service.origin);
    const client = await connectTo(proxy.url);
    client.write("GET /v1/balance HTTP/1.1\r\nhost: x\r\n\r\n");
    await service.waitFor(1);
    client.destroy();
    const [exchange] = await proxy.waitFor(1);
    expect(exchange).toMatchObject({ method: "GET", answer: undefined });
    await service.disconnected();
  });

  it.each(["GET http://169.254.169.254/latest HTTP/1.1", "GET //169.254.169.254/latest HTTP/1.1"])(
    "a request line that names another host: %s",
    async (line) => {
      const service = await startReceiver();
      const proxy = await startProxy(service.origin);
      await sendRaw(proxy.url, [`${line}\r\nhost: 169.254.169.254\r\nconnection: close\r\n\r\n`]);
      expect(service.received).toHaveLength(1);
      expect(service.received[0]!.headers.host).toBe(new URL(service.origin).host);
    },
  );

  it("an upgrade and CONNECT are refused", async () => {
    const service = await startReceiver();
    const proxy = await startProxy(service.origin);
    const upgrade = "GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n";
    expect((await sendRaw(proxy.url, [upgrade])).status).toBe(501);
    const client = await connectTo(proxy.url);
    client.write("CONNECT example.test:443 HTTP/1.1\r\nhost: x\r\n\r\n");
    client.resume();
    await once(client, "close");
    expect(service.received).toHaveLength(0);
  });
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
  const options = { secretKey: "sk_1", signatureHeader: "x-service-hmac-sha256", fields: [] };

  it("hides the token, the secret key and cookies, wherever they stand", () => {
    const redacted = createExchangeRedactor(options)(exchange, "service");
    const text = JSON.stringify({ ...redacted, body: textOf(redacted.body), answer: textOf(redacted.answer?.body) });
    expect(text).not.toMatch(/at_1|sk_1|session/);
    expect(JSON.parse(textOf(redacted.body))).toEqual({ msisdn: "+2250711223344", note: "[redacted]", name: "Awa" });
  });

  it("hides named fields; a phone number becomes one pseudonym, and test numbers stay", () => {
    const redact = createExchangeRedactor({ ...options, fields: ["msisdn", "Name"] });
    const first = redact(exchange, "service");
    const { msisdn, name } = JSON.parse(textOf(first.body));
    expect([msisdn, name]).toEqual([expect.stringMatching(/^\+22599\d{8}$/), "[redacted]"]);
    const [row] = JSON.parse(textOf(first.answer?.body)).data;
    expect(row).toEqual({ msisdn: msisdn.slice(1), test: { msisdn: "+2250700000001" } });
    const again = redact({ ...exchange, url: "https://api.test/v1/customers?msisdn=%2B2250711223344" }, "service");
    expect(JSON.parse(textOf(again.body)).msisdn).toBe(msisdn);
    expect(again.url).not.toContain("0711223344");
  });

  it.each([
    ["valid", '{"msisdn":"+2250711223344","note":"sk_1","name":"Awa"}', options.secretKey],
    ["invalid", "{}", options.secretKey],
    ["unverified", "{}", undefined],
  ])("keeps the verdict of a signature: %s", async (verdict, body, secretKey) => {
    const { signBody } = await import("../../src/domain/deliveries/sign-delivery.js");
    const signature = signBody(Buffer.from(exchange.body!), "sk_1");
    const webhook = { ...exchange, headers: [["X-Service-Hmac-Sha256", signature]] as const, body: Buffer.from(body) };
    const redacted = createExchangeRedactor({ ...options, secretKey })(webhook, "receiver");
    expect(redacted).toMatchObject({ signature: verdict, headers: [["X-Service-Hmac-Sha256", "[redacted]"]] });
    expect(createExchangeRedactor(options)({ ...webhook, headers: [] }, "receiver").signature).toBe("missing");
  });
});
