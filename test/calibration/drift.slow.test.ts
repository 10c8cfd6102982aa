import { beforeAll, expect, it } from "vitest";
import type { HttpExchange } from "../../src/adapters/har/http-exchange.js";
import { calibrateAll, recordWith, sell, settingsIn } from "../support/calibrate.js";
import { startReceiver } from "../support/receiver.js";

type Body = Record<string, unknown>;
type Mutation = (exchange: HttpExchange) => HttpExchange;

let recorded: readonly HttpExchange[];
beforeAll(async () => {
  recorded = await recordWith({}, sell);
});

const isWebhook = ({ url }: HttpExchange): boolean => url.endsWith("/hooks");
const isRead = ({ method, url }: HttpExchange): boolean => method === "GET" && url.includes("/v1/charges/");
const isRefund = ({ url }: HttpExchange): boolean => url.endsWith("/refund");
const isSubscription = ({ method, url }: HttpExchange): boolean => method === "POST" && url.endsWith("/v1/webhooks");
const isTransfer = ({ method, url }: HttpExchange): boolean => method === "GET" && url.includes("/v1/transactions/");

const json = (bytes: Uint8Array | undefined): Body => JSON.parse(Buffer.from(bytes ?? []).toString()) as Body;
const bytes = (body: unknown): Uint8Array => Buffer.from(JSON.stringify(body));

/** Changes the answers to the requests that match. */
const inAnswers =
  (matches: (exchange: HttpExchange) => boolean, change: (body: Body) => unknown): Mutation =>
  (exchange) =>
    matches(exchange) && exchange.answer !== undefined
      ? { ...exchange, answer: { ...exchange.answer, body: bytes(change(json(exchange.answer.body))) } }
      : exchange;

const inWebhooks =
  (change: (exchange: HttpExchange) => HttpExchange): Mutation =>
  (exchange) =>
    isWebhook(exchange) ? change(exchange) : exchange;

const renamed = ({ externalId, ...body }: Body): Body => ({ ...body, merchantReference: externalId });
const isPaid = (exchange: HttpExchange): boolean =>
  json(exchange.body)["data"] !== undefined && statusOf(exchange) === "paid";
const statusOf = (exchange: HttpExchange): unknown => (json(exchange.body)["data"] as Body)["status"];
const reads = { operation: "GET /v1/charges/:id", topic: null, count: 2, of: 2 };
const hooks = { operation: null, topic: "charges/events" };

it.each<[string, Mutation, readonly object[]]>([
  [
    "a renamed field",
    inAnswers(isRead, renamed),
    [
      { ...reads, pointer: "/body/externalId", kind: "missing" },
      { ...reads, pointer: "/body/merchantReference", kind: "added" },
    ],
  ],
  [
    "an added field",
    inAnswers(isRead, (body) => ({ ...body, customerName: "Awa" })),
    [{ ...reads, pointer: "/body/customerName", kind: "added" }],
  ],
  [
    "a retyped field",
    inAnswers(isRead, (body) => ({ ...body, amount: String(body["amount"]) })),
    [{ ...reads, pointer: "/body/amount", kind: "type" }],
  ],
  [
    "a retyped field of the items of a list",
    inAnswers(isRead, (body) => ({
      ...body,
      transactions: (body["transactions"] as Body[]).map((item) => ({ ...item, amount: String(item["amount"]) })),
    })),
    [{ ...reads, pointer: "/body/transactions/*/amount", kind: "type" }],
  ],
  [
    "another order of a list",
    inAnswers(isRead, (body) => ({ ...body, transactions: (body["transactions"] as Body[]).toReversed() })),
    [{ operation: "GET /v1/charges/:id", pointer: "/body/transactions", kind: "order", count: 1, of: 2 }],
  ],
  [
    "another status of success",
    (exchange) => (isRefund(exchange) ? { ...exchange, answer: { ...exchange.answer!, status: 202 } } : exchange),
    [{ operation: "POST /v1/charges/:id/refund", pointer: "/status", kind: "status", count: 1, of: 1 }],
  ],
  [
    "another word for a state",
    inAnswers(isTransfer, (body) => ({ ...body, status: "done" })),
    [{ operation: "GET /v1/transactions/:id", pointer: "/body/status", kind: "value", count: 1, of: 1 }],
  ],
  [
    "unsigned webhooks",
    inWebhooks((webhook) => ({
      ...webhook,
      headers: webhook.headers.filter(([name]) => name !== "x-service-hmac-sha256"),
    })),
    [{ ...hooks, pointer: "/headers/x-service-hmac-sha256", kind: "signature" }],
  ],
  [
    "a wrong signature, by the verdict of the proxy",
    inWebhooks((webhook) => ({ ...webhook, signature: "invalid" })),
    [{ ...hooks, pointer: "/headers/x-service-hmac-sha256", kind: "signature" }],
  ],
  [
    "a late webhook",
    inWebhooks((webhook) => (isPaid(webhook) ? { ...webhook, startedAt: webhook.startedAt + 600_000 } : webhook)),
    [{ ...hooks, pointer: "/at", kind: "value" }],
  ],
  [
    "webhooks that are all a little late",
    inWebhooks((webhook) => ({ ...webhook, startedAt: webhook.startedAt + 5_000 })),
    [{ ...hooks, pointer: "/at", kind: "value", count: 11, of: 11 }],
  ],
  [
    "webhooks that are all very late",
    inWebhooks((webhook) => ({ ...webhook, startedAt: webhook.startedAt + 600_000 })),
    [{ ...hooks, pointer: "/at", kind: "value", count: 11, of: 11 }],
  ],
  [
    "a field of a webhook",
    inWebhooks((webhook) => {
      const body = json(webhook.body);
      return { ...webhook, body: bytes({ ...body, data: renamed(body["data"] as Body) }) };
    }),
    [
      { ...hooks, pointer: "/body/data/externalId", kind: "missing" },
      { ...hooks, pointer: "/body/data/merchantReference", kind: "added" },
    ],
  ],
  [
    "another name for the topic of a webhook",
    inWebhooks((webhook) => {
      const { topic, ...body } = json(webhook.body);
      return { ...webhook, body: bytes({ ...body, event: topic }) };
    }),
    [
      { operation: null, topic: "unknown", pointer: "/body/topic", kind: "missing" },
      { operation: null, topic: "unknown", pointer: "/body/event", kind: "added" },
    ],
  ],
  [
    "another topic",
    inWebhooks((webhook) => ({ ...webhook, body: bytes({ ...json(webhook.body), topic: "charge.updated" }) })),
    [{ operation: null, topic: "charge.updated", pointer: "/body/topic", kind: "value" }],
  ],
  [
    "another name for the data of a webhook",
    inWebhooks((webhook) => {
      const { data, ...body } = json(webhook.body);
      return { ...webhook, body: bytes({ ...body, payload: data }) };
    }),
    [
      { ...hooks, pointer: "/body/data", kind: "missing" },
      { ...hooks, pointer: "/body/payload", kind: "added" },
    ],
  ],
  [
    "webhooks that are not JSON",
    inWebhooks((webhook) => ({ ...webhook, body: Buffer.from("topic=charges%2Fevents") })),
    [{ operation: null, topic: "unknown", pointer: "/body/topic", kind: "missing" }],
  ],
  [
    "another method of webhooks",
    inWebhooks((webhook) => ({ ...webhook, method: "PUT" })),
    [{ ...hooks, pointer: "/method", kind: "value" }],
  ],
  [
    "a renamed field of a subscription",
    inAnswers(isSubscription, ({ topic, ...body }) => ({ ...body, event: topic })),
    [{ operation: "POST /v1/webhooks", pointer: "/body/topic", kind: "missing" }],
  ],
])("lists %s as drift, and does not explain it by a setting", async (_, mutate, drift) => {
  const report = await calibrateAll([recorded.map(mutate)]);
  for (const row of drift) expect(report.drift).toContainEqual(expect.objectContaining(row));
  expect([settingsIn(report, "set"), settingsIn(report, "contradicted")]).toEqual([{}, {}]);
  expect(settingsIn(report, "confirmed")).toHaveProperty(["http.createdStatus"], 201);
});

it("lists webhooks in another order as drift", async () => {
  const delivered = recorded.filter(isWebhook);
  const [paid, refunded] = [delivered.find(isPaid)!, delivered.find((one) => statusOf(one) === "refunded_partially")!];
  const late = { ...paid, startedAt: refunded.startedAt };
  const reordered = recorded.flatMap((one) => (one === paid ? [] : one === refunded ? [refunded, late] : [one]));
  const report = await calibrateAll([reordered]);
  expect(report.drift).toMatchObject([{ ...hooks, pointer: "", kind: "order", count: 1 }]);
  expect([settingsIn(report, "set"), settingsIn(report, "contradicted")]).toEqual([{}, {}]);
});

it.each([
  ["first", 0],
  ["last", -1],
])("reports the loss of the %s event as drift, and not as a setting that other traffic contradicts", async (_, at) => {
  const { url } = await startReceiver();
  const payouts = await recordWith({}, async (sandbox) => {
    for (const topic of ["transactions/started", "transactions/completed"])
      await sandbox.fetch("/v1/webhooks", { json: { topic, url } });
    await sell(sandbox);
  });
  const completed = payouts.filter((one) => one.url === url && json(one.body)["topic"] === "transactions/completed");
  const report = await calibrateAll([payouts.filter((one) => one !== completed.at(at))]);
  expect(settingsIn(report, "set")).toEqual({});
  expect(report.drift).toMatchObject([{ topic: "transactions/completed", pointer: "", kind: "missing", count: 1 }]);
});
