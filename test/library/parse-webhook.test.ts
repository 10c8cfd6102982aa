import { createHmac } from "node:crypto";
import { describe, expect, expectTypeOf, test } from "vitest";
import type { Charge, Transaction } from "../../src/index.js";
import { WebhookError, parseWebhook } from "../../src/webhooks.js";
import { create, order } from "./sandboxes.js";

const KEY = "secret_sandbox";
const parse = (body: string | Uint8Array | ArrayBuffer, signed = body as string | Uint8Array) =>
  parseWebhook(body, createHmac("sha256", KEY).update(signed).digest("base64"), KEY);
const transaction = { id: "1", status: "completed", amount: 5000, msisdn: "+2250700000001", reference: "payout-1" };
const bodyOf = (topic: unknown, data: unknown = transaction): string => JSON.stringify({ topic, data });

describe("parseWebhook", () => {
  test("returns the event of a genuine webhook, as text or bytes", () => {
    const body = bodyOf("transactions/completed");
    expect(parse(body)).toEqual({ topic: "transactions/completed", data: transaction });
    expect(parse(new TextEncoder().encode(body))).toEqual(parse(body));
    expect(parse(new TextEncoder().encode(body).buffer, body)).toEqual(parse(body));
  });

  test("narrows by topic in both spellings", () => {
    const event = parse(bodyOf("transaction/completed"));
    if (event.topic === "charges/events" || event.topic === "charge/events")
      expectTypeOf(event.data).toEqualTypeOf<Charge>();
    else expectTypeOf(event.data).toEqualTypeOf<Transaction>();
    expect(event.topic).toBe("transaction/completed");
  });

  test("reads what the sandbox sends", async () => {
    const sandbox = await create();
    const charge = await (await sandbox.fetch<Charge>("/v1/charges", { json: order("order-1") })).json();
    sandbox.pay(charge.id, "+2250700000001");
    const body = JSON.stringify(await sandbox.webhooks.waitFor("charges/events"));
    expect(parse(body).data.status).toBe("paid");
  });

  test.each([
    [
      "another body",
      () => parse(`${bodyOf("transactions/completed")} `, bodyOf("transactions/completed")),
      "signature",
    ],
    ["no signature", () => parseWebhook(bodyOf("transactions/completed"), undefined, KEY), "signature"],
    ["a text that is not JSON", () => parse("{"), "body"],
    ["a list", () => parse("[]"), "body"],
    ["an unknown topic", () => parse(bodyOf("transactions/done")), "body"],
    ["a topic that is not a text", () => parse(bodyOf({})), "body"],
    ["no data", () => parse(bodyOf("transactions/completed", null)), "body"],
    ["an amount as text", () => parse(bodyOf("transactions/completed", { ...transaction, amount: "5000" })), "body"],
    ["an unknown status", () => parse(bodyOf("transactions/completed", { ...transaction, status: "paid" })), "body"],
    ["a transaction as a charge", () => parse(bodyOf("charges/events")), "body"],
  ] as const)("refuses %s", (_, read, reason) => {
    expect(read).toThrow(WebhookError);
    expect(read).toThrow(expect.objectContaining({ name: "WebhookError", reason }));
  });

  test.each([
    ["refuses one that nobody has signed", () => parseWebhook(bodyOf("charges/events"), undefined, KEY), 401],
    ["refuses one that is not an event", () => parse("{"), 400],
    ["acknowledges a topic that it does not know", () => parse(bodyOf("transactions/done")), 204],
  ] as const)("has the status of an answer that %s", (_, read, status) => {
    expect(read).toThrow(expect.objectContaining({ status }));
  });

  test("names the fields that are wrong", () => {
    expect(() => parse(bodyOf("charges/events", { id: 1, amount: 1, status: "paid" }))).toThrow(
      "Failed to read a webhook: data.id, data.externalId missing or of another type.",
    );
  });

  test("throws for a parsed body", () => {
    // @ts-expect-error A body that was parsed.
    expect(() => parseWebhook({}, "", KEY)).toThrow(TypeError);
  });
});
