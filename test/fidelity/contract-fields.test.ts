import { describe, expect, it } from "vitest";
import { renderCharge } from "../../src/contract/charges.js";
import { describeApi } from "../../src/contract/openapi/describe-api.js";
import { createSampleWorld } from "../../src/contract/openapi/sample-world.js";
import { renderPayload } from "../../src/contract/webhooks.js";
import { renderError } from "../../src/contract/problems.js";
import { renderBalance, renderCustomerCheck, renderPage } from "../../src/contract/queries.js";
import { renderSubscription } from "../../src/contract/subscriptions.js";
import { renderBatch, renderTransfer } from "../../src/contract/transfers.js";
import { listPage } from "../../src/kernel/records/page.js";
import { profileOf, type SettingsByPath } from "../support/openapi-walk.js";
import { additions, type ContractBody, contractFields } from "./contract-fields.js";

describe("what the sandbox renders", () => {
  it.each(Object.entries(renderings()))("has the contract's fields: %s", (name, bodies) => {
    const { always, sometimes, added } = fieldsOf(name as ContractBody);
    for (const body of bodies) {
      const shown = Object.keys(body);
      expect({
        missing: always.filter((field) => !shown.includes(field)),
        added: shown.filter((field) => !always.includes(field) && !sometimes.includes(field)).toSorted(),
      }).toEqual({ missing: [], added: added.toSorted() });
    }
  });

  it.each(Object.entries(renderings()))(
    "shows every field that depends on the caller once at least: %s",
    (name, bodies) => {
      const { sometimes } = fieldsOf(name as ContractBody);
      for (const field of sometimes) {
        expect([field, bodies.some((body) => field in body), bodies.every((body) => field in body)]).toEqual([
          field,
          true,
          false,
        ]);
      }
    },
  );

  it.each([
    [{}, "charge read", [], []],
    [{ "charges.paymentUrlOnRead": true }, "charge read", ["paymentUrl"], []],
    [{ "charges.paymentUrlOnRead": true }, "charge in a payload", ["paymentUrl"], []],
    [{ "webhooks.chargePayload": "slim" }, "charge in a payload", [], ["transactions"]],
    [{ "webhooks.chargePayload": "slim" }, "charge read", [], []],
    [{ "transfers.webhookId": "prefixed" }, "transaction in a payload", [], []],
  ] as const)("under %j a %s differs only in the fields that the setting names", (overrides, name, more, less) => {
    const before = keysOf(renderings()[name]);
    const after = keysOf(renderings(overrides)[name]);
    expect(after.filter((field) => !before.includes(field))).toEqual(more);
    expect(before.filter((field) => !after.includes(field))).toEqual(less);
  });
});

describe("what the API description says", () => {
  const { schemas } = describeApi().components;

  it.each(Object.entries(schemaNames()))("has the contract's fields: %s", (name, schemaName) => {
    const { always, sometimes, added } = fieldsOf(name as ContractBody);
    const { properties, required, additionalProperties } = schemaAt(schemaName);
    expect(new Set(required)).toEqual(new Set([...always, ...added]));
    expect(new Set(Object.keys(properties ?? {}))).toEqual(new Set([...always, ...sometimes, ...added]));
    expect(additionalProperties).toBe(false);
  });

  /** `WebhookSubscriptionPage.cursor` is a property of a schema. */
  function schemaAt(name: string) {
    const [schema = "", property] = name.split(".");
    return property === undefined ? Object(schemas[schema]) : Object(Object(schemas[schema]).properties[property]);
  }
});

it("the list of additions has only fields that exist, each with its reason", () => {
  for (const [name, { fields, why }] of Object.entries(additions)) {
    expect(Object.keys(contractFields)).toContain(name);
    expect(fields.length).toBeGreaterThan(0);
    expect(why).toMatch(/\.$/);
  }
});

function fieldsOf(name: ContractBody) {
  const { always, sometimes }: { always: readonly string[]; sometimes: readonly string[] } = contractFields[name];
  return { always, sometimes, added: additions[name]?.fields ?? [] };
}

/** Bodies of every kind, as the renderers make them of a sample that has everything in it. */
function renderings(overrides: SettingsByPath = {}): Readonly<Record<ContractBody, readonly object[]>> {
  const profile = profileOf(overrides);
  const sample = createSampleWorld(profile, "http://127.0.0.1:4010/checkout/");
  const { charges, transfers, batch, settledInBatch, stage } = sample;
  const bare = { ...transfers.completed, description: undefined };
  const settled = [transfers.completed, transfers.failed, settledInBatch, bare];
  const all = Object.values(charges);
  const paid = [charges.paid, charges.refunded, charges.refundedPartially];
  const page = renderPage(listPage(stage.world.subscriptions, { limit: 15 }), (row) =>
    renderSubscription(row, profile),
  );
  const event = stage.eventOf("charge.paid", charges.paid.id);
  return {
    "transaction created": [transfers.pending, bare].map((transfer) => renderTransfer(transfer, "created", profile)),
    "transaction of a batch": [batch.transactions[0]!, { ...batch.transactions[0]!, description: undefined }].map(
      (transfer) => renderTransfer(transfer, "created", profile),
    ),
    "transaction read": settled.map((transfer) => renderTransfer(transfer, "read", profile)),
    "transaction in a payload": settled.map((transfer) => renderTransfer(transfer, "payload", profile)),
    batch: [renderBatch(batch, "created", profile)],
    "customer check": [renderCustomerCheck({ kycStatus: "complete", firstName: "Awa", lastName: "Koné" })],
    balance: [renderBalance(0)],
    "charge created": [renderCharge(charges.due, "created", profile)],
    "charge read": all.map((charge) => renderCharge(charge, "read", profile)),
    "charge paid": [charges.paid, charges.declined].map((charge) => renderCharge(charge, "paid", profile)),
    "charge refunded": paid.slice(1).map((charge) => renderCharge(charge, "refunded", profile)),
    "charge in a payload": all.map((charge) => renderCharge(charge, "payload", profile)),
    "fees of a charge": all.map((charge) => renderCharge(charge, "read", profile).fees),
    "transaction of a charge": paid.flatMap((charge) => renderCharge(charge, "read", profile).transactions ?? []),
    subscription: [sample.subscription, sample.otherSubscription].map((subscription) =>
      renderSubscription(subscription, profile),
    ),
    "list of subscriptions": [page],
    "cursor of a list": [page.cursor],
    payload: [JSON.parse(renderPayload(profile, "charges/events", event))],
    error: [renderError(404, ["No"], { correlationId: "0", path: "/", timestamp: stage.now() })],
  };
}

/** Where the API description has each body. */
function schemaNames(): Readonly<Record<ContractBody, string>> {
  return {
    "transaction created": "TransactionCreated",
    "transaction of a batch": "BatchTransaction",
    "transaction read": "Transaction",
    "transaction in a payload": "CompletedTransaction",
    batch: "Batch",
    "customer check": "CustomerCheck",
    balance: "Balance",
    "charge created": "ChargeCreated",
    "charge read": "Charge",
    "charge paid": "ChargePaid",
    "charge refunded": "ChargeRefunded",
    "charge in a payload": "ChargePayload",
    "fees of a charge": "ChargeFees",
    "transaction of a charge": "ChargeEntry",
    subscription: "WebhookSubscription",
    "list of subscriptions": "WebhookSubscriptionPage",
    "cursor of a list": "PageCursor",
    payload: "ChargeEvent",
    error: "ErrorBody",
  };
}

function keysOf(bodies: readonly object[]): string[] {
  return [...new Set(bodies.flatMap((body) => Object.keys(body)))];
}
