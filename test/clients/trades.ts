import { randomUUID } from "node:crypto";
import { call } from "../support/live.js";
import { transferRequest } from "../support/requests.js";
import { type Client, PAYEE } from "./client.js";

const PAYOUTS = "/v1/transactions";
const FAILING = "+2250700000002";

/** Payrolls, marketplaces and subscriptions that lose money. */
export const dangerousTrades: readonly Client[] = [
  {
    name: "starts a payroll again as a whole, under the number of the run",
    finds: ["double-payout"],
    run: async ({ live, pay, loseNext, listen }) => {
      await listen();
      for (const run of [1, 2])
        for (const employee of [21, 22]) {
          if (run === 1 && employee === 22) await loseNext(PAYOUTS);
          await pay(`run-${run}-employee-${employee}`, { msisdn: `+22507000000${employee}` });
          if (run === 1 && employee === 21) await live.advance("2s");
        }
      await live.advance("2s");
    },
  },
  {
    name: "writes the number of its recipient otherwise at the next try",
    finds: ["double-payout"],
    run: async ({ live, pay, loseNext, listen }) => {
      await listen();
      await loseNext(PAYOUTS);
      await pay(randomUUID(), { msisdn: "+2250700000010" });
      await pay(randomUUID(), { msisdn: "0700000010" });
      await live.advance("2s");
    },
  },
  {
    name: "pays in a batch of one what it could not pay alone",
    finds: ["double-payout"],
    run: async ({ live, pay, payBatch, loseNext, listen }) => {
      await listen();
      await loseNext(PAYOUTS);
      await pay(randomUUID());
      await payBatch([{ reference: randomUUID() }]);
      await live.advance("2s");
    },
  },
  {
    name: "pays at night what has no answer in its table, and polls only that",
    finds: ["double-payout", "outcome-never-learned"],
    run: async ({ live, pay, loseNext }) => {
      await loseNext(PAYOUTS, { fault: "empty", commit: true });
      await pay(randomUUID());
      await live.advance("10h");
      const { id } = await live.createTransfer({ msisdn: PAYEE, amount: 10_000, reference: randomUUID() });
      await live.advance("2s");
      await live.http("GET", `/v1/transactions/${id}`);
    },
  },
  {
    name: "pays with two workers, and has the drawn reference in the description",
    finds: ["concurrent-payouts"],
    run: async ({ live, pay, listen }) => {
      await listen();
      const work = (reference: string) => pay(reference, { description: `Payout ${reference}` });
      await Promise.all([work(randomUUID()), work(randomUUID())]);
      await live.advance("2s");
    },
  },
  {
    name: "is two replicas with a URL each, and each pays the seller",
    finds: ["concurrent-payouts"],
    run: async ({ live, paidCharge }) => {
      const authorization = { authorization: "Bearer at_sandbox" };
      for (const _ of ["replica 1", "replica 2"])
        await live.receiverFor("charges/events", async ({ body: { data } }) => {
          const order = transferRequest({ msisdn: PAYEE, reference: randomUUID() });
          if (data.status === "paid") await call(live.url + PAYOUTS, "POST", order, authorization);
          return {};
        });
      await paidCharge(8_000);
      await live.settle();
    },
  },
  {
    name: "subscribes one URL in both spellings, and pays a seller for each copy",
    finds: ["double-payout", "duplicate-subscription"],
    run: async ({ live, pay, paidCharge }) => {
      const receiver = await live.receiverFor("charges/events", async ({ body: { data } }) => {
        if (data.status === "paid") await pay(randomUUID());
        return {};
      });
      await live.subscribe("charge/events", receiver.url);
      await paidCharge(8_000);
      await live.settle();
    },
  },
  {
    name: "subscribes a host that it writes in two ways",
    finds: ["duplicate-subscription"],
    run: async ({ live }) => {
      await live.subscribe("charges/events", "https://shop.test/hooks");
      await live.subscribe("charges/events", "https://SHOP.test:443/hooks");
    },
  },
  {
    name: "has the externalId in the addresses and the metadata of a charge that it creates twice",
    finds: ["charge-repeated"],
    run: async ({ charge, loseNext }) => {
      await loseNext("/v1/charges");
      for (const externalId of [randomUUID(), randomUUID()])
        await charge({
          externalId,
          metadata: { subscription: 7, payment: externalId },
          onCompletedRedirectionUrl: `https://shop.test/done/${externalId}`,
          onCanceledRedirectionUrl: `https://shop.test/cart?payment=${externalId}`,
        });
    },
  },
  {
    name: "sends a batch again in another order after a part of it failed",
    finds: ["batch-repeated"],
    run: async ({ live, listen, payBatch }) => {
      await listen();
      const lines = [{ msisdn: PAYEE }, { msisdn: FAILING }, { msisdn: "+2250700000013" }];
      for (const file of [lines, lines.toReversed()]) {
        await payBatch(file.map((line) => ({ ...line, reference: randomUUID() })));
        await live.advance("2s");
      }
    },
  },
  {
    name: "sends the secret key as a password",
    finds: ["secret-leaked"],
    run: ({ live }) =>
      live.http("GET", "/v1/balance", undefined, { authorization: `Basic ${btoa("company_sandbox:secret_sandbox")}` }),
  },
];

const programs: readonly Omit<Client, "finds">[] = [
  {
    name: "puts a payout without an answer to the end of its queue, behind equal ones",
    run: async ({ live, pay, loseNext, listen }) => {
      await listen();
      const queue = [randomUUID(), randomUUID(), randomUUID()];
      await loseNext(PAYOUTS);
      for (const reference of queue) if ((await pay(reference)) === undefined) queue.push(reference);
      await live.advance("2s");
    },
  },
  {
    name: "tops up its account after a 422, and pays under another reference",
    run: async ({ live, pay, listen }) => {
      await listen();
      await live.control("PUT", "/balance", { balance: 100 });
      await pay("order-1");
      await live.control("PUT", "/balance", { balance: 1_000_000 });
      await pay("order-1-b");
      await live.advance("2s");
    },
  },
  {
    name: "pays for goods and their delivery at one webhook, which comes twice",
    run: async ({ live, pay, listen, paidCharge }) => {
      const seen = new Set<string>();
      await listen(async ({ body: { data } }) => {
        if (data.status !== "paid" || seen.has(data.id)) return {};
        seen.add(data.id);
        for (const description of ["Goods", "Delivery"]) await pay(randomUUID(), { description });
        return {};
      });
      await live.control("POST", "/rules", { on: "delivery", then: { duplicate: 1 } });
      await paidCharge(8_000);
      await live.settle();
      await live.advance("2s");
    },
  },
  {
    name: "polls what a lost webhook would have said, and pays as much each week",
    run: async ({ live, listen }) => {
      await listen();
      await live.control("POST", "/rules", {
        on: "delivery",
        match: { topic: "transactions/completed" },
        then: { drop: true },
      });
      for (let week = 1; week <= 3; week++) {
        const { id } = await live.createTransfer({ msisdn: PAYEE, reference: randomUUID() });
        await live.advance("7d");
        await live.http("GET", `/v1/transactions/${id}`);
      }
    },
  },
  {
    name: "is two suites with a company each, one of which plays a lost answer",
    run: async ({ live, pay, loseNext }) => {
      await loseNext(PAYOUTS);
      await pay(randomUUID());
      const { body } = await live.control("POST", "/companies", {});
      const authorization = { authorization: `Bearer ${body.accessToken}` };
      const order = transferRequest({ msisdn: PAYEE, amount: 10_000, reference: randomUUID() });
      await call(live.url + PAYOUTS, "POST", order, authorization);
    },
  },
  {
    name: "uploads a file twice under its references, and then what has failed of it",
    run: async ({ live, listen, payBatch }) => {
      await listen();
      const file = [{ reference: "line-1" }, { reference: "line-2", msisdn: FAILING }];
      await payBatch(file);
      await live.advance("2s");
      await payBatch(file);
      await payBatch([{ reference: "line-2-b", msisdn: FAILING }]);
      await live.advance("2s");
    },
  },
  {
    name: "settles each day, and sends a settlement without an answer again the next day",
    run: async ({ live, pay, loseNext, listen }) => {
      await listen();
      const open: string[] = [];
      for (const day of [15, 16, 17]) {
        for (const reference of open.splice(0)) await pay(reference);
        if (day < 17) await loseNext(PAYOUTS, { status: 503 });
        if ((await pay(`settlement-2026-01-${day}`)) !== 201) open.push(`settlement-2026-01-${day}`);
        await live.advance("1d");
      }
    },
  },
];

export const correctTrades: readonly Client[] = programs.map((program) => ({ ...program, finds: [] }));
