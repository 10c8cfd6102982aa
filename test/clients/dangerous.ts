import { randomUUID } from "node:crypto";
import { type Client, PAYEE } from "./client.js";
import { chargeRequest, transferRequest } from "../support/requests.js";

const PAYOUTS = "/v1/transactions";
const REFUNDS = "/v1/charges/:id/refund";
const forges = { forges: true, profile: { webhooks: { retry: [] } } } as const;

export const dangerous: readonly Client[] = [
  {
    name: "pays under a new reference after a lost answer",
    finds: ["double-payout"],
    run: async ({ live, pay, loseNext, listen }) => {
      await listen();
      await loseNext(PAYOUTS);
      await pay("attempt-1");
      await pay("attempt-2");
      await live.advance("2s");
    },
  },
  {
    name: "pays under a new reference after a 503",
    finds: ["double-payout"],
    run: async ({ live, pay, loseNext, listen }) => {
      await listen();
      await loseNext(PAYOUTS, { status: 503 });
      await pay("attempt-1");
      await pay("attempt-2");
      await live.advance("2s");
    },
  },
  {
    name: "takes a 409 for a reason to pay under a new reference",
    finds: ["double-payout"],
    run: async ({ live, pay, loseNext, listen }) => {
      await listen();
      await loseNext(PAYOUTS);
      await pay("salary-awa");
      await pay("salary-awa");
      await pay("salary-awa-2");
      await live.advance("2s");
    },
  },
  {
    name: "runs its job again, and pays under a new reference after the 409 for a payout that it knew",
    finds: ["double-payout"],
    run: async ({ live, pay, listen }) => {
      await listen();
      await pay("salary-awa");
      await live.advance("2s");
      await pay("salary-awa");
      await pay("salary-awa-2");
      await live.advance("2s");
    },
  },
  ...["salary-awa-2", randomUUID()].map((again) => ({
    name: `reads that its transfer is pending, and pays under another reference, ${again === "salary-awa-2" ? again : "a UUID"}`,
    finds: ["double-payout"],
    run: async ({ live, pay, loseNext, listen }: Parameters<Client["run"]>[0]) => {
      let id = "";
      await listen(({ body }) => {
        id = `txn_${body.data.id}`;
        return {};
      });
      await loseNext(PAYOUTS);
      await pay(again === "salary-awa-2" ? "salary-awa" : randomUUID());
      await live.settle();
      await live.http("GET", `/v1/transactions/${id}`);
      await pay(again);
      await live.advance("2s");
    },
  })),
  ...[true, false].map((answersFirst) => ({
    name: `pays a seller for each copy of a webhook, ${answersFirst ? "after" : "before"} its answer`,
    finds: ["double-payout"],
    run: async ({ live, pay, listen, paidCharge }: Parameters<Client["run"]>[0]) => {
      const paid: Promise<unknown>[] = [];
      await listen(async ({ body: { topic, data } }) => {
        if (topic === "charges/events" && data.status === "paid") paid.push(pay(randomUUID()));
        if (!answersFirst) await Promise.all(paid);
        return {};
      });
      await live.control("POST", "/rules", {
        on: "delivery",
        match: { topic: "charges/events" },
        then: { duplicate: 1 },
      });
      await paidCharge(8_000);
      await live.settle();
      await Promise.all(paid);
      await live.advance("2s");
    },
  })),
  {
    name: "pays a seller again when a webhook is sent again that it did not answer",
    finds: ["double-payout"],
    run: async ({ live, pay, listen, paidCharge }) => {
      let attempts = 0;
      await listen(async ({ body: { data } }) => {
        if (data.status !== "paid") return {};
        await pay(`seller-${randomUUID()}`);
        return { status: ++attempts === 1 ? 500 : 200 };
      });
      await paidCharge(8_000);
      await live.advance("1m");
    },
  },
  {
    name: "refunds an item again when a webhook is sent again that it did not answer",
    finds: ["refund-repeated"],
    run: async ({ live, refund, listen, paidCharge }) => {
      let attempts = 0;
      await listen(async ({ body: { data } }) => {
        if (data.status !== "paid") return {};
        await refund(data.id, { amount: 3_000 });
        return { status: ++attempts === 1 ? 500 : 200 };
      });
      await paidCharge(8_000);
      await live.advance("1m");
    },
  },
  {
    name: "sends the same reference again where a service takes it twice",
    finds: ["double-payout"],
    options: { profile: { transfers: { duplicateReference: "allow" } } },
    run: async ({ live, pay, loseNext, listen }) => {
      await listen();
      await loseNext(PAYOUTS);
      await pay("salary-awa");
      await pay("salary-awa");
      await live.advance("2s");
    },
  },
  {
    name: "uses one reference for two recipients",
    finds: ["reference-reused"],
    run: async ({ live, pay, listen }) => {
      await listen();
      await pay("salary");
      await pay("salary", { msisdn: "+2250700000011" });
      await live.advance("2s");
    },
  },
  {
    name: "uses one reference for two amounts",
    finds: ["reference-reused"],
    run: async ({ live, pay, listen }) => {
      await listen();
      await pay("salary");
      await pay("salary", { amount: 12_000 });
      await live.advance("2s");
    },
  },
  {
    name: "repeats a partial refund after a lost answer",
    finds: ["refund-repeated"],
    run: async ({ paidCharge, refund, loseNext }) => {
      const id = await paidCharge(8_000);
      await loseNext(REFUNDS);
      await refund(id, { amount: 3_000 });
      await refund(id, { amount: 3_000 });
    },
  },
  {
    name: "refunds in part for each copy of a webhook",
    finds: ["refund-repeated"],
    run: async ({ live, listen, paidCharge, refund }) => {
      await listen(async ({ body }) => {
        if (body.data.status === "paid") await refund(body.data.id, { amount: 3_000 });
        return {};
      });
      await paidCharge(8_000);
      await live.settle();
      const paid = live.deliveries().find(({ topic }) => topic === "charges/events");
      await live.control("POST", `/deliveries/${paid?.id}/redeliver`);
      await live.settle();
    },
  },
  {
    name: "refunds all of a charge twice",
    finds: ["refund-repeated"],
    run: async ({ paidCharge, refund }) => {
      const id = await paidCharge(8_000);
      await refund(id);
      await refund(id);
    },
  },
  {
    name: "sends the whole batch again after a part of it failed",
    finds: ["batch-repeated"],
    run: async ({ live, listen, payBatch }) => {
      await listen();
      await payBatch([{ reference: "january-1" }, { reference: "january-2", msisdn: "+2250700000002" }]);
      await live.advance("2s");
      await payBatch([{ reference: "again-1" }, { reference: "again-2", msisdn: "+2250700000002" }]);
      await live.advance("2s");
    },
  },
  {
    name: "creates a second charge for an order after a lost answer",
    finds: ["charge-repeated"],
    run: async ({ charge, loseNext }) => {
      await loseNext("/v1/charges");
      await charge({ externalId: randomUUID(), description: "Order 17" });
      await charge({ externalId: randomUUID(), description: "Order 17" });
    },
  },
  ...[{ authorization: "Bearer secret_sandbox" }, { "x-secret-key": "secret_sandbox" }].map((headers) => ({
    name: `sends the secret key in the header ${Object.keys(headers).join()}`,
    finds: ["secret-leaked"],
    run: ({ live }: Parameters<Client["run"]>[0]) => live.http("GET", "/v1/balance", undefined, headers),
  })),
  {
    name: "never learns how a transfer ended",
    finds: ["outcome-never-learned"],
    run: async ({ live, pay }) => {
      await pay("salary-awa");
      await live.advance("1h");
    },
  },
  {
    name: "reads a transfer while it is pending, and never again",
    finds: ["outcome-never-learned"],
    run: async ({ live }) => {
      const { id } = await live.createTransfer();
      await live.http("GET", `/v1/transactions/${id}`);
      await live.advance("1h");
    },
  },
  {
    name: "never learns how an item of a batch and a charge ended",
    finds: ["outcome-never-learned", "outcome-never-learned"],
    run: async ({ live, payBatch, charge }) => {
      await payBatch([{ reference: "january-1" }]);
      await charge();
      await live.advance("1h");
    },
  },
  {
    name: "subscribes at each start",
    finds: ["duplicate-subscription"],
    run: async ({ live }) => {
      await live.subscribe("charges/events", "https://shop.test/hooks");
      await live.subscribe("charge/events", "https://shop.test/hooks");
    },
  },
  ...[{ corruptSignature: true }, { truncate: 20 }].map((then) => ({
    name: `acknowledges a webhook with ${Object.keys(then).join()}`,
    finds: ["forged-webhook-acknowledged"],
    options: forges,
    run: async ({ live, listen }: Parameters<Client["run"]>[0]) => {
      await listen(() => ({}));
      await live.control("POST", "/rules", { on: "delivery", then });
      await live.createTransfer();
      await live.settle();
    },
  })),
  {
    name: "answers a webhook with 500, and the clock does not move",
    finds: ["webhook-unacknowledged"],
    run: async ({ live, listen }) => {
      await listen({ status: 500 });
      await live.createTransfer();
      await live.settle();
    },
  },
  {
    name: "never answers a webhook",
    finds: ["webhook-unacknowledged"],
    run: async ({ live, listen }) => {
      await listen("hang");
      await live.createTransfer();
    },
  },
  {
    name: "pays one order with two workers, each with a reference of its own",
    finds: ["concurrent-payouts"],
    run: async ({ live, listen }) => {
      await listen();
      const work = () =>
        live.http("POST", PAYOUTS, transferRequest({ msisdn: PAYEE, reference: `order-17-${randomUUID()}` }));
      await Promise.all([work(), work()]);
      await live.advance("2s");
    },
  },
  {
    name: "asks again at once after a 429",
    finds: ["retry-at-once"],
    options: { profile: { rateLimit: { requests: 1, per: "10s" } } },
    run: async ({ live }) => {
      for (let attempt = 1; attempt <= 4; attempt++) await live.http("GET", "/v1/balance");
    },
  },
  {
    name: "pays a dropped charge, and refunds more than was paid",
    finds: ["pay-after-drop", "refund-beyond-paid"],
    run: async ({ live, listen, paidCharge, refund }) => {
      await listen();
      const { id } = await live.ok("POST", "/v1/charges", chargeRequest());
      await live.advance("1h");
      await live.http("POST", `/v1/charges/${id}/pay`);
      await refund(await paidCharge(8_000), { amount: 8_001 });
    },
  },
];
