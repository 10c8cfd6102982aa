import { createServer as createTcpServer } from "node:net";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../src/kernel/time/system-clock.js";
import { auditReceiver, mistakesIn, verdictsOf } from "../support/audits.js";
import { listen, serveHttp } from "../support/listen.js";
import { HEADER, isGenuine, sound, startReceiver, stillSystem, take } from "./receivers.js";

describe("a body that arrives in pieces", () => {
  it("reports a receiver that treats the first piece as the whole body", async () => {
    const url = await serveHttp((request, response) => {
      request.once("data", (body: Buffer) => {
        response.writeHead(isGenuine(body, request.headers[HEADER]) ? take(body) : 401).end();
      });
      request.once("end", () => response.headersSent || response.writeHead(401).end());
    });
    const only = ["valid-event", "slow-sender", "split-character"];
    expect(mistakesIn(await auditReceiver(url, { only }))).toEqual(["slow-sender fail"]);
  });
});

describe("a receiver that cannot be reached", () => {
  it("ends the audit with an error, not a failed check", async () => {
    await expect(auditReceiver("http://127.0.0.1:9/webhooks")).rejects.toMatchObject({
      kind: "cannot-run",
      message: expect.stringMatching(
        /^Failed to reach the receiver at http:\/\/127\.0\.0\.1:9\/webhooks: nothing listens there\. /,
      ),
    });
    const { url } = await startReceiver(sound);
    await expect(auditReceiver(url.replace("http:", "https:"))).rejects.toMatchObject({
      message: expect.stringContaining("it does not speak TLS (is it http, and not https?)"),
    });
  });

  it("is also one to which no connection could be made in time", async () => {
    const { url, received } = await startReceiver(sound);
    // The time is over before there is a connection.
    const after = (_: number, task: () => void) => {
      queueMicrotask(task);
      return () => undefined;
    };
    await expect(auditReceiver(url, { system: { ...stillSystem, after } })).rejects.toMatchObject({
      kind: "cannot-run",
      message: expect.stringContaining("no connection could be made in time"),
    });
    expect(received).toEqual([]);
  });
});

describe("a receiver that does not answer", () => {
  it("is not reached when it cuts the ordinary event, takes one more connection and ends", async () => {
    let connections = 0;
    const server = createTcpServer((socket) => {
      socket.on("error", () => undefined);
      if (connections++ === 0) return void socket.once("data", () => socket.destroy());
      server.close();
      socket.destroy();
    });
    await expect(auditReceiver(`http://127.0.0.1:${await listen(server)}/`)).rejects.toMatchObject({
      kind: "cannot-run",
      message: expect.stringMatching(/^Failed to reach the receiver at \S+: nothing listens there\. /),
    });
  });

  it("is asked once when the ordinary event is not answered", async () => {
    const { url, received } = await startReceiver(() => new Promise(() => undefined));
    const report = await auditReceiver(url, { timeoutMs: 500, system: systemClock });
    expect(mistakesIn(report)).toEqual(["valid-event fail"]);
    expect(report.checks[0]).toMatchObject({ error: "no complete answer within 500 ms", received: null });
    expect(report).toMatchObject({ accepted: false, requests: 1 });
    expect(received).toHaveLength(1);
  });

  it("is reported when it refuses the ordinary event and answers nothing after it", async () => {
    let count = 0;
    const { url } = await startReceiver(() => (count++ === 0 ? 401 : new Promise(() => undefined)));
    const report = await auditReceiver(url, { timeoutMs: 50, system: systemClock });
    expect(verdictsOf(report)["valid-event"]).toBe("fail");
    expect(report.counts.skipped).toBeGreaterThan(0);
  });

  it("may cut the connection on a body of 8 MiB", async () => {
    const url = await serveHttp((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
        if (chunks.reduce((sum, { length }) => sum + length, 0) > 1024 * 1024) request.destroy();
      });
      request.on("end", () => {
        const body = Buffer.concat(chunks);
        response.writeHead(isGenuine(body, request.headers[HEADER]) ? 200 : 401).end();
      });
    });
    expect(mistakesIn(await auditReceiver(url, { only: ["large-body"] }))).toEqual([]);
  });
});

describe("a slow receiver", () => {
  it("is asked several things at a time", async () => {
    let count = 0;
    let passedMs = 0;
    const system = { ...systemClock, monotonic: () => passedMs };
    let release = (): void => undefined;
    const fourth = new Promise<void>((resolve) => (release = resolve));
    const { url } = await startReceiver(async (incoming) => {
      count++;
      if (count === 1) passedMs += 1500;
      if (count === 4) release();
      // The first checks begin together: this one is not answered before another has come.
      if (count === 3) await fourth;
      return sound(incoming);
    });
    const report = await auditReceiver(url, { system, only: ["forged"] });
    expect(report.counts.fail).toBe(0);
    expect(report.checks.filter(({ error }) => error !== null)).toEqual([]);
  });
});

describe("a receiver with other settings", () => {
  it("has its own header, topic and event", async () => {
    const { url, received } = await startReceiver(({ headers, body }) =>
      isGenuine(body, headers["x-pay-sig"]) ? 200 : 401,
    );
    const text = '{ "topic": "payments", "data": { "order": 7 } }\n';
    const event = { text, value: JSON.parse(text) };
    const report = await auditReceiver(url, { header: "X-Pay-Sig", event, only: ["valid-event", "forged"] });
    expect(mistakesIn(report)).toEqual([]);
    expect(received[0]?.body.toString()).toBe(text);
    expect(received[0]?.rawHeaders).toContain("X-Pay-Sig");

    await auditReceiver(url, { header: "x-pay-sig", topic: "transaction/completed", only: ["valid-event"] });
    const { topic, data } = JSON.parse(received.at(-1)?.body.toString() ?? "");
    expect([topic, data.status, data.msisdn]).toEqual(["transaction/completed", "completed", "+2250700000001"]);
    await auditReceiver(url, { header: "x-pay-sig", topic: "invoices", only: ["valid-event"] });
    expect(JSON.parse(received.at(-1)?.body.toString() ?? "")).toMatchObject({
      topic: "invoices",
      data: { status: "paid" },
    });
  });

  it.each([
    ["of 101 and nothing more", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", 101],
    ["of an unknown status", "HTTP/1.1 999 Weird\r\nContent-Length: 0\r\n\r\n", 999],
    ["without end", `HTTP/1.1 401 No\r\nContent-Length: 9999999\r\n\r\n${"x".repeat(2_000_000)}`, 401],
  ])("may give an answer %s", async (_, answer, status) => {
    const server = createTcpServer((socket) => {
      socket.on("error", () => undefined).once("data", () => socket.write(answer));
    });
    const url = `http://127.0.0.1:${await listen(server)}/`;
    const report = await auditReceiver(url, { only: ["valid-event"] });
    expect(report.checks[0]).toMatchObject({ verdict: "fail", received: { status } });
  });

  it("may need credentials, which the report does not show", async () => {
    const { url } = await startReceiver((incoming) =>
      incoming.headers["authorization"] === `Basic ${Buffer.from("shop:p w").toString("base64")}`
        ? sound(incoming)
        : 403,
    );
    const report = await auditReceiver(url.replace("//", "//shop:p%20w@"), { only: ["valid-event"] });
    expect(report).toMatchObject({ accepted: true, receiver: url });
    const odd = await auditReceiver(url.replace("//", "//shop%zz:p@"), { only: ["valid-event"] });
    expect(odd.checks[0]?.received?.status).toBe(403);
  });
});
