import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { createDeferred } from "../../src/kernel/events.js";
import { createFakeSystem } from "../support/fake-system.js";
import { type Live, startLive } from "../support/live.js";
import { startReceiver } from "../support/receiver.js";
import { startRawReceiver } from "../support/raw-receiver.js";

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/** Pays one charge and returns the outcome of its one attempt. */
async function deliverTo(url: string, webhooks: Record<string, string | number | boolean> = {}) {
  const live = await startLive({ profile: { webhooks: { retry: "none", ...webhooks } } });
  await live.subscribe("charges/events", url);
  await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
  expect(await live.settle()).toEqual([]);
  return { live, ...outcomeOf(live) };
}

function outcomeOf(live: Live) {
  const [delivery] = live.deliveries();
  return { status: delivery?.status, attempts: delivery?.attempts.length, attempt: delivery?.attempts[0] };
}

describe("only 2xx is success", () => {
  it.each([200, 201, 202, 204, 206, 299])("%i is", async (status) => {
    const receiver = await startReceiver({ status });
    const { attempt, ...delivery } = await deliverTo(receiver.url);
    expect(delivery).toMatchObject({ status: "succeeded", attempts: 1 });
    expect(attempt).toMatchObject({ status, error: null });
  });

  it.each([300, 304, 400, 401, 404, 409, 410, 429, 500, 502, 503, 599])("%i is not", async (status) => {
    const receiver = await startReceiver({ status });
    const { attempt, ...delivery } = await deliverTo(receiver.url);
    expect(delivery).toMatchObject({ status: "exhausted", attempts: 1 });
    expect(attempt).toMatchObject({ status, error: expect.stringContaining(`status ${status} is not`) });
  });

  it.each([301, 302, 303, 307, 308])("a redirect (%i) is a failure and is not followed", async (status) => {
    const elsewhere = await startReceiver();
    const receiver = await startReceiver({ status, headers: { location: elsewhere.url } });
    const { attempt, ...delivery } = await deliverTo(receiver.url);
    expect(delivery).toMatchObject({ status: "exhausted", attempts: 1 });
    expect(attempt).toMatchObject({ status, error: `redirect: status ${status} is not followed` });
    expect(elsewhere.received).toEqual([]);
  });
});

describe("a receiver that is down, slow, or answers garbage", () => {
  const everySecond = (answer: (socket: Socket) => void) => (socket: Socket, index: number) =>
    index % 2 === 0 ? answer(socket) : socket.write(OK);

  const writeAndEnd = (text: string) => (socket: Socket) => void socket.end(text);

  it.each<[string, (socket: Socket) => void, RegExp]>([
    ["resets the connection", (socket) => void socket.resetAndDestroy(), /^ECONNRESET/],
    ["closes without an answer", (socket) => void socket.end(), /^ECONNRESET: socket hang up/],
    ["answers garbage", writeAndEnd("\u0000\u0001garbage\r\n\r\n"), /^HPE_INVALID_CONSTANT: .*Expected HTTP/],
    ["answers as HTTP/0.9 did", writeAndEnd("<html>hello</html>"), /^HPE_INVALID_CONSTANT: .*Expected HTTP/],
    ["answers an impossible status", writeAndEnd("HTTP/1.1 99999 What\r\n\r\n"), /^HPE_INVALID_STATUS/],
    ["closes in the middle of the headers", writeAndEnd("HTTP/1.1 200 OK\r\nContent-Le"), /^ECONNRESET/],
    [
      "closes in the middle of the body",
      writeAndEnd("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"),
      /^ECONNRESET: aborted/,
    ],
    [
      "breaks its chunks",
      writeAndEnd("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello\r\n"),
      /^HPE_INVALID_CHUNK_SIZE/,
    ],
    [
      "claims two lengths",
      writeAndEnd("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok"),
      /^HPE_UNEXPECTED_CONTENT_LENGTH/,
    ],
    [
      "sends 64 KiB of headers",
      writeAndEnd(`HTTP/1.1 200 OK\r\nX-Big: ${"x".repeat(65_536)}\r\n\r\n`),
      /^HPE_HEADER_OVERFLOW/,
    ],
    ["switches protocols", writeAndEnd("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"), /status 101/],
    ["only ever says continue", writeAndEnd("HTTP/1.1 100 Continue\r\n\r\n"), /^ECONNRESET: socket hang up/],
  ])("that %s is a failed attempt, and the next one is made", async (_, answer, error) => {
    const receiver = await startRawReceiver(everySecond(answer));
    const { live, attempt, ...delivery } = await deliverTo(receiver.url, { retry: "fast" });
    expect(delivery).toEqual({ status: "pending", attempts: 1 });
    expect(attempt?.error).toMatch(error);
    await live.advance("100ms");
    expect(live.deliveries()[0]).toMatchObject({
      status: "succeeded",
      attempts: [attempt, { status: 200, error: null }],
    });
  });

  it.each<[string, string]>([
    ["hangs", ""],
    ["hangs after half the headers", "HTTP/1.1 200 OK\r\nContent-"],
    ["hangs after half an answer", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"],
  ])("that %s is a failed attempt at the time-out, and the next one is made", async (_, text) => {
    const system = createFakeSystem();
    const live = await startLive({ system });
    const receiver = await startRawReceiver(everySecond((socket) => socket.write(text)));
    await live.subscribe("charges/events", receiver.url);
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await receiver.waitFor(1);
    system.pass(10_000);
    expect(await live.settle()).toEqual([]);
    expect(outcomeOf(live)).toMatchObject({ status: "pending", attempt: { latencyMs: 10_000 } });
    expect(outcomeOf(live).attempt?.error).toBe("timeout: no complete answer within 10000 ms");
    await live.advance("10s");
    expect(live.deliveries()[0]?.status).toBe("succeeded");
  });

  it("that switches protocols and stays connected is cut off, so that the sandbox can end", async () => {
    const cut = createDeferred();
    const receiver = await startRawReceiver((socket) => {
      socket.on("close", () => cut.resolve());
      socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n");
    });
    const { attempt } = await deliverTo(receiver.url);
    expect(attempt?.error).toBe("status 101 cannot be that of an answer");
    await cut.promise;
  });

  it("that never ends its answer fails at the time-out, and the received part is kept", async () => {
    const timers: NodeJS.Timeout[] = [];
    const receiver = await startRawReceiver((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Mood: chatty\r\n\r\n");
      const timer = setInterval(() => socket.write("5\r\nhello\r\n"), 10);
      timers.push(timer);
      socket.on("close", () => clearInterval(timer));
    });
    const { attempt } = await deliverTo(receiver.url, { timeout: "500ms" });
    expect(attempt).toMatchObject({ status: 200, error: "timeout: no complete answer within 500 ms" });
    expect(attempt?.response).toMatchObject({
      headers: { "x-mood": "chatty" },
      body: expect.stringMatching(/^(hello)*$/),
    });
    for (const timer of timers) clearInterval(timer);
  });

  it("that never ends its answer takes neither memory nor time", async () => {
    const receiver = await startRawReceiver((socket) => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      const flood = (): void => {
        while (!socket.destroyed && socket.write(Buffer.alloc(65_536, "x")));
      };
      socket.on("drain", flood);
      flood();
    });
    const { status, attempt } = await deliverTo(receiver.url);
    expect(status).toBe("succeeded");
    expect(attempt?.response?.body).toHaveLength(4_096);
  });

  it("that is down refuses the connection", async () => {
    const gone = await startReceiver();
    await gone.close();
    const { attempt, status } = await deliverTo(gone.url);
    expect(status).toBe("exhausted");
    expect(attempt).toMatchObject({ status: null, response: null, error: expect.stringMatching(/^ECONNREFUSED/) });
  });

  it("that does not exist has an unknown name", async () => {
    const { attempt } = await deliverTo("http://no-such-host.invalid/hook");
    expect(attempt).toMatchObject({ status: null, error: expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)/) });
  });

  it("that speaks HTTP/1.0 without keep-alive is served", async () => {
    const receiver = await startRawReceiver((socket) => void socket.end("HTTP/1.0 200 OK\r\n\r\nfine"));
    const { live, attempt } = await deliverTo(receiver.url);
    expect(attempt).toMatchObject({ status: 200, error: null, response: { body: "fine" } });
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await live.settle();
    expect(live.deliveries()[1]?.status).toBe("succeeded");
  });

  it("that sends early hints first is served", async () => {
    const receiver = await startRawReceiver((socket) => {
      socket.write(`HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${OK}`);
    });
    expect((await deliverTo(receiver.url)).attempt).toMatchObject({ status: 200, error: null });
  });

  it("that closes each connection without notice gets every event once", async () => {
    const receiver = await startRawReceiver((socket) => void socket.end(OK));
    const live = await startLive();
    await live.subscribe("charges/events", receiver.url);
    const { id } = await live.createCharge({ amount: 100 });
    await live.ok("POST", `/v1/charges/${id}/pay`);
    for (let n = 0; n < 20; n++) await live.ok("POST", `/v1/charges/${id}/refund`, { amount: 1 });
    await live.settle();
    expect(live.deliveries().map(({ status }) => status)).toEqual(Array<string>(21).fill("succeeded"));
    expect(receiver.received).toHaveLength(21);
  });

  it("does not slow the API when every receiver hangs", async () => {
    const live = await startLive();
    const receiver = await startReceiver("hang");
    for (let n = 0; n < 3; n++) await live.subscribe("charges/events", receiver.url);
    for (let n = 0; n < 50; n++) {
      const { id } = await live.createCharge();
      expect((await live.ok("POST", `/v1/charges/${id}/pay`)).status).toBe("paid");
    }
    await receiver.waitFor(64);
    expect(live.deliveries().every(({ status, attempts }) => status === "pending" && attempts.length === 0)).toBe(true);
    expect((await live.http("GET", "/v1/balance")).status).toBe(200);
  });
});

describe("webhooks.timeout is real time, the gaps of webhooks.retry are the company's", () => {
  it("a time-out on a frozen clock moves no time, and its retry waits for the clock", async () => {
    const live = await startLive({ profile: { webhooks: { timeout: "20ms" } } });
    await live.receiverFor("charges/events", "hang");
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    await live.settle();
    const at = live.company.now();
    expect(live.deliveries()[0]).toMatchObject({
      status: "pending",
      attempts: [{ at, status: null, response: null, error: "timeout: no complete answer within 20 ms" }],
      nextAttemptAt: at + 10_000,
    });
    await live.advance("1d");
    expect(live.deliveries()[0]).toMatchObject({ status: "exhausted" });
    expect(live.deliveries()[0]?.attempts).toHaveLength(6);
  });

  it("on a running clock the gap is counted from the end of the attempt", async () => {
    const system = createFakeSystem();
    const live = await startLive({ system, clock: "running" });
    const receiver = await live.receiverFor("charges/events", (_, index) => (index === 0 ? "hang" : {}));
    await live.ok("POST", `/v1/charges/${(await live.createCharge()).id}/pay`);
    const at = live.company.now();
    await receiver.waitFor(1);
    system.pass(10_000);
    await live.until(() => live.deliveries()[0]?.attempts.length === 1);
    expect(live.deliveries()[0]).toMatchObject({ attempts: [{ at, latencyMs: 10_000 }], nextAttemptAt: at + 20_000 });
    system.pass(10_000);
    await live.until(() => live.deliveries()[0]?.status === "succeeded");
    expect(live.deliveries()[0]?.attempts[1]?.at).toBe(at + 20_000);
  });

  it.each([
    ["none", 1],
    [["1s"], 2],
    ["fast", 6],
    ["realistic", 9],
  ])("webhooks.retry %j makes %i attempts", async (retry, attempts) => {
    const live = await startLive({ profile: { webhooks: { retry } } });
    const receiver = await live.receiverFor("charges/events", { status: 500 });
    await live.createCharge();
    await live.advance("30d");
    expect(receiver.received).toHaveLength(attempts);
    expect(live.deliveries()[0]?.status).toBe("exhausted");
  });
});
