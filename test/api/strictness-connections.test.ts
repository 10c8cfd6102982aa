import { once } from "node:events";
import { STATUS_CODES } from "node:http";
import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createApp } from "../../src/http/server/app.js";
import { serve, type ServeOptions } from "../../src/http/server/listen.js";
import { selfSigned } from "../support/self-signed.js";
import { useWorlds } from "../support/describe-api.js";
import { connectTo, sendAllThenRead, sendRaw } from "../support/raw-http.js";
import { chargeRequest } from "../support/requests.js";
import { anError } from "../support/shapes.js";
import { WORLD_START } from "../support/world.js";

/** Requests that a proxy and a server could read differently, bytes that are not a request, and clients that are too slow. */
const open = useWorlds();
const credentials = "connection: close\r\nauthorization: Bearer at_sandbox\r\nx-company-id: company_sandbox\r\n";
const host = "host: sandbox.test\r\n";
const post = `POST /v1/charges HTTP/1.1\r\n${host}${credentials}`;
const get = `GET /v1/balance HTTP/1.1\r\n${host}${credentials}`;

/** Serves the app of a world with other limits. */
async function listen(limits: ServeOptions["limits"] = {}, options: Parameters<typeof open>[0] = {}) {
  const world = await open(options);
  const server = await serve(createApp(world.sandbox), { port: 0, host: "127.0.0.1", limits });
  onTestFinished(async () => {
    server.cutOff();
    await server.close();
  });
  return { ...world, url: server.url };
}

/** The body of every refusal: the path is unknown, and the request's bytes are not repeated. */
const refusal = (status: number, message: unknown) => ({
  ...anError(status, "/", [message], WORLD_START),
  error: `${STATUS_CODES[status]} Exception`,
});
const noRequest = expect.stringMatching(/^This is not an HTTP\/1\.1 request: [\w -]/);

describe("an ambiguous request", () => {
  it.each([
    ["two lengths", `${post}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`],
    ["the same length twice", `${post}content-length: 2\r\ncontent-length: 2\r\n\r\n{}`],
    ["a list of lengths", `${post}content-length: 2, 2\r\n\r\n{}`],
    ["a length beside chunks", `${post}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`],
    ["chunks beside a length", `${post}transfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n0\r\n\r\n`],
    ["a length with a sign", `${post}content-length: +2\r\n\r\n{}`],
    ["a negative length", `${post}content-length: -1\r\n\r\n{}`],
    ["a hexadecimal length", `${post}content-length: 0x2\r\n\r\n{}`],
    ["a length beyond 64 bits", `${post}content-length: 99999999999999999999\r\n\r\n{}`],
    ["chunks in HTTP/1.0", `${post.replace("1.1", "1.0")}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    [
      "chunks in HTTP/1.0 that keeps the connection",
      `${get.replace("1.1", "1.0").replace("connection: close", "connection: keep-alive")}transfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ["a space before the colon", `${post}transfer-encoding : chunked\r\n\r\n0\r\n\r\n`],
    ["an encoding that is not the last", `${post}transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
    ["an unknown encoding", `${post}transfer-encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ["chunked twice", `${post}transfer-encoding: chunked\r\ntransfer-encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ["an invalid chunk size", `${post}transfer-encoding: chunked\r\n\r\nzz\r\n{}`],
    ["a chunk size with a sign", `${post}transfer-encoding: chunked\r\n\r\n+2\r\n{}\r\n0\r\n\r\n`],
    ["a chunk size beyond 64 bits", `${post}transfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}`],
    ["a chunk that is longer than it says", `${post}transfer-encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n`],
    ["a bare line feed after a chunk size", `${post}transfer-encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n`],
    ["a folded header", `${get}x: a\r\n  transfer-encoding: chunked\r\n\r\n`],
    ["bare line feeds", get.replaceAll("\r\n", "\n") + "\n"],
    ["a bare carriage return", `${get}x: a\rcontent-length: 2\r\n\r\n`],
    ["a header without a name", `${get}: x\r\n\r\n`],
    ["a NUL in a header", `${get}x: a\u0000b\r\n\r\n`],
    ["a NUL in the path", `GET /v1/\u0000 HTTP/1.1\r\n${host}${credentials}\r\n`],
    ["a space in the path", `GET /v1/charges/a b HTTP/1.1\r\n${host}${credentials}\r\n`],
    ["no host", `GET /v1/balance HTTP/1.1\r\n${credentials}\r\n`],
    ["two hosts", `GET /v1/balance HTTP/1.1\r\nhost: localhost\r\n${host}${credentials}\r\n`],
    ["a host with a user", `GET /v1/balance HTTP/1.1\r\nhost: user@localhost\r\n${credentials}\r\n`],
    ["a host with a path", `GET /v1/balance HTTP/1.1\r\nhost: localhost/x\r\n${credentials}\r\n`],
    ["an invalid host", `GET /v1/balance HTTP/1.1\r\nhost: a b/c\r\n${credentials}\r\n`],
    ["a host that ends like an address", `GET /v1/balance HTTP/1.1\r\nhost: 1.2.3.4.5\r\n${credentials}\r\n`],
    [
      "a host that ends like an address, and the control API",
      `GET /_sandbox/clock HTTP/1.1\r\nhost: 1.2.3.4.5:4010\r\n${credentials}\r\n`,
    ],
    ["a target without a path", `OPTIONS * HTTP/1.1\r\n${host}${credentials}\r\n`],
    ["another protocol", "hello\r\n\r\n"],
    ["TLS", "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003\r\n\r\n"],
    ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["HTTP/3.7", `GET /v1/balance HTTP/3.7\r\n${host}\r\n`],
  ])("(%s) is 400 with the error body", async (_, request) => {
    const { url, api } = await listen();
    const answer = await sendRaw(url, [request]);
    expect(answer.status).toBe(400);
    expect(answer.headers["connection"]).toBe("close");
    expect(JSON.parse(answer.body)).toEqual(refusal(400, noRequest));
    expect((await api("GET", "/v1/charges")).status).toBe(405);
  });

  it("ends its connection: what follows it is not read", async () => {
    const { url, sandbox } = await listen();
    const hidden = `POST /_sandbox/reset HTTP/1.1\r\nhost: localhost\r\n\r\n`;
    const seen: string[] = [];
    onTestFinished(sandbox.events.on("exchange", ({ exchange }) => seen.push(exchange.path)));
    const { body } = await sendRaw(url, [
      `${post}content-length: 0\r\ncontent-length: ${hidden.length}\r\n\r\n${hidden}`,
    ]);
    expect(body.match(/statusCode/g)).toHaveLength(1);
    expect(seen).toEqual([]);
  });

  it("behind a valid request is refused after the answer to that", async () => {
    const { url } = await listen();
    const kept = get.replace("connection: close\r\n", "");
    const { status, body } = await sendRaw(url, [`${kept}\r\nhello\r\n\r\n`]);
    expect(status).toBe(200);
    expect(body).toMatch(/^{"balance":10000000,"currency":"XOF"}HTTP\/1\.1 400 [^]*"statusCode":400/);
  });

  it("that goes on in pieces is refused once, while the answer before it is under way", async () => {
    const { url } = await listen();
    const warnings: string[] = [];
    const note = ({ message }: Error): void => void warnings.push(message);
    process.on("warning", note);
    onTestFinished(() => void process.off("warning", note));
    const socket = await connectTo(url);
    onTestFinished(() => void socket.destroy());
    socket.write("GET /_sandbox/stream HTTP/1.1\r\nhost: localhost\r\n\r\n");
    for (let piece = 0; piece < 12; piece++) {
      socket.write("hello\r\n\r\n");
      expect((await fetch(`${url}/_sandbox/health`)).status).toBe(200);
    }
    // Of Node, about 11 listeners that wait for the end of one answer.
    expect(warnings).toEqual([]);
  });

  it("after a request with `Connection: close` gets no answer", async () => {
    const { url } = await listen();
    const { body } = await sendRaw(url, [`${get}\r\nGET /v1/nope HTTP/1.1\r\n${host}\r\n`]);
    expect(body).toBe('{"balance":10000000,"currency":"XOF"}');
  });

  it("many requests in one write warn about nothing", async () => {
    const { url } = await listen();
    const warnings: Error[] = [];
    const warn = (warning: Error): void => void warnings.push(warning);
    process.on("warning", warn);
    onTestFinished(() => void process.off("warning", warn));
    const kept = get.replace("connection: close\r\n", "");
    const { body } = await sendRaw(url, [`${`${kept}\r\n`.repeat(20)}${get}\r\n`]);
    expect(body.match(/HTTP\/1\.1 200/g)).toHaveLength(20);
    expect(warnings).toEqual([]);
  });

  it("is refused in the shape of the profile", async () => {
    const { url } = await listen({}, { profile: { errors: { shape: "message" } } });
    const { body } = await sendRaw(url, ["hello\r\n\r\n"]);
    expect(JSON.parse(body)).toEqual({ message: noRequest });
  });
});

describe("an unusual but valid request", () => {
  it.each([
    ["HTTP/1.0 without a host", `GET /v1/balance HTTP/1.0\r\n${credentials}\r\n`],
    ["an empty host", `GET /v1/balance HTTP/1.1\r\nhost:\r\n${credentials}\r\n`],
    ["an unknown expectation", `${get}expect: a miracle\r\n\r\n`],
    ["the wish to speak another protocol", `${get}upgrade: websocket\r\n\r\n`],
    ["empty lines before it", `\r\n\r\n${get}\r\n`],
  ])("%s", async (_, request) => {
    const { url } = await listen();
    expect((await sendRaw(url, [request])).status).toBe(200);
  });

  it("CONNECT behind a request without a complete answer closes the connection, and ends the work for it", async () => {
    const { url } = await listen();
    for (let stream = 0; stream < 101; stream++) {
      const socket = await connectTo(url);
      onTestFinished(() => void socket.destroy());
      socket.write("GET /_sandbox/stream HTTP/1.1\r\nhost: localhost\r\n\r\n");
      const [head] = (await once(socket, "data")) as [Buffer];
      expect(String(head)).toMatch(/^HTTP\/1\.1 200 /);
      socket.write("CONNECT x:80 HTTP/1.1\r\nhost: x\r\n\r\n");
      await once(socket.resume(), "close");
    }
  });

  it("CONNECT opens no tunnel", async () => {
    const { url } = await listen();
    const answer = await sendRaw(url, ["CONNECT 169.254.169.254:80 HTTP/1.1\r\nhost: x\r\n\r\n"]);
    expect(answer.status).toBe(405);
    expect(JSON.parse(answer.body)).toEqual(refusal(405, "CONNECT is not a method of this sandbox: it is not a proxy"));
  });
});

describe("the request line and the headers", () => {
  const message = "The request line and headers must be at most 16384 bytes";

  it.each([
    ["a long path", `GET /${"a".repeat(16_384)} HTTP/1.1\r\n${host}\r\n`],
    ["a long query", `GET /v1/balance?${"a=1&".repeat(4_096)} HTTP/1.1\r\n${host}\r\n`],
    ["a long header", `${get}x: ${"x".repeat(16_384)}\r\n\r\n`],
    ["a header without end", `${get}x: ${"x".repeat(20_000)}`],
  ])("are bounded: %s is 431", async (_, request) => {
    const { url } = await listen();
    const answer = await sendRaw(url, [request]);
    expect(answer.status).toBe(431);
    expect(JSON.parse(answer.body)).toEqual(refusal(431, message));
  });

  it("are at most 1000", async () => {
    const { url } = await listen();
    const withHeaders = (count: number): string => `${get}${"x: y\r\n".repeat(count - 4)}\r\n`;
    expect((await sendRaw(url, [withHeaders(1_000)])).status).toBe(200);
    const { status, body } = await sendRaw(url, [withHeaders(1_001)]);
    expect(status).toBe(431);
    expect(JSON.parse(body)).toEqual(refusal(431, "A request must have at most 1000 headers"));
  });

  it("are discarded for a while when too large, so that a client that writes first reads the answer", async () => {
    const { url } = await listen();
    const { status } = await sendAllThenRead(url, [
      get,
      ...Array.from({ length: 40 }, () => `x: ${"x".repeat(25_000)}\r\n`),
    ]);
    expect(status).toBe(431);
  });
});

describe("a slow client", () => {
  const limits = { headersMs: 60, requestMs: 120, checkMs: 10 };
  const message = "The request did not arrive in time: 60 ms for its headers, 120 ms for all of it";

  it.each([
    ["in the middle of its headers", get],
    ["after its first byte", "G"],
    ["before its first byte", ""],
    ["in the middle of its body", `${post}content-type: application/json\r\ncontent-length: 100\r\n\r\n{"amo`],
    ["in the middle of a chunk", `${post}content-type: application/json\r\ntransfer-encoding: chunked\r\n\r\nff\r\n{`],
  ])("is 408 when it stops %s", async (_, request) => {
    const { url } = await listen(limits);
    const answer = await sendRaw(url, [request]);
    expect(answer.status).toBe(408);
    expect(JSON.parse(answer.body)).toEqual(refusal(408, message));
  });

  it("is 408 even when it keeps sending a little", async () => {
    const { url } = await listen(limits);
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    let text = "";
    const dripping = setInterval(() => socket.writable && socket.write("x: y\r\n"), 5);
    onTestFinished(() => clearInterval(dripping));
    socket.write("GET /v1/balance HTTP/1.1\r\n");
    await new Promise<void>((resolve) => {
      socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
      socket.on("error", () => undefined);
      socket.on("close", () => resolve());
    });
    expect(text).toMatch(/^HTTP\/1\.1 408 /);
  });

  it("does not block other clients, and its request is not executed", async () => {
    const { url, api, sandbox } = await listen(limits);
    const body = JSON.stringify(chargeRequest());
    const slow = sendRaw(url, [
      `${post}content-type: application/json\r\ncontent-length: ${body.length + 1}\r\n\r\n${body}`,
    ]);
    expect((await api("GET", "/v1/balance")).status).toBe(200);
    expect((await slow).status).toBe(408);
    expect(sandbox.defaultCompany.world.charges.size).toBe(0);
  });

  it("is not one whose requests wait for the answers to earlier ones of its connection", async () => {
    const { url, control } = await listen(limits);
    expect((await control("POST", "/rules", { on: "request", then: { delay: 20 } })).status).toBe(201);
    const kept = get.replace("connection: close\r\n", "");
    const { body } = await sendRaw(url, [`${`${kept}\r\n`.repeat(20)}${get}\r\n`]);
    expect(body.match(/HTTP\/1\.1 200/g)).toHaveLength(20);
  });

  it("may wait longer for its answer than it may take for its request", async () => {
    const { url, control } = await listen(limits);
    expect((await control("POST", "/rules", { on: "request", then: { delay: 300 } })).status).toBe(201);
    expect((await sendRaw(url, [`${get}\r\n`])).status).toBe(200);
  });
});

describe("a server that stops", () => {
  it.each([
    ["has sent nothing", undefined],
    ["has begun no TLS handshake", selfSigned],
  ])("does not wait for a connection that %s", async (_, tls) => {
    const { sandbox } = await open();
    const server = await serve(createApp(sandbox), { port: 0, host: "127.0.0.1", tls });
    const socket = connect(server.port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    const closed = new Promise((resolve) => socket.on("error", () => undefined).once("close", resolve));
    await once(socket.resume(), "connect");
    await server.close();
    await closed;
    expect(socket.bytesRead).toBe(0);
  });
});
