import { randomUUID } from "node:crypto";
import { call } from "../support/live.js";
import { chargeRequest, transferRequest } from "../support/requests.js";
import { type Api, type Client, PAYEE } from "./client.js";

const PAYOUTS = "/v1/transactions";
const AWA = "+2250700000002";

/** Jobs, queues and handlers of webhooks that move money twice, or lose sight of it. */
export const dangerousJobs: readonly Client[] = [
  {
    name: "puts a job back into its queue after an answer that it cannot read, and draws a reference for each try",
    finds: ["double-payout"],
    run: async ({ live, pay, loseNext, listen }) => {
      await listen();
      await loseNext(PAYOUTS, { fault: "malformed", commit: true });
      const queue = ["order-17"];
      for (const job of queue) if ((await pay(`${job}:${randomUUID()}`)) === undefined) queue.push(job);
      await live.advance("2s");
    },
  },
  {
    name: "backs off as it should, and counts its attempts in the reference",
    finds: ["double-payout", "double-payout"],
    run: async ({ live, pay, loseNext, listen }) => {
      await listen();
      for (const attempt of [1, 2, 3]) {
        if (attempt < 3) await loseNext(PAYOUTS, { status: 503 });
        await pay(`order-17-${attempt}`);
        await live.advance(`${2 ** attempt}s`);
      }
    },
  },
  {
    name: "has the time in its reference, and tries again after a 502 that had done the work",
    finds: ["double-payout"],
    run: async ({ live, pay, loseNext, listen }) => {
      await listen();
      await loseNext(PAYOUTS, { status: 502, commit: true });
      for (const time of [1_768_467_600_123, 1_768_467_600_456]) await pay(`payout-${time}`);
      await live.advance("2s");
    },
  },
  {
    name: "sends a batch again under new references after its answer was lost",
    finds: ["double-payout", "double-payout"],
    run: async ({ live, payBatch, loseNext, listen }) => {
      await listen();
      await loseNext("/v1/transactions/batch");
      for (const _ of [1, 2])
        await payBatch([{ reference: randomUUID() }, { reference: randomUUID(), msisdn: "+2250700000011" }]);
      await live.advance("2s");
    },
  },
  {
    name: "pays one by one, under new references, what was in a batch whose answer was lost",
    finds: ["double-payout"],
    run: async ({ live, pay, payBatch, loseNext, listen }) => {
      await listen();
      await loseNext("/v1/transactions/batch", { fault: "empty", commit: true });
      await payBatch([{ reference: "january-awa" }, { reference: "january-ali", msisdn: "+2250700000011" }]);
      await pay("january-awa-single");
      await live.advance("2s");
    },
  },
  {
    name: "is a short-lived process that cron starts twice, the first of which ends without an answer",
    finds: ["double-payout"],
    run: async ({ live, loseNext, listen }) => {
      await listen();
      await loseNext(PAYOUTS);
      const token = { authorization: "Bearer at_sandbox" };
      for (const _ of ["monday", "monday again"])
        await call(
          live.url + PAYOUTS,
          "POST",
          transferRequest({ msisdn: PAYEE, reference: randomUUID() }),
          token,
        ).catch(() => undefined);
      await live.advance("2s");
    },
  },
  {
    name: "pays a salary again for each copy of the webhook that says that it failed",
    finds: ["double-payout"],
    run: async ({ live, pay, listen }) => {
      await listen(async ({ body: { topic } }) => {
        if (topic === "transactions/failed") await pay(randomUUID(), { amount: 10_000 });
        return {};
      });
      await live.control("POST", "/rules", {
        on: "delivery",
        match: { topic: "transactions/failed" },
        then: { duplicate: 1 },
      });
      await pay("salary-awa", { msisdn: AWA, amount: 12_000 });
      await live.advance("2s");
    },
  },
  {
    name: "refunds the customer for each copy of the webhook that says that the seller's payout failed",
    finds: ["refund-repeated"],
    run: async ({ live, pay, listen, paidCharge, refund }) => {
      const id = await paidCharge(8_000);
      await listen(async ({ body: { topic } }) => {
        if (topic === "transactions/failed") await refund(id, { amount: 3_000 });
        return {};
      });
      await live.control("POST", "/rules", {
        on: "delivery",
        match: { topic: "transactions/failed" },
        then: { duplicate: 1 },
      });
      await pay("seller-17", { msisdn: AWA });
      await live.advance("2s");
    },
  },
  {
    name: "pays for each copy of the webhooks of two charges, all at the same time",
    finds: ["concurrent-payouts", "concurrent-payouts", "double-payout", "double-payout"],
    run: async ({ live, pay, listen, paidCharge }) => {
      const queue: Promise<unknown>[] = [];
      await listen(({ body: { data } }) => {
        if (data.status === "paid") queue.push(pay(randomUUID()));
        return {};
      });
      await live.control("POST", "/rules", { on: "delivery", then: { duplicate: 1 } });
      await live.control("POST", "/rules", { on: "request", match: { path: PAYOUTS }, then: { delay: "300ms" } });
      await Promise.all([8_000, 8_000].map(paidCharge));
      await live.settle();
      await Promise.all(queue);
      await live.advance("2s");
    },
  },
  {
    name: "sends one row of its outbox with two dispatchers, each with a prefix of its own",
    finds: ["concurrent-payouts"],
    run: async ({ live, pay, listen }) => {
      await listen();
      await Promise.all(["node-1", "node-2"].map((node) => pay(`${node}/order-17`)));
      await live.advance("2s");
    },
  },
  ...[
    ["a nanoid", "pay-V1StGXR8_Z5jdHi6B-myT", "pay-3kTMd0BnQ-x9aPzLw2_cv"],
    ["a few drawn characters", "pay_u58uvck", "pay_yc7adt2"],
  ].map(([what, ...references]) => ({
    name: `pays one order with two workers, each with ${what} behind a prefix`,
    finds: ["concurrent-payouts"] as const,
    run: async ({ live, pay, listen }: Api) => {
      await listen();
      await Promise.all(references.map((reference) => pay(reference)));
      await live.advance("2s");
    },
  })),
  {
    name: "refunds again when the clerk clicks again after a 503",
    finds: ["refund-repeated"],
    run: async ({ live, paidCharge, refund, loseNext }) => {
      const id = await paidCharge(8_000);
      await loseNext("/v1/charges/:id/refund", { status: 503, commit: true });
      await refund(id, { amount: 2_500 });
      await live.advance("1m");
      await refund(id, { amount: 2_500 });
    },
  },
  {
    name: "creates a charge under another externalId after a 503",
    finds: ["charge-repeated"],
    run: async ({ charge, loseNext }) => {
      await loseNext("/v1/charges", { status: 503, commit: true });
      await charge({ externalId: "order-17", description: "Shoes" });
      await charge({ externalId: "order-17-again", description: "Shoes" });
    },
  },
  {
    name: "creates a charge under another externalId, with the order in its texts, after a lost answer",
    finds: ["charge-repeated"],
    run: async ({ charge, loseNext }) => {
      const texts = { description: "Order FAC-17", onCompletedRedirectionUrl: "https://shop.test/paid?order=FAC-17" };
      await loseNext("/v1/charges");
      await charge({ externalId: "FAC-17", ...texts });
      await charge({ externalId: "FAC-17-0d5c", ...texts });
    },
  },
  {
    name: "is a suite that resets after each test, and never looks how its transfers end",
    finds: ["outcome-never-learned", "outcome-never-learned"],
    run: async ({ live, pay }) => {
      for (const test of ["one", "two"]) {
        await pay(test);
        await live.advance("2s");
        await live.control("POST", "/reset");
      }
    },
  },
  {
    name: "answers 200 before it looks at a webhook, cut or forged",
    finds: ["forged-webhook-acknowledged", "forged-webhook-acknowledged"],
    options: { forges: true },
    run: async ({ live, listen }) => {
      await listen();
      for (const then of [{ truncate: 10 }, { corruptSignature: true }]) {
        await live.control("POST", "/rules", { on: "delivery", then, times: 1 });
        await live.createTransfer();
        await live.settle();
      }
      await live.advance("2s");
    },
  },
  {
    name: "subscribes at each of three deployments",
    finds: ["duplicate-subscription"],
    run: async ({ live }) => {
      for (const _ of [1, 2, 3]) await live.subscribe("transactions/completed", "https://shop.test/hooks");
    },
  },
  {
    name: "takes the number of the employee for a reference, and gives a rise",
    finds: ["reference-reused"],
    run: async ({ live, pay, listen }) => {
      await listen();
      await pay("employee-7", { amount: 100_000 });
      await live.advance("30d");
      await pay("employee-7", { amount: 110_000 });
    },
  },
  {
    name: "pays the charge of a basket from yesterday",
    finds: ["pay-after-drop"],
    run: async ({ live, listen }) => {
      await listen();
      const { id } = await live.ok("POST", "/v1/charges", chargeRequest());
      await live.advance("1d");
      await live.http("POST", `/v1/charges/${id}/pay`);
    },
  },
  {
    name: "asks for a transfer until it is final, without a pause, with the token in the address",
    finds: ["polling-too-fast", "secret-leaked"],
    run: async ({ live }) => {
      const { id } = await live.createTransfer();
      for (let poll = 1; poll <= 30; poll++) await live.http("GET", `/v1/transactions/${id}?token=at_sandbox`);
      await live.advance("2s");
      await live.http("GET", `/v1/transactions/${id}`);
    },
  },
];
