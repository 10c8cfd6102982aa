import { expect, it } from "vitest";
import type { HttpExchange } from "../../src/adapters/har/http-exchange.js";
import { calibrateAll, chargeOf, recordWith, settingsIn, transferOf } from "../support/calibrate.js";

const only = ["http", "transfers.duplicateReference"];
const unanswered = (exchange: HttpExchange): HttpExchange => ({ ...exchange, answer: undefined });
const unavailable = (exchange: HttpExchange): HttpExchange => ({
  ...exchange,
  answer: { status: 503, headers: [["content-type", "text/html"]], body: Buffer.from("<p>Try again later</p>") },
});

it.each([
  ["no answer", unanswered],
  ["the answer 503", unavailable],
])("treats a request that got %s, and succeeded when it was sent again, as not done at first", async (got, lose) => {
  const recorded = await recordWith({}, async (sandbox) => {
    await sandbox.fetch("/v1/balance");
    const created = await sandbox.fetch<{ id: string }>("/v1/charges", { json: chargeOf("order-1") });
    await sandbox.fetch(`/v1/charges/${(await created.json()).id}/pay`, { method: "POST" });
    await sandbox.fetch("/v1/transactions", { json: transferOf("salary-1") });
    await sandbox.fetch("/v1/transactions/batch", { json: { transactions: [transferOf("salary-2")] } });
    await sandbox.fetch("/v1/balance");
  });
  const exchanges = recorded.flatMap((each) => (each.method === "POST" ? [lose(each), each] : [each]));
  const report = await calibrateAll([exchanges], { only });
  expect([report.drift, settingsIn(report, "set")]).toEqual([[], {}]);
  expect(report.source.compared).toBe(recorded.length);
  expect(report.assumptions).toContain(
    `Where POST /v1/charges got ${got} and succeeded later, it was not done at first.`,
  );
});

it("finds that a service pays a reference twice where the first answer was lost", async () => {
  const recorded = await recordWith({ transfers: { duplicateReference: "allow" } }, async (sandbox) => {
    await sandbox.fetch("/v1/balance");
    for (let time = 0; time < 2; time++) await sandbox.fetch("/v1/transactions", { json: transferOf("salary-1") });
    await sandbox.fetch("/v1/balance");
  });
  const exchanges = recorded.map((exchange, at) => (at === 1 ? unanswered(exchange) : exchange));
  const report = await calibrateAll([exchanges], { only });
  expect([report.drift, settingsIn(report, "set")]).toEqual([[], { "transfers.duplicateReference": "allow" }]);
});

it("treats a request without an answer as done if it is refused as a duplicate later", async () => {
  const recorded = await recordWith({}, async (sandbox) => {
    for (let time = 0; time < 2; time++) await sandbox.fetch("/v1/charges", { json: chargeOf("order-1") });
  });
  const report = await calibrateAll([[unanswered(recorded[0]!), recorded[1]!]], { only });
  expect([report.drift, report.source.compared]).toEqual([[], 1]);
});
