import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { serve } from "../../src/http/server/listen.js";
import { doors, openDoor, untilTrue } from "../support/doors.js";
import { createFakeSystem } from "../support/fake-system.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import { selfSigned } from "../support/self-signed.js";

const lost = { name: "TypeError", message: "fetch failed" };
/** Handles a rejection that may come before the test awaits it. */
const failureOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => undefined,
    (error: unknown) => error,
  );
const reset = { ...lost, cause: { code: "ECONNRESET" } };

describe.each(doors)("fault: reset, %s,", (door) => {
  it("is ECONNRESET at the client, and the request has no effect", async () => {
    const { live, ask, rule } = await openDoor(door);
    await rule({ then: { fault: "reset" }, times: 1 });
    await expect(ask("POST", "/v1/charges", { body: chargeRequest() })).rejects.toMatchObject(reset);
    expect(live.company.world.charges.size).toBe(0);
    expect((await ask("POST", "/v1/charges", { body: chargeRequest() })).status).toBe(201);
  });

  it("also resets a HEAD request", async () => {
    const { ask, rule } = await openDoor(door);
    await rule({ then: { fault: "reset" }, times: 1 });
    await expect(ask("HEAD", "/v1/balance")).rejects.toMatchObject(reset);
    expect((await ask("HEAD", "/v1/balance")).status).toBe(200);
  });

  it("with commit: true does the work and sends its webhooks", async () => {
    const { live, ask, rule } = await openDoor(door);
    const receiver = await live.receiverFor("transactions/started");
    await rule({ then: { fault: "reset", commit: true }, times: 1 });
    const body = transferRequest({ reference: "payout-1" });
    await expect(ask("POST", "/v1/transactions", { body })).rejects.toMatchObject(reset);
    expect(live.company.world.transfers.findBy("reference", "payout-1")).toBeDefined();
    const [webhook] = await receiver.waitFor(1);
    expect(webhook?.body).toMatchObject({ topic: "transactions/started", data: { reference: "payout-1" } });
    expect((await ask("POST", "/v1/transactions", { body })).status).toBe(409);
  });
});

describe("fault: reset over a socket", () => {
  it("is ECONNRESET to a client of node:http", async () => {
    const { live, rule } = await openDoor("over TCP");
    await rule({ then: { fault: "reset" } });
    const headers = { authorization: "Bearer at_sandbox" };
    const failed = new Promise((resolve) =>
      httpRequest(`${live.url}/v1/balance`, { headers }).once("error", resolve).end(),
    );
    expect(await failed).toMatchObject({ code: "ECONNRESET", syscall: "read" });
  });

  it("is ECONNRESET over TLS too", async () => {
    const { live, rule } = await openDoor("over TCP");
    await rule({ then: { fault: "reset" }, times: 1 });
    const server = await serve(live.app, { host: "127.0.0.1", port: 0, tls: selfSigned });
    onTestFinished(() => server.close());
    // TLS 1.3 sends session tickets after the handshake: a client that has not read them sees the end of the connection and no reset.
    const tls = { rejectUnauthorized: false, maxVersion: "TLSv1.2" } as const;
    const init = { headers: { authorization: "Bearer at_sandbox" }, agent: false, ...tls };
    const ask = () =>
      new Promise((resolve, reject) => {
        const sent = httpsRequest(`${server.url}/v1/balance`, init, (answer) => resolve(answer.resume().statusCode));
        sent.once("error", reject).end();
      });
    await expect(ask()).rejects.toMatchObject({ code: "ECONNRESET", syscall: "read" });
    expect(await ask()).toBe(200);
  });

  it.each([
    ["reset", "reset", {}],
    ["hang", "hang", { delay: "1ms" }],
  ])("after a request before it on the connection has its answer: %s", async (_, fault, then) => {
    const { live, rule } = await openDoor("over TCP");
    await rule({ match: { path: "/v1/charges/:id" }, then: { fault, ...then } });
    await rule({ match: { path: "/v1/webhooks" }, then: { delay: "50ms" } });
    const socket = connect(Number(new URL(live.url).port), "127.0.0.1").setEncoding("latin1");
    let received = "";
    socket.on("data", (text: string) => (received += text)).on("error", () => undefined);
    const line = (path: string): string =>
      `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer at_sandbox\r\n\r\n`;
    socket.write(line("/v1/webhooks") + line("/v1/balance") + line("/v1/charges/nope") + line("/v1/balance"));
    await new Promise((resolve) => socket.once("close", resolve));
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200", "HTTP/1.1 200"]);
    expect(received).toMatch(/"balance":10000000,"currency":"XOF"\}$/);
  });

  it("does not wait for the end of a body", async () => {
    const { live, rule } = await openDoor("over TCP");
    await rule({ then: { fault: "reset" } });
    const socket = connect(Number(new URL(live.url).port), "127.0.0.1");
    const failed = new Promise((resolve) => socket.once("error", resolve));
    const headers = "host: x\r\nauthorization: Bearer at_sandbox\r\ncontent-type: application/json";
    socket.write(`POST /v1/charges HTTP/1.1\r\n${headers}\r\ncontent-length: 2000000\r\n\r\n{`);
    expect(await failed).toMatchObject({ code: "ECONNRESET" });
  });
});

describe.each(doors)("fault: hang, %s,", (door) => {
  it("holds the client until it leaves; with commit: true the webhooks are sent then", async () => {
    const { live, ask, rule } = await openDoor(door);
    const receiver = await live.receiverFor("charges/events");
    const { id } = await live.createCharge();
    await rule({ then: { fault: "hang", commit: true }, times: 1 });
    const patience = new AbortController();
    const asked = ask("POST", `/v1/charges/${id}/pay`, { signal: patience.signal });
    await live.until(() => live.company.world.charges.get(id)?.status === "paid");
    expect((await ask("GET", "/v1/balance")).status).toBe(200);
    expect(receiver.received).toEqual([]);
    patience.abort();
    await expect(asked).rejects.toMatchObject({ name: "AbortError" });
    expect((await receiver.waitFor(1))[0]?.body.data).toMatchObject({ id, status: "paid" });
    expect(await live.settle()).toEqual([]);
  });

  it("closes the connection after a minute, or after its delay; the request has no effect", async () => {
    const system = createFakeSystem();
    const { live, ask, rule } = await openDoor(door, { system });
    await rule({ then: { fault: "hang" } });
    await rule({ then: { fault: "hang", delay: "5s" }, times: 1 });
    for (const bound of [5_000, 60_000]) {
      const asked = failureOf(ask("POST", "/v1/charges", { body: chargeRequest() }));
      await untilTrue(() => system.pending.includes(bound));
      system.pass(bound - 1);
      expect(system.pending).toContain(1);
      system.pass(1);
      expect(await asked).toMatchObject(lost);
    }
    expect(live.company.world.charges.size).toBe(0);
  });

  it.each(["reset", "removed"])("ends immediately when its company is %s", async (how) => {
    const system = createFakeSystem();
    const { live, ask, rule } = await openDoor(door, { system });
    await rule({ then: { fault: "hang" } });
    const asked = failureOf(ask("GET", "/v1/balance"));
    await untilTrue(() => system.pending.includes(60_000));
    if (how === "reset") await live.control("POST", "/reset");
    else await live.control("DELETE", "/companies/company_sandbox");
    expect(await asked).toMatchObject(lost);
    expect(system.pending).not.toContain(60_000);
  });
});

it("a server that stops ends hanging requests, and answers delayed ones immediately", async () => {
  const system = createFakeSystem();
  const { live, rule } = await openDoor("in process", { system });
  await rule({ match: { path: "/v1/charges/:id" }, then: { delay: "9m" } });
  await rule({ match: { path: "/v1/balance" }, then: { fault: "hang" } });
  const server = await serve(live.app, { host: "127.0.0.1", port: 0 });
  const headers = { authorization: "Bearer at_sandbox" };
  const hanging = failureOf(fetch(`${server.url}/v1/balance`, { headers }));
  const delayed = fetch(`${server.url}/v1/charges/nope`, { headers });
  await untilTrue(() => system.pending.includes(60_000) && system.pending.includes(540_000));
  await server.close();
  expect(await hanging).toMatchObject(lost);
  expect((await delayed).status).toBe(404);
});

describe.each(doors)("an unreadable answer, %s,", (door) => {
  it("empty: the success status without content, and the request has no effect", async () => {
    const { live, ask, rule } = await openDoor(door);
    await rule({ then: { fault: "empty" }, times: 1 });
    const { status, headers, text } = await ask("POST", "/v1/charges", { body: chargeRequest() });
    expect([status, text]).toEqual([201, ""]);
    if (door === "over TCP") expect(headers["content-length"]).toBe("0");
    expect(live.company.world.charges.size).toBe(0);
    expect((await ask("GET", "/v1/balance")).text).toContain("balance");
  });

  it("malformed: truncated JSON with its correct length", async () => {
    const { live, ask, rule } = await openDoor(door);
    await rule({ then: { fault: "malformed" }, times: 1 });
    const { status, headers, text } = await ask("POST", "/v1/charges", { body: chargeRequest() });
    expect([status, headers["content-type"]]).toEqual([201, "application/json; charset=utf-8"]);
    expect(text).toMatch(/^\{"id":"[0-9a-f-]+$/);
    if (door === "over TCP") expect(Number(headers["content-length"])).toBe(Buffer.byteLength(text));
    expect(live.company.world.charges.size).toBe(0);
    expect((await ask("GET", "/v1/balance")).text).toContain("balance");
  });

  it.each(["empty", "malformed"])("%s with commit: true does the work and sends its webhooks", async (fault) => {
    const { live, ask, rule } = await openDoor(door);
    const receiver = await live.receiverFor("charges/events");
    const { id } = await live.createCharge({ description: "Koné é é é é é é é é é é é é é" });
    await rule({ then: { fault, commit: true }, times: 1 });
    const { status, headers, text } = await ask("POST", `/v1/charges/${id}/pay`);
    expect(status).toBe(200);
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    if (fault === "malformed") expect(text).toContain(`"id":"${id}"`);
    if (door === "over TCP") expect(Number(headers["content-length"])).toBe(Buffer.byteLength(text));
    expect((await receiver.waitFor(1))[0]?.body.data).toMatchObject({ id, status: "paid" });
  });

  it("to a request without content: empty is unchanged, malformed is 200", async () => {
    const { live, ask, rule } = await openDoor(door);
    const path = async (): Promise<string> =>
      `/v1/webhooks/${(await live.subscribe("charges/events", "http://127.0.0.1:9/")).id}`;
    const match = { method: "DELETE" };
    await rule({ match, then: { fault: "empty", commit: true }, times: 1 });
    expect(await ask("DELETE", await path())).toMatchObject({ status: 204, text: "" });
    await rule({ match, then: { fault: "malformed", commit: true }, times: 1 });
    const { status, text } = await ask("DELETE", await path());
    expect(status).toBe(200);
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(live.company.world.subscriptions.size).toBe(0);
  });

  it("to a refused request has the refusal's status", async () => {
    const { ask, rule } = await openDoor(door);
    await rule({ then: { fault: "malformed", commit: true } });
    const { status, text } = await ask("POST", "/v1/charges", { body: {} });
    expect(status).toBe(400);
    expect(text).toMatch(/^\{"statusCode":400,"message":\[/);
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
  });
});
