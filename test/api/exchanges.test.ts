import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../src/sandbox/company/exchange.js";
import { type Door, doors, openDoor, untilTrue } from "../support/doors.js";
import { createHeldStore } from "../support/held-store.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import type { WorldOptions } from "../support/world.js";

/** The exchange that listeners (the journal, findings, coverage, a recording) get for each request to the API. */
async function listening(door: Door, options?: WorldOptions) {
  const ruled = await openDoor(door, options);
  const heard: Exchange[] = [];
  const lost: Exchange[] = [];
  ruled.live.sandbox.events.on("exchange", ({ exchange }) => {
    heard.push(exchange);
    exchange.onLost(() => lost.push(exchange));
  });
  const last = (): Exchange => heard.at(-1) ?? expect.fail("There was no exchange.");
  return { ...ruled, heard, lost, last };
}

describe.each(doors)("an exchange, %s,", (door) => {
  it("has the request, its answer and its effects", async () => {
    const { live, ask, last, lost } = await listening(door);
    const { company } = live;
    const before = company.record.seq;
    const body = chargeRequest({ externalId: "order-1" });
    const { text } = await ask("POST", "/v1/charges?via=shop", { body, headers: { "X-Trace": "t1" } });
    expect(last()).toMatchObject({
      operation: "createCharge",
      company,
      at: company.now(),
      receivedAt: expect.any(Number),
      method: "POST",
      path: "/v1/charges?via=shop",
      headers: { authorization: "Bearer at_sandbox", "x-company-id": "company_sandbox", "x-trace": "t1" },
      body,
      status: 201,
      answer: JSON.parse(text),
      problem: undefined,
      rule: undefined,
      fault: undefined,
      made: { from: before, to: company.record.seq },
    });
    const [charge] = company.world.charges.values();
    expect(charge?.seq).toBeGreaterThan(before);
    expect(last().settings).toEqual(expect.arrayContaining(["http.createdStatus", "charges.ttl"]));
    expect(lost).toEqual([]);
  });

  it.each([
    ["POST", "/v1/charges", { amount: -1 }, 400, "invalid_request", "createCharge"],
    ["POST", "/v1/charges", "{", 400, "malformed_json", "createCharge"],
    ["POST", "/v1/charges", "x".repeat(1_100_000), 413, "body_too_large", "createCharge"],
    ["GET", "/v1/charges/nope", undefined, 404, "charge_not_found", "getCharge"],
    ["GET", "/v1/nope?x=1", undefined, 404, "route_not_found", undefined],
    ["PUT", "/v1/balance", undefined, 405, "method_not_allowed", undefined],
  ])("of a refused %s %s has the reason", async (method, path, body, status, problem, operation) => {
    const { live, ask, last } = await listening(door);
    await ask(method, path, { body });
    const { company } = live;
    expect(last()).toMatchObject({ method, path, operation, company, status, problem, answer: { statusCode: status } });
    expect(last().body).toEqual(typeof body === "object" ? body : undefined);
    expect(last().made.from).toBe(last().made.to);
    expect(last().settings.includes("server.bodyLimit")).toBe(status === 413);
  });

  it.each([
    ["GET", "/v1/balance", 401, "getBalance"],
    ["GET", "/v1/nope", 404, undefined],
    ["PUT", "/v1/balance", 405, undefined],
  ])("of %s %s without a known token has no company", async (method, path, status, operation) => {
    const { ask, last } = await listening(door);
    await ask(method, path, { headers: { authorization: "Bearer nobody" } });
    expect(last()).toMatchObject({
      company: undefined,
      status,
      operation,
      headers: { authorization: "Bearer nobody" },
    });
  });

  it("does not open a company for an unknown path", async () => {
    const { live, ask, last } = await listening(door, { autoProvision: true });
    await ask("GET", "/v1/nope", { headers: { authorization: "Bearer at_new" } });
    expect(last().company).toBeUndefined();
    expect(live.sandbox.companies).toHaveLength(1);
  });

  it("is reported when no company is left", async () => {
    const { live, ask, last } = await listening(door);
    await live.control("DELETE", "/companies/company_sandbox");
    expect((await ask("GET", "/v1/balance")).status).toBe(401);
    expect(last()).toMatchObject({ company: undefined, problem: "token_invalid" });
  });

  it("is not reported for requests outside the API", async () => {
    const { ask, heard } = await listening(door);
    for (const path of ["/", "/favicon.ico", "/_sandbox/health", "/openapi.json"])
      await ask("GET", path, { headers: { authorization: null } });
    expect(heard).toEqual([]);
  });

  it("names the rule that gave its answer", async () => {
    const { ask, rule, last, lost } = await listening(door);
    const id = await rule({ name: "down", then: { status: 503 } });
    await ask("POST", "/v1/charges", { body: chargeRequest() });
    expect(last()).toMatchObject({ status: 503, rule: { id, name: "down" }, fault: undefined, problem: undefined });
    expect(last().answer).toMatchObject({ statusCode: 503 });
    expect(lost).toEqual([]);
  });

  it.each(["reset", "hang", "empty", "malformed"])("of a %s has the answer that was lost", async (fault) => {
    const { live, ask, rule, last, lost } = await listening(door);
    const delay = fault === "hang" ? { delay: 0 } : {};
    const id = await rule({ then: { fault, commit: true, ...delay } });
    const body = transferRequest({ reference: "r-1" });
    await ask("POST", "/v1/transactions", { body }).catch(() => undefined);
    expect(last()).toMatchObject({ status: 201, fault, rule: { id }, answer: { reference: "r-1" } });
    expect(last().made.to).toBe(live.company.record.seq);
    expect(lost).toEqual([last()]);
  });

  it("of a fault that replaces the work has no status and no answer", async () => {
    const { ask, rule, last, lost } = await listening(door);
    await rule({ then: { fault: "reset" } });
    await ask("POST", "/v1/charges", { body: chargeRequest() }).catch(() => undefined);
    expect(last()).toMatchObject({ status: 0, answer: undefined, fault: "reset", made: { from: 0, to: 0 } });
    expect(lost).toEqual([last()]);
  });

  it("of a hang is reported when it begins", async () => {
    const { ask, rule, heard, lost } = await listening(door);
    await rule({ then: { fault: "hang" } });
    const patience = new AbortController();
    const asked = ask("GET", "/v1/balance", { signal: patience.signal });
    await untilTrue(() => heard.length > 0);
    expect(lost).toEqual(heard);
    patience.abort();
    await expect(asked).rejects.toMatchObject({ name: "AbortError" });
  });

  it("is lost when the client leaves during a delay", async () => {
    const { live, ask, rule, lost, last } = await listening(door);
    await rule({ then: { delay: "9m" } });
    const patience = new AbortController();
    const asked = ask("POST", "/v1/charges", { body: chargeRequest(), signal: patience.signal });
    await live.until(() => live.company.world.charges.size > 0);
    patience.abort();
    await expect(asked).rejects.toMatchObject({ name: "AbortError" });
    await untilTrue(() => lost.length > 0);
    expect(lost).toEqual([last()]);
  });
});

it("an answer is lost when the client leaves before it is written", async () => {
  const store = createHeldStore();
  const { live, lost, last } = await listening("over TCP", { store });
  const letGo = store.hold();
  const socket = connect(Number(new URL(live.url).port), "127.0.0.1");
  const head = "host: x\r\nauthorization: Bearer at_sandbox\r\n\r\n";
  socket.write(`GET /v1/balance HTTP/1.1\r\n${head}GET /v1/webhooks HTTP/1.1\r\n${head}`);
  await store.held(1);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.resetAndDestroy();
  await closed;
  await live.http("GET", "/"); // by then the server has seen it leave
  letGo(0);
  await untilTrue(() => lost.length > 0);
  // The second request was not begun.
  expect(lost.map(({ operation }) => operation)).toEqual(["getBalance"]);
  expect(last().fault).toBeUndefined();
});
