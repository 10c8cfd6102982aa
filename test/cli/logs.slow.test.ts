import { describe, expect, it, onTestFinished } from "vitest";
import { runSandbox, type RunOptions, type StartedSandbox, startSandbox } from "../support/cli.js";
import { folderWith } from "../support/folder.js";
import { call } from "../support/live.js";
import { startReceiver } from "../support/receiver.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import type { Answer, GivenHeaders, LooseJson } from "../support/world.js";

const account = { authorization: "Bearer at_sandbox", "x-company-id": "company_sandbox" };
const clock = ["--clock", "2026-01-15T09:00:00Z"];
const nine = "2026-01-15T09:00:00.000Z";

async function started(args: readonly string[], options?: RunOptions): Promise<StartedSandbox> {
  const sandbox = await startSandbox([...clock, ...args], options);
  onTestFinished(async () => void (await sandbox.stop()));
  return sandbox;
}

function ask(
  { url }: StartedSandbox,
  method: string,
  path: string,
  body?: unknown,
  headers: GivenHeaders = account,
): Promise<Answer> {
  return call(url + path, method, body, headers);
}

/** Every line of a stopped sandbox, except those of its start and stop. */
async function linesOf(sandbox: StartedSandbox): Promise<readonly LooseJson[]> {
  expect(await sandbox.stop()).toBe(0);
  const { lines } = sandbox;
  expect(lines[0].event).toBe("listening");
  expect(lines.at(-1).event).toBe("stopped");
  return lines.slice(1, -1).filter(({ event }) => event !== "stopping");
}

describe("a state change", () => {
  it("is one line at info, with the id of the request that caused it; requests have no line", async () => {
    const receiver = await startReceiver();
    const sandbox = await started([]);
    await ask(sandbox, "POST", "/v1/webhooks", { topic: "charges/events", url: `${receiver.url}?key=hush` });
    const { id } = (await ask(sandbox, "POST", "/v1/charges", chargeRequest({ amount: 10_000, externalId: "order-1" })))
      .body;
    await ask(sandbox, "GET", "/v1/balance");
    await ask(sandbox, "POST", "/v1/charges", chargeRequest({ externalId: "order-1" }));
    await ask(sandbox, "POST", `/v1/charges/${id}/pay`);
    await receiver.waitFor(1);
    await ask(sandbox, "POST", "/_sandbox/settle", undefined, {});
    const events = await ask(sandbox, "GET", "/_sandbox/events", undefined, {});
    const lines = await linesOf(sandbox);

    const isDelivery = ({ event }: LooseJson): boolean => event.startsWith("delivery.");
    expect(lines.filter((line) => !isDelivery(line)).map(({ event, eventId }) => [event, eventId])).toEqual(
      events.body.data.map((event: LooseJson) => [event.type, event.id]),
    );
    const common = {
      level: "info",
      time: expect.stringMatching(/^20\d\d-.*Z$/),
      company: "company_sandbox",
      now: nine,
    };
    expect(lines.slice(1, 3)).toEqual([
      {
        ...common,
        event: "charge.created",
        resource: id,
        amount: 10_000,
        externalId: "order-1",
        eventId: expect.any(String),
        request: "req_2",
      },
      expect.objectContaining({ event: "charge.paid", resource: id, request: "req_5" }),
    ]);
    expect(lines.filter(isDelivery)).toEqual([
      {
        ...common,
        event: "delivery.succeeded",
        resource: id,
        topic: "charges/events",
        url: new URL(receiver.url).href,
        attempt: 1,
        status: 200,
        durationMs: expect.any(Number),
        delivery: expect.any(String),
        eventId: lines[2]?.eventId,
      },
    ]);
    // The machine's time, not the company's.
    expect(lines[0].time).not.toBe(nine);
  });

  it("caused by the clock has the time at which it happened, and no request", async () => {
    const receiver = await startReceiver({ status: 500 });
    const sandbox = await started([]);
    await ask(sandbox, "POST", "/v1/webhooks", { topic: "charges/events", url: receiver.url });
    await ask(sandbox, "POST", "/v1/charges", chargeRequest());
    await ask(sandbox, "POST", "/_sandbox/clock/advance", { by: "30d" }, {});
    const [, , ...lines] = await linesOf(sandbox);
    expect(lines[0]).toMatchObject({ event: "charge.dropped", now: "2026-01-15T10:00:00.000Z", reason: "expired" });
    expect(lines[0]).not.toHaveProperty("request");
    const attempts = lines.slice(1);
    expect(attempts.map(({ event, attempt, status }) => [event, attempt, status])).toEqual([
      ...[1, 2, 3, 4, 5].map((attempt) => ["delivery.attempt_failed", attempt, 500]),
      ["delivery.exhausted", 6, 500],
    ]);
    expect(attempts.slice(1).map(({ now }) => now)).toEqual(
      attempts.slice(0, -1).map(({ nextAttemptAt }) => nextAttemptAt),
    );
  });
});

describe("a request", () => {
  it("is one line at debug, after its state changes, with the correlation id of an error", async () => {
    const sandbox = await started(["--log-level", "debug"]);
    await ask(sandbox, "POST", "/v1/charges", chargeRequest({ externalId: "order-1" }));
    const refused = await ask(sandbox, "POST", "/v1/charges", chargeRequest({ externalId: "order-1" }));
    const unknown = await ask(sandbox, "GET", "/v1/balance?page=2", undefined, { authorization: "Bearer at_nobody" });
    await ask(sandbox, "GET", "/_sandbox/health", undefined, {});
    const nothing = await ask(sandbox, "GET", "/_sandbox/nothing", undefined, {});
    await ask(sandbox, "GET", "/elsewhere", undefined, {});
    await ask(sandbox, "GET", "/openapi.json", undefined, {});
    const journal = await ask(sandbox, "GET", "/_sandbox/requests", undefined, {});
    const lines = await linesOf(sandbox);

    expect(lines.map(({ event }) => event)).toEqual(["charge.created", ...Array.from({ length: 8 }, () => "request")]);
    const requests = lines.slice(1);
    expect(requests.map(({ method, path, status }) => `${status} ${method} ${path}`)).toEqual([
      "201 POST /v1/charges",
      "409 POST /v1/charges",
      "401 GET /v1/balance?page=2",
      "200 GET /_sandbox/health",
      "404 GET /_sandbox/nothing",
      "404 GET /elsewhere",
      "200 GET /openapi.json",
      "200 GET /_sandbox/requests",
    ]);
    expect(requests[1]).toEqual({
      event: "request",
      level: "debug",
      time: expect.any(String),
      company: "company_sandbox",
      now: nine,
      request: "req_2",
      method: "POST",
      path: "/v1/charges",
      status: 409,
      durationMs: expect.any(Number),
      operation: "createCharge",
      problem: "external_id_taken",
      correlationId: refused.body.correlationId,
    });
    expect(requests[2]).toMatchObject({ problem: "token_invalid", correlationId: unknown.body.correlationId });
    expect(requests[4]).toMatchObject({ correlationId: nothing.body.correlationId });
    expect(requests.slice(0, 3).map(({ request }) => request)).toEqual(
      journal.body.data.map(({ id }: LooseJson) => id).toSorted(),
    );
  });
});

describe("a call of the control API", () => {
  it("is a line with the company that it is about", async () => {
    const sandbox = await started(["--log-level", "debug"]);
    await ask(sandbox, "POST", "/_sandbox/companies", { companyId: "company_b" }, {});
    await ask(sandbox, "GET", "/_sandbox/clock?company=company_b", undefined, {});
    await ask(sandbox, "POST", "/_sandbox/companies/company_b/rotate", {}, {});
    await ask(sandbox, "GET", "/_sandbox/clock", undefined, {});
    await ask(sandbox, "GET", "/_sandbox/clock?company=company_c", undefined, {});
    const lines = await linesOf(sandbox);
    expect(lines.map(({ path, company }) => [path, company])).toEqual([
      ["/_sandbox/companies", undefined],
      ["/_sandbox/clock?company=company_b", "company_b"],
      ["/_sandbox/companies/company_b/rotate", "company_b"],
      ["/_sandbox/clock", "company_sandbox"],
      ["/_sandbox/clock?company=company_c", undefined],
    ]);
  });

  it("is written for a refused HEAD, which has no body", async () => {
    const sandbox = await started(["--log-level", "debug", "--admin-token", "hush-7f3k"]);
    expect((await ask(sandbox, "HEAD", "/_sandbox")).status).toBe(401);
    const lines = await linesOf(sandbox);
    expect(lines).toContainEqual(expect.objectContaining({ method: "HEAD", path: "/_sandbox", status: 401 }));
  });
});

describe("hostile input", () => {
  const forged =
    'x\n{"event":"charge.paid","level":"info"}\r\n\u001B[2J\u0085\u2028at_sandbox secret_sandbox hush-7f3k';

  const encoded = Buffer.from("user:hush-7f3k").toString("base64url");

  it("cannot forge a line or reveal a secret", async () => {
    const sandbox = await started(["--log-level", "debug", "--admin-token", "hush-7f3k"]);
    const admin = { authorization: "Bearer hush-7f3k" };
    await ask(sandbox, "POST", "/v1/charges", chargeRequest({ externalId: forged, description: forged }));
    await ask(sandbox, "POST", "/v1/transactions", transferRequest({ reference: `${forged}${"y".repeat(50_000)}` }));
    await ask(sandbox, "POST", "/v1/webhooks", {
      topic: "charges/events",
      url: "http://user:at_sandbox@127.0.0.1:9/secret_sandbox",
    });
    await ask(sandbox, "GET", "/v1/balance?token=at_sandbox&at%5Fsandbox=1&secret_sandbox=hush-7f3k");
    await ask(sandbox, "GET", "/_sandbox/nothing/hush-7f3k", undefined, admin);
    await ask(sandbox, "GET", `/v1/balance?basic=${encoded}`);
    await ask(sandbox, "POST", "/v1/transactions", transferRequest({ reference: encoded }));
    const lines = await linesOf(sandbox);
    const text = JSON.stringify(lines) + sandbox.stderr;
    expect(text).not.toMatch(/at_sandbox|secret_sandbox|hush-7f3k|at%5Fsandbox/);
    expect(text).toContain("[redacted]");
    expect(text).not.toContain(encoded);
    expect(lines.some(({ event }) => event === "charge.paid")).toBe(false);
    expect(lines.filter(({ event }) => event === "charge.created")).toHaveLength(1);
    for (const line of lines) expect(JSON.stringify(line).length).toBeLessThan(2_000);
  });

  it("cannot reveal a part of a secret whose URL is shown without its query", async () => {
    const sandbox = await started(["--admin-token", "hush-7f3k?and-more"]);
    await ask(sandbox, "POST", "/v1/webhooks", {
      topic: "charges/events",
      url: "http://127.0.0.1:9/hush-7f3k?and-more",
    });
    const lines = await linesOf(sandbox);
    expect(lines.find(({ event }) => event === "subscription.created")).toMatchObject({
      url: "http://127.0.0.1:9/[redacted]",
    });
    expect(JSON.stringify(lines)).not.toContain("hush-7f3k");
  });

  it("cannot reveal a token that opened a company, or that was replaced", async () => {
    const sandbox = await started(["--auto-provision", "--log-level", "debug"]);
    const own = { authorization: "Bearer tok-1234567890" };
    await ask(sandbox, "POST", "/v1/charges", chargeRequest({ externalId: "tok-1234567890" }), own);
    const { accessToken } = (
      await ask(sandbox, "POST", "/_sandbox/companies/company_sandbox/rotate", { accessToken: true }, {})
    ).body;
    await ask(sandbox, "GET", `/v1/balance?was=at_sandbox&is=${accessToken}`);
    const text = JSON.stringify(await linesOf(sandbox));
    expect(text).not.toMatch(/tok-1234567890|at_sandbox/);
    expect(text).not.toContain(accessToken);
  });
});

describe("the pretty log", () => {
  it("has one short line per change, below the screen", async () => {
    const cwd = await folderWith({
      "sandbox.config.yaml": "clock: 2026-01-15T09:00:00Z\nport: 0\nlogLevel: debug\n",
    });
    const script = `
      const headers = { authorization: "Bearer " + process.env.SANDBOX_ACCESS_TOKEN, "content-type": "application/json",
        "x-company-id": process.env.SANDBOX_COMPANY_ID };
      await fetch(process.env.SANDBOX_URL + "/v1/charges", { method: "POST", headers, body: JSON.stringify(${JSON.stringify(
        chargeRequest({ amount: 10_000, externalId: "order-1" }),
      )}) });`;
    const { stderr } = await runSandbox(
      ["exec", "--log", "pretty", "--", process.execPath, "--input-type=module", "-e", script],
      { cwd },
    );
    expect(stderr.replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, "ID").replaceAll(/[\d.]+ ms/g, "N ms")).toContain(
      `2026-01-15
09:00:00.000  charge.created         ID   10 000 XOF  order-1  req_1
09:00:00.000  201 POST               /v1/charges  N ms  req_1
`,
    );
  });
});
