import { describe, expect, it } from "vitest";
import type { HttpExchange } from "../../src/adapters/har/http-exchange.js";
import { fetchTo } from "../../src/http/server/app.js";
import {
  calibrateAll,
  chargeOf,
  recordWith,
  renameCompany,
  sell,
  settingsIn,
  transferOf,
} from "../support/calibrate.js";

it.each([
  [{ http: { createdStatus: 200 } }, { "http.createdStatus": 200 }],
  [{ charges: { createdAtFormat: "iso" } }, { "charges.createdAtFormat": "iso" }],
  [{ charges: { partialStatusOnRead: "paid" } }, { "charges.partialStatusOnRead": "paid" }],
  [{ errors: { shape: "message" } }, { "errors.shape": "message" }],
  [{ transfers: { duplicateReference: "allow" } }, { "transfers.duplicateReference": "allow" }],
  [{ transfers: { fee: { rate: 0.015 } } }, { "transfers.fee": { rate: 0.015, fixed: 0, decimals: 2 } }],
  [{ charges: { fee: { rate: 0.03, credit: "net" } } }, { "charges.fee": { rate: 0.03, decimals: 0, credit: "net" } }],
  [{ charges: { ttl: "20m" } }, { "charges.ttl": "20m" }],
  [{ testNumbers: { success: "+2250799999999" } }, { "testNumbers.success": "+2250799999999" }],
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

it("contradicts itself when one of many companies is answered in another way", async () => {
  const companies = await Promise.all(
    Array.from({ length: 14 }, async (_, at) => {
      const recorded = await recordWith({ http: { createdStatus: at === 12 ? 200 : 201 } }, sell, at);
      return renameCompany(recorded, `shop-${at}`, `token-${at}`);
    }),
  );
  const report = await calibrateAll([companies.flat()], { only: ["http.createdStatus"] });
  expect(report.settings).toMatchObject([{ state: "contradicted", value: 201 }]);
  expect(report.drift).toMatchObject([
    { operation: "POST /v1/charges", pointer: "/status", count: 2, of: 42 },
    { operation: "POST /v1/transactions", pointer: "/status", count: 2, of: 42 },
    { operation: "POST /v1/webhooks", pointer: "/status", count: 1, of: 14 },
  ]);
});

it.each([
  { rate: 0.0125, fixed: 10, decimals: 2 },
  { rate: 0.0125, fixed: 10, decimals: 0 },
  { rate: 0.01, fixed: 25.5, decimals: 2 },
  { rate: 0.0333, fixed: 0, decimals: 0 },
])("names the fee %j by several amounts", async (fee) => {
  const exchanges = await recordWith({ transfers: { fee } }, async (sandbox) => {
    for (const amount of [5_000, 5_050, 12_345, 100_001]) {
      await sandbox.fetch("/v1/transactions", { json: transferOf(`salary-${amount}`, amount) });
    }
  });
  const report = await calibrateAll([exchanges], { only: ["transfers.fee"] });
  expect([report.drift, settingsIn(report, "set")]).toEqual([[], { "transfers.fee": fee }]);
});

it("does not explain drift of a large batch by a setting that refuses it", async () => {
  const transactions = Array.from({ length: 60 }, (_, at) => transferOf(`salary-${at}`, 5_000));
  const recorded = await recordWith({}, (sandbox) =>
    sandbox.fetch("/v1/transactions/batch", { json: { transactions } }),
  );
  const exchanges = recorded.map((exchange) => {
    const body = JSON.parse(Buffer.from(exchange.answer!.body).toString()) as { transactions: object[] };
    const changed = body.transactions.map((item) => ({ ...item, recipient: Array(20).fill("x") }));
    return {
      ...exchange,
      answer: { ...exchange.answer!, body: Buffer.from(JSON.stringify({ ...body, transactions: changed })) },
    };
  });
  const report = await calibrateAll([exchanges], { only: ["batch"] });
  expect([settingsIn(report, "set"), settingsIn(report, "contradicted")]).toEqual([{}, {}]);
  expect(report.drift).toMatchObject([{ pointer: "/body/transactions/*/recipient", kind: "added" }]);
});

it("lists the parts of the traffic that contradict each other, and the setting that each needs", async () => {
  const [old, changed] = await Promise.all([recordWith({}, sell), recordWith({ http: { createdStatus: 200 } }, sell)]);
  const report = await calibrateAll([old, changed], {
    source: { files: ["old.har", "changed.har"] },
    only: ["http.createdStatus"],
  });
  const [row] = report.settings;
  expect(row).toMatchObject({ state: "contradicted", default: 201 });
  const sides = row?.evidence.map(({ expected, got, exchange }) => [expected, got, exchange.file]);
  expect(sides).toContainEqual([expect.anything(), expect.anything(), "old.har"]);
  expect(sides).toContainEqual([expect.anything(), expect.anything(), "changed.har"]);
  expect(report.counts).toMatchObject({ contradicted: 1 });
});

it("does not explain a refusal by a setting that only refuses in another way", async () => {
  const recorded = await recordWith({}, async (sandbox) => {
    for (const order of ["order-1", "order-2"]) {
      const created = await sandbox.fetch<{ id: string }>("/v1/charges", { json: chargeOf(order) });
      await sandbox.fetch(`/v1/charges/${(await created.json()).id}/pay`, { json: { msisdn: "+2250700000001" } });
    }
  });
  const exchanges = recorded.map((exchange) => {
    const { pathname: path } = new URL(exchange.url);
    if (!path.endsWith("/pay")) return exchange;
    const error = { statusCode: 400, error: "Bad Request", message: ["no"], path, correlationId: "0af7" };
    const body = Buffer.from(JSON.stringify({ ...error, timestamp: new Date(exchange.startedAt).toISOString() }));
    return { ...exchange, answer: { ...exchange.answer!, status: 400, body } };
  });
  const report = await calibrateAll([exchanges]);
  expect(settingsIn(report, "set")).toEqual({});
  expect(report.drift).toMatchObject([
    { operation: "POST /v1/charges/:id/pay", pointer: "/status", example: { expected: 200, got: 400 } },
  ]);
});

it("does not explain one 503 by a setting with which the charge that was read would not exist", async () => {
  const recorded = await recordWith({}, async (sandbox) => {
    for (const path of ["/v1/balance", "/v1/webhooks"]) await sandbox.fetch(path);
    const created = await sandbox.fetch<{ id: string }>("/v1/charges", { json: chargeOf("order-1") });
    await sandbox.clock.advance("5s");
    await sandbox.fetch(`/v1/charges/${(await created.json()).id}`);
  });
  const read = recorded.find(({ method, url }) => method === "GET" && url.includes("/v1/charges/"));
  const answer = { status: 503, headers: [], body: Buffer.from("") };
  const report = await calibrateAll([recorded.map((one) => (one === read ? { ...one, answer } : one))], {
    only: ["rateLimit"],
  });
  expect(report.drift).toMatchObject([{ operation: "GET /v1/charges/:id", pointer: "/status", count: 1 }]);
  expect(report.settings).toMatchObject([{ state: "confirmed", value: "off" }]);
});

describe("a recording that no setting explains", () => {
  /** Creations of charges; `change` returns additional members for the answer to each. */
  const creationsOf = async (externalIds: readonly string[], change: (at: number) => object) => {
    const [first] = await recordWith({}, (sandbox) => sandbox.fetch("/v1/charges", { json: chargeOf("order-1") }));
    const { answer, ...request } = first!;
    const answered = JSON.parse(Buffer.from(answer!.body).toString()) as object;
    return externalIds.map((externalId, at) => ({
      ...request,
      body: Buffer.from(JSON.stringify(chargeOf(externalId))),
      answer: { ...answer!, body: Buffer.from(JSON.stringify({ ...answered, externalId, ...change(at) })) },
    }));
  };
  const idsOf = (count: number): string[] => Array.from({ length: count }, (_, at) => `order-${at}`);
  /** How often each request is replayed. */
  const replaysOf = async (exchanges: readonly HttpExchange[], only: readonly string[]): Promise<number> => {
    let requests = 0;
    await calibrateAll([exchanges], {
      only,
      fetchTo: (sandbox) => {
        const fetch = fetchTo(sandbox);
        return (request) => {
          requests++;
          return fetch(request);
        };
      },
    });
    return requests / exchanges.length;
  };

  it("is replayed in part when it repeats itself", async () => {
    const exchanges = await creationsOf(Array<string>(320).fill("order-1"), () => ({}));
    expect(await replaysOf(exchanges, ["charges"])).toBeLessThan(4);
  });

  it("is replayed for the most important kinds of differences", async () => {
    const exchanges = await creationsOf(idsOf(320), (at) => ({ id: `id-${at}`, [`f${at}`]: at }));
    expect(await replaysOf(exchanges, ["charges.createdAtFormat", "charges.creationStatus"])).toBeLessThan(4);
  });

  it("is replayed with only some of the values that it suggests", async () => {
    const exchanges = await creationsOf(idsOf(15), (at) => ({
      id: `id-${at}`,
      fees: { rate: at / 1_000, value: 10 * at },
    }));
    expect(await replaysOf(exchanges, ["charges.fee"])).toBeLessThan(40);
  });

  it("is compared up to a thousand differences of a body, and says so", async () => {
    const members = Object.fromEntries(idsOf(1_100).map((name) => [name, 1]));
    const report = await calibrateAll([await creationsOf(["order-1"], () => members)], { only: ["charges.fee"] });
    expect(report.drift).toHaveLength(1_000);
    expect(report.assumptions).toContain("Of a body that differs in more places, only the first 1000 are compared.");
  });
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

it.each(["failure", "pending", "limit", "refused", "unverified"] as const)(
  "finds the test number %s among twenty numbers",
  async (role) => {
    const numberOf = (place: number) => `+22507990001${String(place).padStart(2, "0")}`;
    const exchanges = await recordWith({ testNumbers: { [role]: numberOf(17) } }, async (sandbox) => {
      for (let place = 1; place <= 20; place++) {
        const json = { ...transferOf(`salary-${place}`), msisdn: numberOf(place) };
        const sent = await sandbox.fetch<{ id: string }>("/v1/transactions", { json });
        await sandbox.clock.advance("11m");
        if (sent.status === 201) await sandbox.fetch(`/v1/transactions/${(await sent.json()).id}`);
      }
    });
    const report = await calibrateAll([exchanges], { only: [`testNumbers.${role}`] });
    expect(settingsIn(report, "set")).toEqual({ [`testNumbers.${role}`]: numberOf(17) });
    expect(report.drift).toEqual([]);
  },
);

it("finds a test number in a batch of twenty transfers", async () => {
  const items = Array.from({ length: 20 }, (_, at) => ({
    ...transferOf(`salary-${at}`),
    msisdn: `+22507990001${at + 10}`,
  }));
  const failure = items[16]!.msisdn;
  const exchanges = await recordWith({ testNumbers: { failure } }, async (sandbox) => {
    const sent = await sandbox.fetch<{ transactions: { id: string }[] }>("/v1/transactions/batch", {
      json: { transactions: items },
    });
    await sandbox.clock.advance("2s");
    for (const { id } of (await sent.json()).transactions) await sandbox.fetch(`/v1/transactions/${id}`);
  });
  const report = await calibrateAll([exchanges], { only: ["testNumbers.failure"] });
  expect(settingsIn(report, "set")).toEqual({ "testNumbers.failure": failure });
  expect(report.drift).toEqual([]);
});

it("infers records from before the recording, and payments on the payment page", async () => {
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

it("leaves all settings open where the service answers only 401", async () => {
  const charges = await recordWith({}, (sandbox) =>
    sandbox.fetch("/v1/charges", { json: { ...chargeOf("order-1"), amount: 1 } }),
  );
  const answer = { ...charges[0]!.answer!, status: 401, body: Buffer.from('{"message":"no"}') };
  const none = await calibrateAll([[{ ...charges[0]!, answer }]], { source: { target: "https://staging.example" } });
  expect(none.source.compared).toBe(0);
  expect(none.settings.filter(({ state, evidence }) => state !== "open" || evidence.length > 0)).toEqual([]);
});
