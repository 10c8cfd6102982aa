import { randomUUID } from "node:crypto";
import { chargeRequest } from "../support/requests.js";
import type { LooseJson } from "../support/world.js";
import { type Api, type Client, checksSignatures } from "./client.js";

const PAYOUTS = "/v1/transactions";
const FAILING = "+2250700000002";

/** Sends a row of an outbox under its own reference until there is an answer, and waits longer each time. */
async function dispatch({ live, pay }: Api, reference: string): Promise<void> {
  for (let waitS = 1; ; waitS *= 2) {
    const status = await pay(reference);
    if (status !== undefined && status < 500) return;
    await live.advance(`${waitS}s`);
  }
}

/** A row for each event that was handled: calls `react` for the first copy of a paid charge. */
function inbox(react: (charge: LooseJson) => Promise<unknown>) {
  const rows = new Set<string>();
  return async ({ body: { data } }: LooseJson) => {
    if (data.status !== "paid" || rows.has(data.id)) return {};
    rows.add(data.id);
    await react(data);
    return {};
  };
}

const twice = (live: Api["live"]) => live.control("POST", "/rules", { on: "delivery", then: { duplicate: 1 } });

const programs: readonly Omit<Client, "finds">[] = [
  {
    name: "has an outbox with a drawn reference in each row, and retries with a backoff under that reference",
    run: async (api) => {
      await api.listen();
      for (const then of [{ status: 503 }, { fault: "reset", commit: true }, { fault: "empty" }]) {
        await api.loseNext(PAYOUTS, then);
        await dispatch(api, randomUUID());
        await api.live.advance("2s");
      }
    },
  },
  {
    name: "has an inbox, and pays one seller once for each of three charges whose webhooks come twice",
    run: async ({ live, pay, listen, paidCharge }) => {
      await listen(inbox(() => pay(randomUUID())));
      await twice(live);
      for (const amount of [8_000, 9_000, 8_000]) await paidCharge(amount);
      await live.settle();
      await live.advance("2s");
    },
  },
  {
    name: "acknowledges first, and pays one seller from a queue for charges that are paid at the same time",
    run: async ({ live, pay, listen, paidCharge }) => {
      const queue: Promise<unknown>[] = [];
      await listen(
        inbox(async () => {
          queue.push(pay(randomUUID()));
        }),
      );
      await twice(live);
      await Promise.all([8_000, 9_000, 8_000].map(paidCharge));
      await live.settle();
      await Promise.all(queue);
      await live.advance("2s");
    },
  },
  {
    name: "derives the reference from the charge, crashes after it has paid, and pays again under it at the retry",
    run: async ({ live, pay, listen, paidCharge }) => {
      let crashes = 1;
      await listen(async ({ body: { data } }) => {
        if (data.status !== "paid") return {};
        await pay(`seller-of-${data.externalId}`);
        return { status: crashes-- > 0 ? 500 : 200 };
      });
      await paidCharge(8_000);
      await live.advance("1m");
      await live.advance("2s");
    },
  },
  ...[
    { what: "the drawn id of the charge in the reference", referenceFor: (id: string) => `seller-${id}` },
    { what: "a drawn reference", referenceFor: () => randomUUID() },
  ].map(({ what, referenceFor }) => ({
    name: `pays one seller once for each charge that is paid, all at the same time, with ${what}`,
    run: async ({ live, pay, listen, paidCharge }: Api) => {
      const queue: Promise<unknown>[] = [];
      await listen(inbox(async ({ id }) => void queue.push(pay(referenceFor(id)))));
      await twice(live);
      await live.control("POST", "/rules", { on: "request", match: { path: PAYOUTS }, then: { delay: "100ms" } });
      await Promise.all([8_000, 9_000, 8_000].map(paidCharge));
      await live.settle();
      await Promise.all(queue);
      await live.advance("2s");
    },
  })),
  ...[
    { what: "reference", payoutFor: (id: string) => ({ reference: `${id}-seller` }) },
    {
      what: "description",
      payoutFor: (id: string) => ({ reference: randomUUID(), description: `Your part of ${id}` }),
    },
  ].map(({ what, payoutFor }) => ({
    name: `has the drawn id of the charge in the ${what}, and pays for the next charge after a 409`,
    run: async ({ live, pay, loseNext, listen, paidCharge }: Api) => {
      await listen();
      for (const amount of [8_000, 8_000]) {
        const payout = payoutFor(await paidCharge(amount));
        await loseNext(PAYOUTS);
        for (const _ of ["first", "second"]) await pay(payout.reference, payout);
      }
      await live.advance("2s");
    },
  })),
  {
    name: "refunds a part for each seller whose payout failed, though the webhooks come twice",
    run: async ({ live, pay, listen, paidCharge, refund }) => {
      const id = await paidCharge(9_000);
      const failed = new Set<string>();
      await listen(async ({ body: { topic, data } }) => {
        if (topic !== "transactions/failed" || failed.has(data.id)) return {};
        failed.add(data.id);
        await refund(id, { amount: 3_000 });
        return {};
      });
      await twice(live);
      for (const seller of ["awa", "ali", "eve"]) await pay(`seller-${seller}`, { msisdn: FAILING });
      await live.advance("2s");
    },
  },
  {
    name: "is five workers, each with an order of its own and a drawn reference",
    run: async ({ live, pay, loseNext, listen }) => {
      await listen();
      await loseNext(PAYOUTS);
      const work = async (order: number) => {
        const [reference, change] = [randomUUID(), { description: `Order ${order}` }];
        return (await pay(reference, change)) ?? (await pay(reference, change));
      };
      await Promise.all([1, 2, 3, 4, 5].map(work));
      await live.advance("2s");
    },
  },
  {
    name: "pays the salaries of three months, the second of which was lost, and only polls",
    run: async ({ live, loseNext, pay }) => {
      const ids: string[] = [];
      live.sandbox.events.on("exchange", ({ exchange }) => {
        if (exchange.operation === "createTransaction")
          ids.push(...live.company.world.transfers.values().map(({ id }) => id));
      });
      for (const month of ["2026-01", "2026-02", "2026-03"]) {
        if (month === "2026-02") await loseNext(PAYOUTS, { fault: "reset" });
        while ((await pay(`salary-awa-${month}`)) === undefined) await live.advance("1m");
        await live.advance("30d");
        await live.http("GET", `/v1/transactions/txn_${ids.at(-1)}`);
      }
    },
  },
  {
    name: "pays as much each week under a drawn reference, and knows from webhooks alone how it ends",
    run: async ({ live, pay, listen }) => {
      await listen(checksSignatures);
      for (let week = 1; week <= 4; week++) {
        await pay(randomUUID());
        await live.advance("7d");
      }
    },
  },
  {
    name: "is a suite that resets before each test, and plays a lost answer in each",
    run: async ({ live, pay, loseNext, listen }) => {
      for (const name of ["test one", "test two", "test three"]) {
        await live.control("POST", "/reset");
        await listen();
        await loseNext(PAYOUTS);
        await pay(name);
        await pay(name);
        await live.advance("2s");
        await live.settle();
      }
    },
  },
  {
    name: "is a suite that resets while its last transfer is pending",
    run: async ({ live, pay, listen }) => {
      for (const name of ["test one", "test two"]) {
        await listen();
        await pay(name);
        await live.control("POST", "/reset");
      }
    },
  },
  {
    name: "polls only, with a gap that doubles",
    run: async ({ live }) => {
      const { id } = await live.createTransfer();
      for (let waitS = 1; waitS <= 8; waitS *= 2) {
        await live.advance(`${waitS}s`);
        await live.http("GET", `/v1/transactions/${id}`);
      }
    },
  },
  {
    name: "waits as long as Retry-After says",
    options: { profile: { rateLimit: { requests: 1, per: "10s" } } },
    run: async ({ live }) => {
      for (let request = 1; request <= 4; request++) {
        const { headers, status } = await live.http("GET", "/v1/balance");
        if (status === 429) await live.advance(`${headers.get("retry-after")}s`);
      }
    },
  },
  {
    name: "reads the charge before each refund, while its webhooks come late and twice",
    run: async ({ live, listen, paidCharge, refund }) => {
      let calls = 0;
      await listen(() => ({ status: ++calls % 2 === 1 ? 503 : 200 }));
      await twice(live);
      const id = await paidCharge(9_000);
      for (const owed of [3_000, 6_000, 9_000]) {
        const { refunded } = await live.ok("GET", `/v1/charges/${id}`);
        if (refunded < owed) await refund(id, { amount: 3_000 });
        await live.advance("3h");
      }
    },
  },
  {
    name: "refunds an item when a webhook comes twice, and another one of that price a minute later",
    run: async ({ live, listen, paidCharge, refund }) => {
      await listen(inbox(({ id }) => refund(id, { amount: 3_000 })));
      await twice(live);
      const id = await paidCharge(9_000);
      await live.settle();
      await live.advance("1m");
      await refund(id, { amount: 3_000 });
      await live.settle();
    },
  },
  {
    name: "pays once more after a payout has failed, though the webhook comes twice",
    run: async ({ live, pay, listen }) => {
      const failed = new Set<string>();
      await listen(async ({ body: { topic, data } }) => {
        const isNew = topic === "transactions/failed" && !failed.has(data.id);
        failed.add(data.id);
        if (isNew) await pay("salary-awa-corrected");
        return {};
      });
      await twice(live);
      await pay("salary-awa", { msisdn: FAILING });
      await live.advance("2s");
      await live.advance("2s");
    },
  },
  {
    name: "creates a new charge for an order once the first was dropped",
    run: async ({ live, charge, loseNext, listen }) => {
      await listen();
      await loseNext("/v1/charges");
      await charge({ externalId: "order-17" });
      await live.advance("1h");
      await charge({ externalId: "order-17-second" });
      await live.advance("1h");
    },
  },
  {
    name: "has a shop that pays sellers and a ledger that only notes, each with a URL",
    run: async ({ live, pay, listen, paidCharge }) => {
      await listen(inbox(({ externalId }) => pay(`seller-${externalId}`)));
      await listen();
      for (const amount of [8_000, 8_000]) await paidCharge(amount);
      await live.settle();
      await live.advance("2s");
    },
  },
  {
    name: "is a job that cron starts twice, with the reference in its table",
    run: async ({ live, pay, loseNext, listen }) => {
      await listen();
      for (const day of ["01-15", "01-16"]) {
        await loseNext(PAYOUTS);
        for (const _ of ["first run", "second run"]) await pay(`settlement-2026-${day}`);
        await live.advance("1d");
      }
    },
  },
  {
    name: "sells the same shoes to many, and creates charges for them at the same time",
    run: async ({ live, listen, charge }) => {
      await listen();
      await Promise.all(Array.from({ length: 6 }, () => charge({ ...chargeRequest(), description: "Shoes" })));
      await live.advance("2h");
    },
  },
];

export const correctJobs: readonly Client[] = programs.map((program) => ({ ...program, finds: [] }));
