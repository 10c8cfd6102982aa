import { describe, expectTypeOf, test } from "vitest";
import type * as z from "zod";
import type { createChargeRequest } from "../../src/contract/charges.js";
import type { batchRequest, transferRequest } from "../../src/contract/transfers.js";
import {
  audit,
  type AuditReport,
  type BatchRequest,
  type Charge,
  type ChargeEvent,
  type ChargeRequest,
  type CreatedCharge,
  createSandbox,
  type Customer,
  type Sandbox,
  type SandboxOptions,
  type TopicName,
  type Transaction,
  type TransactionRequest,
  type TransferRuleInput,
  type WebhookEvent,
  type WebhookSubscriptionRequest,
} from "../../src/index.js";

/** `npm run typecheck` is the test. Nothing here needs to run. */
declare const sandbox: Sandbox;

describe("the data of an event", () => {
  test("is a charge for charges/events, in both spellings", () => {
    const wait = () =>
      sandbox.webhooks.waitFor("charges/events", (event) => event.data.status === "refunded_partially");
    expectTypeOf(wait).returns.resolves.toEqualTypeOf<ChargeEvent>();
    const waitSingular = () => sandbox.webhooks.waitFor("charge/events", ({ data }) => data.due === 0);
    expectTypeOf(waitSingular).returns.resolves.toHaveProperty("data").toEqualTypeOf<Charge>();
    expectTypeOf<WebhookEvent<"charges/events">["data"]>().toEqualTypeOf<Charge>();
    expectTypeOf<WebhookEvent<"charge/events">["data"]>().toEqualTypeOf<Charge>();
    // @ts-expect-error A charge is never `completed`.
    void (() => sandbox.webhooks.waitFor("charges/events", ({ data }) => data.status === "completed"));
  });

  test("is a transaction for every other topic, in both spellings", () => {
    type Others = Exclude<TopicName, "charges/events" | "charge/events">;
    expectTypeOf<WebhookEvent<Others>["data"]>().toEqualTypeOf<Transaction>();
    expectTypeOf<WebhookEvent<"transactions/started">["data"]>().toEqualTypeOf<Transaction>();
    expectTypeOf<WebhookEvent<"transaction/failed">["data"]>().toEqualTypeOf<Transaction>();
    const wait = () => sandbox.webhooks.waitFor("transaction/completed", ({ data }) => data.reference === "payout-1");
    expectTypeOf(wait).returns.resolves.toHaveProperty("data").toEqualTypeOf<Transaction>();
    // @ts-expect-error A transaction has no externalId.
    void (() => sandbox.webhooks.waitFor("transactions/started", ({ data }) => data.externalId === "order-1"));
  });

  test("is discriminated by its topic", () => {
    const event: WebhookEvent = JSON.parse('{"topic":"charge/events","data":{}}');
    if (event.topic === "charges/events" || event.topic === "charge/events")
      expectTypeOf(event.data).toEqualTypeOf<Charge>();
    else expectTypeOf(event.data).toEqualTypeOf<Transaction>();
    // @ts-expect-error Without a check it may be either.
    void event.data.externalId;
    expectTypeOf(() => sandbox.webhooks.list()).returns.toEqualTypeOf<readonly WebhookEvent[]>();
    expectTypeOf(() => sandbox.webhooks.list("charge/events")).returns.toEqualTypeOf<readonly ChargeEvent[]>();
  });

  test("belongs to an existing topic", () => {
    expectTypeOf<"transactions/complete">().not.toExtend<TopicName>();
    // @ts-expect-error An unknown topic.
    void (() => sandbox.webhooks.waitFor("transactions/complete"));
    // @ts-expect-error An unknown topic here as well.
    void (() => sandbox.webhooks.list("charge/event"));
  });
});

describe("options and handles", () => {
  test("are checked by the compiler", () => {
    expectTypeOf<"running">().toExtend<NonNullable<SandboxOptions["clock"]>>();
    void (() =>
      createSandbox({ profile: { transfers: { settlement: { after: "1m" } }, webhooks: { retry: "fast" } } }));
    // @ts-expect-error An unknown setting.
    void (() => createSandbox({ profile: { transfers: { setlement: "manual" } } }));
    // @ts-expect-error An unknown option.
    void (() => createSandbox({ clok: "frozen" }));
    // @ts-expect-error A company has no port.
    void (() => sandbox.company({ port: 4010 }));
    expectTypeOf(() => sandbox.customers.list()).returns.toEqualTypeOf<readonly Customer[]>();
    expectTypeOf(() => sandbox.fetch<Charge>("/v1/charges/1"))
      .returns.resolves.toHaveProperty("json")
      .returns.resolves.toEqualTypeOf<Charge>();
    expectTypeOf<Sandbox["fetch"]>().toExtend<typeof globalThis.fetch>();
    expectTypeOf<Sandbox>().toExtend<AsyncDisposable>();
  });
});

describe("rules", () => {
  test("match by values and matchers of the right type", () => {
    expectTypeOf<{ amount: { $gt: number } }>().toExtend<NonNullable<TransferRuleInput["match"]>>();
    void (() => sandbox.rules.add({ on: "transfer", match: { amount: { $gt: 5000 } }, then: { outcome: "failed" } }));
    void (() => sandbox.rules.add({ on: "delivery", match: { data: { status: "paid" } }, then: { drop: true } }));
    const add = (amount: TransferRuleInput["match"]) => () =>
      sandbox.rules.add({ on: "transfer", match: amount ?? {}, then: { outcome: "failed" } });
    // @ts-expect-error An unknown matcher.
    void add({ amount: { $above: 5000 } });
    // @ts-expect-error An amount is a number.
    void (() => sandbox.rules.add({ on: "transfer", match: { amount: "5000" }, then: { outcome: "failed" } }));
    // @ts-expect-error An unknown topic.
    void (() => sandbox.rules.add({ on: "delivery", match: { topic: "charges/event" }, then: { drop: true } }));
  });
});

describe("requests", () => {
  test("are what the checks of the API accept", () => {
    expectTypeOf<ChargeRequest>().toExtend<z.input<ReturnType<typeof createChargeRequest>>>();
    expectTypeOf<TransactionRequest>().toExtend<z.input<ReturnType<typeof transferRequest>>>();
    expectTypeOf<Required<BatchRequest["transactions"][number]>>().toExtend<
      z.input<ReturnType<typeof batchRequest>>["transactions"][number]
    >();
    expectTypeOf<WebhookSubscriptionRequest["topic"]>().toEqualTypeOf<string>();
    expectTypeOf<CreatedCharge["paymentUrl"]>().toEqualTypeOf<string>();
  });
});

describe("an audit", () => {
  test("accepts a state in any form, and a company's handle as its sandbox", () => {
    void (() => audit("http://127.0.0.1:4020", { check: () => 1, order: async () => ({ id: "1" }), only: "state" }));
    void (() => audit(new URL("http://127.0.0.1:4020"), { check: "http://127.0.0.1:4020/state", sandbox }));
    void (async () => audit("http://127.0.0.1:4020", { sandbox: await sandbox.company() }));
    // @ts-expect-error A state comes from a function, a URL or a command.
    void (() => audit("http://127.0.0.1:4020", { check: 5 }));
    // @ts-expect-error An unknown option.
    void (() => audit("http://127.0.0.1:4020", { onyl: "state" }));
    expectTypeOf(audit).returns.resolves.toEqualTypeOf<AuditReport>();
    expectTypeOf<AuditReport["checks"][number]["verdict"]>().toEqualTypeOf<"pass" | "fail" | "warn" | "skipped">();
  });
});
