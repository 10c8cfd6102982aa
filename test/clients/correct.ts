import { randomUUID } from "node:crypto";
import { type Client, PAYEE, checksSignatures } from "./client.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import type { LooseJson } from "../support/world.js";

const PAYOUTS = "/v1/transactions";
const REFUNDS = "/v1/charges/:id/refund";

const programs: readonly Omit<Client, "finds">[] = [
  {
    name: "sends the same reference again, waits for the webhook, and pays the next salary under another one",
    run: async ({ live, pay, loseNext, listen }) => {
      await listen();
      await loseNext(PAYOUTS);
      await pay("salary-january");
      await pay("salary-january");
      await live.advance("2s");
      await pay("salary-february");
      await live.advance("2s");
    },
  },
  {
    name: "keeps the reference after a 409, and pays next month's salary before it knows how the first one ended",
    run: async ({ live, pay, loseNext, listen }) => {
      await loseNext(PAYOUTS);
      await pay("salary-january", { msisdn: "+2250700000003" });
      await pay("salary-january", { msisdn: "+2250700000003" });
      await live.advance("31d");
      await listen();
      await pay("salary-february", { msisdn: "+2250700000003" });
    },
  },
  {
    name: "reads the transfer that the webhook of its start names, and then pays as much again",
    run: async ({ live, pay, loseNext, listen }) => {
      let id = "";
      await listen(({ body }) => {
        id = `txn_${body.data.id}`;
        return {};
      });
      await loseNext(PAYOUTS);
      await pay("order-17");
      await live.settle();
      await live.http("GET", `/v1/transactions/${id}`);
      await pay("order-18");
      await live.advance("2s");
    },
  },
  {
    name: "sends the same reference again after a 503 that did nothing",
    run: async ({ live, pay, loseNext, listen }) => {
      await listen();
      await loseNext(PAYOUTS, { status: 503 });
      await pay("salary-awa");
      await live.advance("1s");
      await pay("salary-awa");
      await pay("bonus-awa");
      await live.advance("2s");
    },
  },
  {
    name: "pays two equal orders in parallel, and keeps both references",
    run: async ({ live, pay, loseNext, listen }) => {
      await listen();
      await loseNext(PAYOUTS);
      const keep = async (reference: string) => (await pay(reference)) ?? (await pay(reference));
      await Promise.all([keep("order-17"), keep("order-18")]);
      await live.advance("2s");
    },
  },
  {
    name: "pays two equal orders in parallel, each under its own reference",
    run: async ({ live, pay, listen }) => {
      await listen();
      await Promise.all([pay("order-17"), pay("order-18")]);
      await Promise.all(["7B2", "8C3"].map((order) => pay(`Order-2026-01-Abidjan-${order}`)));
      await live.advance("2s");
    },
  },
  {
    name: "is a suite of tests that pay the same number, one after the other",
    run: async ({ live, pay, loseNext, listen }) => {
      await listen();
      await pay(randomUUID());
      await pay(randomUUID());
      await loseNext(PAYOUTS);
      const reference = randomUUID();
      await pay(reference);
      await pay(reference);
      await live.advance("2s");
      await pay(randomUUID());
      await live.advance("2s");
    },
  },
  {
    name: "pays again under a new reference once the first transfer has failed",
    run: async ({ live, pay, loseNext, listen }) => {
      await listen();
      await loseNext(PAYOUTS);
      await pay("first", { msisdn: "+2250700000002" });
      await live.advance("2s");
      await pay("second", { msisdn: "+2250700000002" });
      await live.advance("2s");
    },
  },
  {
    name: "waits for the webhook where a service takes a reference twice",
    options: { profile: { transfers: { duplicateReference: "allow" } } },
    run: async ({ live, pay, loseNext, listen }) => {
      const receiver: LooseJson = await listen();
      await loseNext(PAYOUTS);
      await pay("salary-awa");
      await live.settle();
      if (receiver.received.length === 0) await pay("salary-awa");
      await live.advance("2s");
    },
  },
  {
    name: "sends the same reference again, since none of its webhooks came, where a service takes it twice",
    options: { profile: { transfers: { duplicateReference: "allow" } } },
    run: async ({ live, pay, loseNext, listen }) => {
      await listen();
      await loseNext(PAYOUTS, { fault: "reset" });
      await pay("salary-awa");
      await live.advance("1m");
      await pay("salary-awa");
      await live.advance("2s");
    },
  },
  {
    name: "pays the next order while the clock stands still, after a 409 for the one before",
    run: async ({ live, pay, loseNext, listen }) => {
      await listen();
      await loseNext(PAYOUTS);
      for (const reference of ["order-100", "order-100", "order-101", "order-101", "order-102"]) await pay(reference);
      await live.advance("2s");
    },
  },
  {
    name: "pays the next order after a lost answer, and takes the webhook of the one before",
    run: async ({ live, pay, loseNext, listen }) => {
      await listen();
      await loseNext(PAYOUTS);
      await pay("order-2");
      await pay("order-3");
      await live.advance("2s");
    },
  },
  {
    name: "refunds two items of one price, and has two receivers of its webhooks",
    run: async ({ live, listen, paidCharge, refund }) => {
      for (const _ of ["shop", "books"]) await listen();
      const id = await paidCharge(8_000);
      await live.settle();
      for (const _ of ["shirt", "shoes"]) {
        await refund(id, { amount: 3_000 });
        await live.settle();
      }
    },
  },
  {
    name: "refunds two items of one price, and acknowledges the webhook of the first at its second attempt",
    run: async ({ live, listen, paidCharge, refund }) => {
      let refunds = 0;
      await listen(({ body }) => ({
        status: body.data.status === "refunded_partially" && ++refunds === 1 ? 503 : 200,
      }));
      const id = await paidCharge(8_000);
      await refund(id, { amount: 3_000 });
      await live.advance("1m");
      await refund(id, { amount: 3_000 });
      await live.settle();
    },
  },
  {
    name: "learns from a webhook that a refund was made whose answer was lost, and refunds the next item",
    run: async ({ live, listen, paidCharge, refund, loseNext }) => {
      await listen();
      const id = await paidCharge(8_000);
      await loseNext(REFUNDS);
      await refund(id, { amount: 3_000 });
      await live.settle();
      await refund(id, { amount: 3_000 });
      await live.settle();
    },
  },
  {
    name: "reads the charge after a lost answer to a refund",
    run: async ({ live, paidCharge, refund, loseNext }) => {
      for (const commit of [true, false]) {
        const id = await paidCharge(8_000);
        await loseNext(REFUNDS, { fault: "reset", commit });
        await refund(id, { amount: 3_000 });
        const charge = await live.ok("GET", `/v1/charges/${id}`);
        if (charge.refunded === 0) await refund(id, { amount: 3_000 });
      }
    },
  },
  {
    name: "refunds two items of one price",
    run: async ({ paidCharge, refund }) => {
      const id = await paidCharge(8_000);
      await refund(id, { amount: 3_000 });
      await refund(id, { amount: 3_000 });
    },
  },
  {
    name: "refunds once, whatever copies of a webhook come",
    run: async ({ live, listen, paidCharge, refund }) => {
      const done = new Set<string>();
      await listen(async ({ body: { data } }) => {
        if (data.status === "paid" && !done.has(data.id)) {
          done.add(data.id);
          await refund(data.id, { amount: 3_000 });
        }
        return {};
      });
      await live.control("POST", "/rules", { on: "delivery", then: { duplicate: 2 } });
      await paidCharge(8_000);
      await live.settle();
    },
  },
  {
    name: "sends only what failed of a batch again, and the whole of it the next day",
    run: async ({ live, listen, payBatch }) => {
      await listen();
      const failing = { msisdn: "+2250700000002" };
      await payBatch([{ reference: "monday-1" }, { reference: "monday-2", ...failing }]);
      await live.advance("2s");
      await payBatch([{ reference: "monday-2-again", ...failing }]);
      await live.advance("1d");
      await payBatch([{ reference: "tuesday-1" }, { reference: "tuesday-2", ...failing }]);
      await live.advance("2s");
    },
  },
  {
    name: "pays two months at one time, and describes each",
    run: async ({ live, listen, payBatch }) => {
      await listen();
      for (const description of ["Salary January", "Salary February"]) {
        await payBatch(
          [{}, { msisdn: "+2250700000002" }].map((item) => ({ ...item, description, reference: randomUUID() })),
        );
        await live.advance("2s");
      }
    },
  },
  {
    name: "sends the same externalId again, and another one only after the 409",
    run: async ({ charge, loseNext }) => {
      await loseNext("/v1/charges");
      await charge({ externalId: "order-17" });
      await charge({ externalId: "order-17" });
      await charge({ externalId: "order-17-b" });
    },
  },
  {
    name: "creates charges for two orders of the same goods, one of which is lost at first",
    run: async ({ charge, loseNext }) => {
      await loseNext("/v1/charges");
      await charge({ externalId: "order-17" });
      await charge({ externalId: "order-18" });
      await charge({ externalId: "order-17" });
    },
  },
  {
    name: "reads a transfer until it is final, and a charge after its hour",
    run: async ({ live }) => {
      const { id } = await live.createTransfer();
      const charge = await live.createCharge();
      await live.advance("1h");
      await live.http("GET", `/v1/transactions/${id}`);
      await live.http("GET", `/v1/charges/${charge.id}`);
    },
  },
  {
    name: "ends while a transfer is pending, and a webhook is held back",
    run: async ({ live, listen }) => {
      await listen();
      await live.control("POST", "/rules", { on: "delivery", then: { delay: "1h" } });
      await live.createTransfer();
    },
  },
  {
    name: "refuses what was not signed with its key, and takes the rest",
    options: { forges: true, profile: { webhooks: { retry: [] } } },
    run: async ({ live, listen }) => {
      await listen(checksSignatures);
      await live.control("POST", "/rules", { on: "delivery", then: { corruptSignature: true }, times: 1 });
      await live.createTransfer();
      await live.advance("2s");
    },
  },
  {
    name: "subscribes a URL to several topics, and again after it has unsubscribed",
    run: async ({ live }) => {
      const { id } = await live.subscribe("charges/events", "https://shop.test/hooks");
      await live.subscribe("transactions/completed", "https://shop.test/hooks");
      await live.http("DELETE", `/v1/webhooks/${id}`);
      await live.subscribe("charges/events", "https://shop.test/hooks");
    },
  },
  {
    name: "subscribes the new before it deletes the old",
    run: async ({ live }) => {
      const { id } = await live.subscribe("charges/events", "https://shop.test/hooks");
      await live.subscribe("charges/events", "https://shop.test/hooks");
      await live.http("DELETE", `/v1/webhooks/${id}`);
    },
  },
  {
    name: "is five workers with a first request each, most of which are answered 429",
    options: { profile: { rateLimit: { requests: 1, per: "10s" } } },
    run: ({ live }) => Promise.all(Array.from({ length: 5 }, () => live.http("GET", "/v1/balance"))),
  },
  {
    name: "pays many recipients at once, and one of them under two references that name two orders",
    run: async ({ live, listen }) => {
      await listen();
      const orders = Array.from({ length: 8 }, (_, index) =>
        transferRequest({ msisdn: PAYEE, reference: `invoice-${index}` }),
      );
      await Promise.all(orders.map((order) => live.http("POST", PAYOUTS, order)));
      await live.advance("2s");
    },
  },
  {
    name: "acknowledges a webhook at its second attempt",
    run: async ({ live, listen }) => {
      await listen((_, index) => ({ status: index === 0 ? 503 : 200 }));
      await live.ok("POST", "/v1/charges", chargeRequest());
      await live.advance("2h");
    },
  },
];

export const correct: readonly Client[] = programs.map((program) => ({ ...program, finds: [] }));
