import { expect, it } from "vitest";
import type { HttpExchange } from "../../src/adapters/har/http-exchange.js";
import { calibrateAll, chargeOf, recordWith, settingsIn, transferOf } from "../support/calibrate.js";
import { startReceiver } from "../support/receiver.js";

type Body = Record<string, unknown>;

/** Recorded once: the receiver ends with the first test. */
let recording: Promise<readonly HttpExchange[]> | undefined;
const record = (): Promise<readonly HttpExchange[]> => (recording ??= recordPayouts());

async function recordPayouts(): Promise<readonly HttpExchange[]> {
  const { url } = await startReceiver();
  return recordWith({}, async (sandbox) => {
    const read = (path: string) => sandbox.fetch<{ id: string; transactions: { id: string }[] }>(path);
    const post = async (path: string, json: object) =>
      (await sandbox.fetch<{ id: string; transactions: { id: string }[] }>(path, { json })).json();
    for (const topic of ["transactions/started", "transactions/completed", "charges/events"])
      await post("/v1/webhooks", { topic, url });
    const single = await post("/v1/transactions", transferOf("salary-1", 7_000));
    const orders = [transferOf("salary-2", 8_000), transferOf("salary-3", 9_000)];
    const batch = await post("/v1/transactions/batch", { transactions: orders });
    await sandbox.clock.advance("5s");
    for (const { id } of [single, ...batch.transactions]) await read(`/v1/transactions/${id}`);
    const charge = await post("/v1/charges", chargeOf("order-1"));
    await post(`/v1/charges/${charge.id}/pay`, {});
    for (const amount of [3_000, 2_000]) {
      await post(`/v1/charges/${charge.id}/refund`, { amount });
      await read(`/v1/charges/${charge.id}`);
    }
    await sandbox.fetch("/v1/transactions", { json: transferOf("salary-1", 7_000) });
    await sandbox.fetch("/v1/transactions", { json: transferOf("salary-4", 1) });
    await sandbox.clock.advance("1m");
  });
}

const isHook = ({ url }: HttpExchange): boolean => !url.includes("/v1/");
const textOf = (body: Uint8Array | undefined): string => Buffer.from(body ?? []).toString();
const topicOf = ({ body }: HttpExchange): unknown => (JSON.parse(textOf(body)) as Body)["topic"];

const inHooks =
  (change: (body: Body) => Body) =>
  (exchange: HttpExchange): HttpExchange =>
    isHook(exchange)
      ? { ...exchange, body: Buffer.from(JSON.stringify(change(JSON.parse(textOf(exchange.body)) as Body))) }
      : exchange;

const inAnswers =
  (change: (text: string, exchange: HttpExchange) => string) =>
  (exchange: HttpExchange): HttpExchange => {
    const { answer } = exchange;
    return answer === undefined
      ? exchange
      : { ...exchange, answer: { ...answer, body: Buffer.from(change(textOf(answer.body), exchange)) } };
  };

const withStatus = (from: number, to: number) => (exchange: HttpExchange) =>
  exchange.answer?.status === from && exchange.url.endsWith("/v1/transactions")
    ? { ...exchange, answer: { ...exchange.answer, status: to } }
    : exchange;

const reversed = (text: string): string => {
  const batch = JSON.parse(text) as Body;
  return JSON.stringify({ ...batch, transactions: (batch["transactions"] as Body[]).toReversed() });
};

async function judge(exchanges: readonly HttpExchange[]) {
  const report = await calibrateAll([exchanges]);
  expect(settingsIn(report, "set")).toEqual({});
  return {
    drift: report.drift
      .map(({ operation, topic, kind, pointer }) => `${operation ?? topic} ${kind} ${pointer}`)
      .toSorted(),
    contradicted: Object.keys(settingsIn(report, "contradicted")),
    made: report.assumptions.filter((text) => /before the recording|not compared/.test(text)),
  };
}

it("reports ids without their prefix as the only change", async () => {
  const plain = (await record())
    .map(inAnswers((text) => text.replaceAll("txn_", "")))
    .map((exchange) => ({ ...exchange, url: exchange.url.replace("txn_", "") }));
  const ids = ["GET /v1/transactions/:id value /body/id", "POST /v1/transactions value /body/id"];
  const drift = [...ids, "POST /v1/transactions/batch value /body/transactions/*/id"];
  expect(await judge(plain)).toEqual({ drift, contradicted: [], made: [] });
});

it("reports ids with a prefix of the service as the only change", async () => {
  const recorded = await record();
  const created = recorded.find(({ method, url }) => method === "POST" && url.endsWith("/v1/charges"));
  const { id } = JSON.parse(textOf(created?.answer?.body)) as { id: string };
  const prefixed = recorded.map(inAnswers((text) => text.replaceAll(id, `chg_${id}`))).map((exchange) => ({
    ...exchange,
    url: exchange.url.replace(id, `chg_${id}`),
    body: exchange.body && Buffer.from(textOf(exchange.body).replaceAll(id, `chg_${id}`)),
  }));
  const answers = [
    "GET /v1/charges/:id",
    "POST /v1/charges",
    "POST /v1/charges/:id/pay",
    "POST /v1/charges/:id/refund",
  ];
  const drift = [...answers.map((subject) => `${subject} value /body/id`), "charges/events value /body/data/id"];
  expect(await judge(prefixed)).toEqual({ drift, contradicted: [], made: [] });
});

it("identifies charges and transfers by the caller's references where webhooks have other ids", async () => {
  const other = (await record()).map(
    inHooks(({ data, ...body }) => {
      const { id, ...rest } = data as Body;
      return { ...body, data: { id: `${String(id).slice(0, -4)}ffff`, ...rest } };
    }),
  );
  const topics = ["charges/events", "transactions/completed", "transactions/started"];
  const drift = topics.map((topic) => `${topic} value /body/data/id`);
  expect(await judge(other)).toEqual({ drift, contradicted: [], made: [] });
});

it("identifies events by their order where webhooks have other words for statuses", async () => {
  const words: Record<string, string> = { paid: "settled", pending: "PENDING", completed: "COMPLETED" };
  const other = (await record()).map(
    inHooks(({ data, ...body }) => {
      const { status, ...rest } = data as Body;
      return { ...body, data: { ...rest, status: words[String(status)] ?? status } };
    }),
  );
  const topics = ["charges/events", "transactions/completed", "transactions/started"];
  const drift = topics.map((topic) => `${topic} value /body/data/status`);
  expect(await judge(other)).toEqual({ drift, contradicted: [], made: [] });
});

it("identifies a partial refund by its amount where webhooks call it a full one", async () => {
  const other = (await record()).map(
    inHooks(({ data, ...body }) => {
      const { status, ...rest } = data as Body;
      return { ...body, data: { ...rest, status: status === "refunded_partially" ? "refunded" : status } };
    }),
  );
  const drift = ["charges/events value /body/data/status"];
  expect(await judge(other)).toEqual({ drift, contradicted: [], made: [] });
});

it("identifies the transfers of a batch that is answered in another order", async () => {
  const other = (await record()).map(inAnswers((text, { url }) => (url.endsWith("/batch") ? reversed(text) : text)));
  const drift = ["POST /v1/transactions/batch order /body/transactions"];
  expect(await judge(other)).toEqual({ drift, contradicted: [], made: [] });
});

it("distinguishes copies of webhooks from the events that follow", async () => {
  const twice = (await record()).flatMap((exchange) => (isHook(exchange) ? [exchange, exchange] : [exchange]));
  const topics = ["charges/events", "transactions/completed", "transactions/started"];
  const drift = topics.map((topic) => `${topic} added `);
  expect(await judge(twice)).toEqual({ drift, contradicted: [], made: [] });
});

it("does not explain missing webhooks by a setting that would refuse their requests", async () => {
  const without = (await record()).filter(
    (exchange) => !isHook(exchange) || topicOf(exchange) !== "transactions/started",
  );
  const { drift, contradicted } = await judge(without);
  expect(drift).toEqual(["transactions/started missing "]);
  expect(contradicted.filter((path) => path !== "testNumbers.silent")).toEqual([]);
});

it("infers nothing from webhooks that do not show what they are about", async () => {
  const flat = (await record()).map(inHooks(({ topic, data }) => ({ topic, ...(data as Body) })));
  expect((await judge(flat)).made).toEqual([]);
});

it("lists each pair of statuses", async () => {
  const report = await calibrateAll([(await record()).map(withStatus(409, 422)).map(withStatus(400, 412))], {
    only: ["http"],
  });
  expect(report.drift.filter(({ kind }) => kind === "status")).toMatchObject([
    { example: { expected: 409, got: 422 } },
    { example: { expected: 400, got: 412 } },
  ]);
});
