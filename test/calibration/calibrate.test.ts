import { expect, it } from "vitest";
import type { Sandbox } from "../../src/index.js";
import { calibrateAll, recordWith, settingsIn } from "../support/calibrate.js";

const chargeOf = (externalId: string, amount = 10_000) => ({
  amount,
  externalId,
  description: "Shoes",
  onCanceledRedirectionUrl: "https://shop.test/no",
  onCompletedRedirectionUrl: "https://shop.test/yes",
});

const transferOf = (reference: string, amount = 20_000) => ({
  type: "transfer",
  amount,
  msisdn: "+2250700000010",
  reference,
});

/** A shop's morning: charges that are paid, refunded and dropped, and two transfers. */
async function sell(sandbox: Sandbox): Promise<void> {
  await sandbox.fetch("/v1/webhooks", { json: { topic: "charges/events", url: "http://127.0.0.1:9/hooks" } });
  await sandbox.fetch("/v1/balance");
  const created = await sandbox.fetch<{ id: string }>("/v1/charges", { json: chargeOf("order-1") });
  const { id } = await created.json();
  await sandbox.fetch("/v1/charges", { json: chargeOf("order-1") });
  await sandbox.fetch(`/v1/charges/${id}/pay`, { method: "POST" });
  await sandbox.fetch(`/v1/charges/${id}`);
  await sandbox.fetch("/v1/balance");
  await sandbox.fetch(`/v1/charges/${id}/refund`, { json: { amount: 4_000 } });
  await sandbox.fetch(`/v1/charges/${id}`);
  await sandbox.fetch("/v1/charges", { json: chargeOf("order-2") });
  const transfer = await sandbox.fetch<{ id: string }>("/v1/transactions", { json: transferOf("salary-1") });
  await sandbox.fetch("/v1/transactions", { json: transferOf("salary-1") });
  await sandbox.fetch("/v1/transactions", { json: transferOf("salary-2", 50_000) });
  await sandbox.clock.advance("1h");
  await sandbox.fetch(`/v1/transactions/${(await transfer.json()).id}`);
  await sandbox.fetch("/v1/balance");
}

it("finds nothing to change in the traffic of a sandbox with the defaults", async () => {
  const report = await calibrateAll([await recordWith({}, sell)], {
    only: ["http", "errors", "charges.creationStatus"],
  });
  expect(report.drift).toEqual([]);
  expect(settingsIn(report, "set")).toEqual({});
  expect(settingsIn(report, "contradicted")).toEqual({});
  expect(settingsIn(report, "confirmed")).toMatchObject({
    "http.createdStatus": 201,
    "charges.creationStatus": "created",
  });
});

it.each([
  [{ http: { createdStatus: 200 } }, { "http.createdStatus": 200 }],
  [{ charges: { createdAtFormat: "iso" } }, { "charges.createdAtFormat": "iso" }],
  [{ charges: { partialStatusOnRead: "paid" } }, { "charges.partialStatusOnRead": "paid" }],
  [{ errors: { shape: "message" } }, { "errors.shape": "message" }],
  [{ transfers: { duplicateReference: "allow" } }, { "transfers.duplicateReference": "allow" }],
  [{ transfers: { fee: { rate: 0.015 } } }, { "transfers.fee": { rate: 0.015, fixed: 0, decimals: 2 } }],
  [{ charges: { fee: { rate: 0.03, credit: "net" } } }, { "charges.fee": { rate: 0.03, decimals: 0, credit: "net" } }],
  [{ charges: { ttl: "20m" } }, { "charges.ttl": "20m" }],
  [{ charges: { droppedReason: "too late" } }, { "charges.droppedReason": "too late" }],
  [{ webhooks: { topicHeader: "x-kind" } }, { "webhooks.topicHeader": "x-kind" }],
  [{ webhooks: { signatureHeader: "x-mac" } }, { "webhooks.signatureHeader": "x-mac" }],
  [{ webhooks: { retry: ["3s", "9s"] } }, { "webhooks.retry": ["3s", "9s"] }],
  [
    { http: { createdStatus: 200 }, webhooks: { chargePayload: "slim" } },
    { "http.createdStatus": 200, "webhooks.chargePayload": "slim" },
  ],
] as const)("names the settings of %j", async (profile, found) => {
  const report = await calibrateAll([await recordWith(profile, sell)], { only: ["http", ...Object.keys(found)] });
  expect(report.drift).toEqual([]);
  expect(settingsIn(report, "set")).toMatchObject(found);
  expect(settingsIn(report, "contradicted")).toEqual({});
});

it("supposes what was there before the recording, and payments on the payment page", async () => {
  const exchanges = await recordWith({ http: { actionStatus: 201 } }, async (sandbox) => {
    await sandbox.fetch("/v1/webhooks", { json: { topic: "charges/events", url: "http://127.0.0.1:9/hooks" } });
    const created = await sandbox.fetch<{ id: string }>("/v1/charges", { json: chargeOf("order-1") });
    const { id } = await created.json();
    await sandbox.clock.advance("1m");
    await sandbox.fetch(`/_sandbox/charges/${id}/pay`, { method: "POST" });
    await sandbox.fetch(`/v1/charges/${id}/refund`, { json: { amount: 4_000 } });
    await sandbox.fetch(`/v1/charges/${id}`);
  });
  const options = { only: ["http", "webhooks.chargePayload"] };
  for (const recording of [exchanges, exchanges.slice(2)]) {
    const report = await calibrateAll([recording], options);
    expect(report.drift).toEqual([]);
    expect(settingsIn(report, "set")).toEqual({ "http.actionStatus": 201 });
    expect(report.assumptions.join("\n")).toContain("was paid on the payment page");
  }
});

it.each([
  ["added", "GET /v1/charges/:id", "/body/customerName", (body: object) => ({ ...body, customerName: "Awa" })],
  ["missing", "GET /v1/charges/:id", "/body/attempts", ({ attempts: _, ...body }: Record<string, unknown>) => body],
  ["type", "GET /v1/charges/:id", "/body/amount", (body: object) => ({ ...body, amount: "10000" })],
] as const)("lists a mutated service as drift: %s", async (kind, operation, pointer, mutate) => {
  const exchanges = (await recordWith({}, sell)).map((exchange) => {
    const isRead = exchange.method === "GET" && exchange.url.includes("/v1/charges/");
    if (!isRead || exchange.answer === undefined) return exchange;
    const body = mutate(JSON.parse(Buffer.from(exchange.answer.body).toString()) as Record<string, unknown>);
    return { ...exchange, answer: { ...exchange.answer, body: Buffer.from(JSON.stringify(body)) } };
  });
  const report = await calibrateAll([exchanges], {
    only: ["http", "charges.partialStatusOnRead", "charges.paymentUrlOnRead"],
  });
  expect(report.drift).toMatchObject([{ operation, topic: null, pointer, kind, count: 2, of: 2 }]);
  expect(settingsIn(report, "set")).toEqual({});
});

it("lists webhooks that are unsigned as drift", async () => {
  const exchanges = (await recordWith({}, sell)).map((exchange) => {
    if (!exchange.url.endsWith("/hooks")) return exchange;
    const headers = exchange.headers.filter(([name]) => name !== "x-service-hmac-sha256");
    return { ...exchange, headers };
  });
  const report = await calibrateAll([exchanges], { only: ["webhooks.signatureHeader", "webhooks.chargePayload"] });
  expect(report.drift).toMatchObject([
    { operation: null, topic: "charges/events", pointer: "/headers/x-service-hmac-sha256", kind: "signature" },
  ]);
});
