import { once } from "node:events";
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { type CreatedCharge, UsageError } from "../../src/index.js";
import { create, order } from "./sandboxes.js";

test("pay acts as the customer, and is not a request of the client", async () => {
  const sandbox = await create();
  const created = await sandbox.fetch<CreatedCharge>("/v1/charges", { json: order("order-1") });
  const { id, paymentUrl } = await created.json();
  expect(paymentUrl).toContain(id);
  expect(sandbox.pay(id, "+2250700000001")).toMatchObject({ id, status: "paid", due: 0 });
  expect((await sandbox.webhooks.waitFor("charges/events")).data).toMatchObject({ id, status: "paid" });
  expect(sandbox.coverage().operations.find(({ operation }) => operation === "payCharge")?.count).toBe(0);
});

test("pay refuses what the payment page would refuse", async () => {
  const sandbox = await create();
  expect(() => sandbox.pay("unknown", "+2250700000001")).toThrow(UsageError);
  const missing = undefined as unknown as string;
  expect(() => sandbox.pay(missing, "+2250700000001")).toThrow(/^Failed to pay the charge: .*"undefined"/);
  expect(() => sandbox.pay("unknown", "12")).toThrow(/^Failed to pay the charge: msisdn must be/);
});

test("subscribe and deliveries show what a receiver gets", async () => {
  const sandbox = await create();
  const server = createServer((request, response) => void request.resume().on("end", () => response.end("ok")));
  onTestFinished(() => void server.close());
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}/hook`;
  expect(sandbox.subscribe("charges/events", url)).toMatchObject({ topic: "charges/events", url });
  const created = await sandbox.fetch<CreatedCharge>("/v1/charges", { json: order("order-1") });
  sandbox.pay((await created.json()).id, "+2250700000001");
  await sandbox.settle();
  expect(sandbox.deliveries()).toMatchObject([
    { url, status: "succeeded", attempts: [{ status: 200, error: null, response: { body: "ok" } }] },
  ]);
  // @ts-expect-error An unknown topic.
  expect(() => sandbox.subscribe("charges/event", url)).toThrow(/^Failed to subscribe: topic must be one of/);
});
