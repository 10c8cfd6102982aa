import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { UsageError } from "../../src/index.js";
import { create, order } from "./sandboxes.js";

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

test("needs no socket, and sends the company's credentials", async () => {
  const sandbox = await create();
  const created = await sandbox.fetch("/v1/charges", { json: order("order-1") });
  expect(created.status).toBe(201);
  expect(await created.json()).toMatchObject({ status: "created", paymentUrl: expect.stringContaining(sandbox.url) });
  const refused = await sandbox.fetch("/v1/balance", { headers: { authorization: "Bearer nobody" } });
  expect(refused.status).toBe(401);
  const forbidden = await sandbox.fetch("/v1/balance", { headers: { "X-Company-Id": "company_other" } });
  expect(forbidden.status).toBe(403);
});

test("accepts whatever the global fetch accepts", async () => {
  const sandbox = await create();
  const doFetch: typeof globalThis.fetch = sandbox.fetch;
  const url = `${sandbox.url}/v1/charges`;
  const init = { method: "POST", headers: { "content-type": "application/json" } };
  const answers = await Promise.all([
    doFetch(url, { ...init, body: JSON.stringify(order("order-1")) }),
    doFetch(new URL(url), { ...init, body: JSON.stringify(order("order-2")) }),
    doFetch(new Request(url, { ...init, body: JSON.stringify(order("order-3")) })),
    doFetch(new Request(url, init), { body: JSON.stringify(order("order-4")) }),
    sandbox.fetch("/v1/charges", { ...init, body: JSON.stringify(order("order-5")) }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
  expect((await sandbox.fetch("/v1/webhooks/x", { method: "DELETE" })).status).toBe(404);
  expect((await sandbox.fetch("/v1/charges", { json: {}, method: "PUT" })).status).toBe(405);
});

test("sends nothing when the signal was aborted before", async () => {
  const sandbox = await create();
  const signal = AbortSignal.abort(new Error("too late"));
  await expect(sandbox.fetch("/v1/charges", { json: order("order-1"), signal })).rejects.toThrow("too late");
  expect((await sandbox.fetch("/v1/charges", { json: order("order-1") })).status).toBe(201);
});

// A copy of the request followed its signal by a weak reference, so a client with a time-out waited forever.
test.each(["/v1/balance", "/_sandbox/deliveries/wait?topic=charges/events&timeout=1m"])(
  "gives up a Request of %s whose signal is aborted after a garbage collection",
  async (path) => {
    const sandbox = await create();
    sandbox.rules.add({ on: "request", match: { path: "/v1/balance" }, then: { fault: "hang" } });
    const patience = new AbortController();
    const request = new Request(sandbox.url + path, { signal: patience.signal });
    const hanging = sandbox.fetch(request);
    await new Promise(setImmediate);
    collectGarbage();
    patience.abort(new Error("too late"));
    await expect(hanging).rejects.toThrow("too late");
    expect(request.signal.aborted).toBe(true);
  },
);

test("calls the control API for the company of its handle", async () => {
  const sandbox = await create({ adminToken: "let-me-in" });
  await using other = await sandbox.company({ balance: 1 });
  const balance = async (path: string) => (await other.fetch(path)).json();
  expect(await balance("/_sandbox/balance")).toEqual({ balance: 1, currency: "XOF" });
  expect(await balance("/_sandbox/balance?company=company_sandbox")).toMatchObject({ balance: 10_000_000 });
  const put = await other.fetch("/_sandbox/balance", { method: "PUT", json: { balance: 2 } });
  expect([put.status, other.balance, sandbox.balance]).toEqual([200, 2, 10_000_000]);
  const refused = await other.fetch("/_sandbox/balance", { headers: { authorization: "Bearer guess" } });
  expect(refused.status).toBe(401);
});

test("accepts only addresses of the sandbox", async () => {
  const sandbox = await create({ publicUrl: "https://pay.shop.test" });
  expect((await sandbox.fetch("https://pay.shop.test/openapi.json")).status).toBe(200);
  const elsewhere = sandbox.fetch("https://shop.test/v1/balance");
  await expect(elsewhere).rejects.toThrow(
    /Failed to fetch https:\/\/shop\.test\/v1\/balance: it is not at this sandbox/,
  );
  await expect(elsewhere).rejects.toThrow(UsageError);
});

test("rejects like the global fetch when a rule cuts the connection", async () => {
  const sandbox = await create();
  const rule = (then: unknown) =>
    sandbox.fetch("/_sandbox/rules", { json: { on: "request", match: { path: "/v1/charges" }, then, times: 1 } });
  await rule({ fault: "reset", commit: true });
  const reset = { name: "TypeError", message: "fetch failed", cause: { code: "ECONNRESET" } };
  await expect(sandbox.fetch("/v1/charges", { json: order("order-1") })).rejects.toMatchObject(reset);
  expect((await sandbox.fetch("/v1/charges", { json: order("order-1") })).status).toBe(409);
  await rule({ fault: "hang" });
  const patience = new AbortController();
  const hanging = sandbox.fetch("/v1/charges", { json: order("order-2"), signal: patience.signal });
  patience.abort(new Error("out of patience"));
  await expect(hanging).rejects.toThrow("out of patience");
});
