import { describe, expect, it } from "vitest";
import { audit, type Charge, type Sandbox, type Transaction } from "../../src/index.js";
import { type Application, startApplication } from "../audit/applications.js";
import { create } from "./sandboxes.js";
import { verdictsOf } from "../support/audits.js";

describe("audit of an application beside a sandbox", { timeout: 60_000 }, () => {
  const options = { topic: "charges/events", only: ["state"] };

  it("sends events of existing charges, and holds back the sandbox's own webhooks", async () => {
    const sandbox = await create();
    const shop = createAskingShop(sandbox, true);
    const { url, received } = await startApplication(shop, sandbox.secretKey);
    await sandbox.fetch("/v1/webhooks", { json: { topic: "charges/events", url } });
    const report = await audit(url, { ...options, sandbox, check: shop.state });
    await sandbox.settle();
    expect(report.verdict).toBe("passed");
    expect(Object.values(verdictsOf(report)).filter((verdict) => verdict !== "pass")).toEqual(["skipped"]);
    expect(received).toHaveLength(report.requests);
    expect(sandbox.rules.list()).toEqual([]);
  });

  it("sends each event of a history while the charge is in the state that it reports", async () => {
    const sandbox = await create();
    const pairs: string[] = [];
    const shop: Application = {
      handle: async ({ id, status }) => {
        const answer = await sandbox.fetch<{ status: string }>(`/v1/charges/${id}`);
        pairs.push(`${status} while ${(await answer.json()).status}`);
      },
      state: () => pairs.length,
    };
    const { url } = await startApplication(shop, sandbox.secretKey);
    await audit(url, { topic: "charges/events", only: ["state-history"], sandbox, check: shop.state });
    expect(new Set(pairs)).toEqual(new Set(["paid while paid", "refunded while refunded"]));
  });

  it("does not count as a client of the sandbox, and neither do reads of its charges", async () => {
    const sandbox = await create();
    const shop = createAskingShop(sandbox, true);
    const { url } = await startApplication(shop, sandbox.secretKey);
    for (const topic of ["charges/events", "transactions/completed"] as const) sandbox.subscribe(topic, url);
    const report = await audit(url, { only: ["state"], sandbox, check: shop.state });
    expect(report.verdict).toBe("passed");
    expect(sandbox.report()).toMatchObject({ findings: [] });
    const covered = sandbox.coverage().operations.filter(({ met }) => met);
    expect(new Set(covered.map(({ operation }) => operation))).toEqual(new Set(["getCharge"]));
  });

  it("reports partial refunds as the sandbox's webhooks do, whatever GET shows", async () => {
    const sandbox = await create({ profile: { charges: { partialStatusOnRead: "paid" } } });
    const statuses = new Set<string>();
    const refunds = new Map<string, number>();
    const shop: Application = {
      handle: ({ id, status, refunded }) => {
        statuses.add(status);
        if (status.startsWith("refunded")) refunds.set(id, Math.max(refunds.get(id) ?? 0, refunded));
      },
      state: () => ({ refunded: [...refunds.values()].reduce((sum, amount) => sum + amount, 0) }),
    };
    const { url } = await startApplication(shop, sandbox.secretKey);
    const report = await audit(url, { topic: "charges/events", only: ["state-refunds"], sandbox, check: shop.state });
    expect(verdictsOf(report)).toEqual({ "state-refunds": "pass" });
    expect(statuses).toEqual(new Set(["paid", "refunded", "refunded_partially"]));
  });

  it.each([{ amountField: "value" }, { further: "refused" }] as const)(
    "judges partial refunds whatever the profile says of refunds: %o",
    async (refunds) => {
      const sandbox = await create({ profile: { refunds } });
      const given = new Map<string, number>();
      const shop: Application = {
        handle: ({ id, refunded = 0 }) => void given.set(id, Math.max(given.get(id) ?? 0, refunded)),
        state: () => ({ refunded: [...given.values()].reduce((sum, amount) => sum + amount, 0) }),
      };
      const { url } = await startApplication(shop, sandbox.secretKey);
      const only = ["state-reversed", "state-refunds"];
      const report = await audit(url, { topic: "charges/events", only, sandbox, check: shop.state });
      expect(verdictsOf(report)).toEqual({ "state-reversed": "pass", "state-refunds": "pass" });
    },
  );

  it.each([
    [["paid", "dropped"], "skipped"],
    [["paid", "dropped", "refunded"], "pass"],
    ["none", "skipped"],
  ] as const)("judges only refunds of which the sandbox sends events: %j", async (chargeEvents, verdict) => {
    const sandbox = await create({ profile: { webhooks: { chargeEvents } } });
    const handled: readonly string[] = chargeEvents === "none" ? [] : chargeEvents;
    const charges = new Map<string, { status: string; refunded: number }>();
    const shop: Application = {
      handle: ({ id, status, refunded = 0 }) => {
        if (handled.includes(status) && charges.get(id)?.status !== "refunded") charges.set(id, { status, refunded });
      },
      state: () => [...charges.values()].filter(({ status }) => status !== "dropped"),
    };
    const { url } = await startApplication(shop, sandbox.secretKey);
    const report = await audit(url, { topic: "charges/events", only: ["state-refunds"], sandbox, check: shop.state });
    expect(verdictsOf(report)).toEqual({ "state-refunds": verdict });
  });

  it("names transactions in events as the profile says", async () => {
    const sandbox = await create({ profile: { transfers: { webhookId: "prefixed" } } });
    const payouts = new Map<string, string>();
    const payroll: Application = {
      handle: ({ id, status }) => {
        if (payouts.get(id) === "pending") payouts.set(id, status);
      },
      state: () => [...payouts.values()],
    };
    const order = async (): Promise<Transaction> => {
      const reference = `salary-${payouts.size}`;
      const json = { type: "transfer", amount: 5000, msisdn: "+2250700000003", reference };
      const made = await (await sandbox.fetch<Transaction>("/v1/transactions", { json })).json();
      payouts.set(made.id, made.status);
      return made;
    };
    const { url } = await startApplication(payroll, sandbox.secretKey);
    const asked = { topic: "transactions/completed", only: ["state-history", "state-duplicate"] };
    const report = await audit(url, { ...asked, sandbox, check: payroll.state, order });
    expect(verdictsOf(report)).toEqual({ "state-history": "pass", "state-duplicate": "pass" });
  });

  it("sends no second refund of a charge where there is none", async () => {
    const sandbox = await create({ profile: { refunds: { further: "refused" } } });
    const events = new Set<string>();
    const charges = new Map<string, Charge>();
    // Enough where each charge has at most one refund.
    const handled = new Set<string>();
    let refunded = 0;
    const shop: Application = {
      handle: async ({ id, status, refunded: sum }) => {
        const answer = await sandbox.fetch<Charge>(`/v1/charges/${id}`);
        if (answer.status !== 200) return;
        const charge = await answer.json();
        charges.set(id, charge);
        if (!status.startsWith("refunded")) return;
        events.add(`${sum} of ${charge.refunded}, ${charge.transactions?.length} entries`);
        if (!handled.has(id + status)) refunded += sum;
        handled.add(id + status);
      },
      state: () => {
        const [full = [], partial = []] = [true, false].map((isFull) =>
          [...charges.values()].filter((charge) => (charge.refunded === charge.amount) === isFull),
        );
        const sumOf = (some: readonly Charge[]): number => some.reduce((sum, charge) => sum + charge.refunded, 0);
        return { refunded, full: sumOf(full), partial: sumOf(partial) };
      },
    };
    const { url } = await startApplication(shop, sandbox.secretKey);
    const report = await audit(url, { ...options, sandbox, check: shop.state });
    const others = report.checks.filter(({ verdict }) => verdict !== "pass");
    expect(others.map(({ id, seen }) => [id, seen])).toEqual([["state-restart", expect.anything()]]);
    expect(events).toEqual(
      new Set(["3000 of 3000, 2 entries", "7000 of 7000, 2 entries", "10000 of 10000, 2 entries"]),
    );
  });

  it("checks only charges when the balance is too low for transfers, and says so", async () => {
    const sandbox = await create({ balance: 0, profile: { charges: { fee: { rate: 1, credit: "net" } } } });
    const shop = createAskingShop(sandbox, true);
    const { url } = await startApplication(shop, sandbox.secretKey);
    const report = await audit(url, { only: ["state-history", "state-duplicate"], sandbox, check: shop.state });
    expect(verdictsOf(report)).toEqual({ "state-history": "pass", "state-duplicate": "pass" });
    expect(report.notes).toContainEqual(expect.stringContaining("no payout could be made"));
  });

  it("is inconclusive when payouts end before the audit can end them", async () => {
    const profile = { transfers: { settlement: "immediate" }, testNumbers: { pending: "+2250799999999" } } as const;
    const sandbox = await create({ profile });
    const shop = createAskingShop(sandbox, true);
    const { url } = await startApplication(shop, sandbox.secretKey);
    const report = await audit(url, { only: ["state-history"], sandbox, check: shop.state });
    expect([report.verdict, report.reasons]).toEqual([
      "inconclusive",
      [expect.stringContaining("/complete of the sandbox answered 422")],
    ]);
  });

  it("reports an application that accepts events of unknown charges", async () => {
    const sandbox = await create();
    const shop = createAskingShop(sandbox, false);
    const { url } = await startApplication(shop, sandbox.secretKey);
    const report = await audit(url, { ...options, sandbox, check: shop.state });
    const failed = report.checks.filter(({ verdict }) => verdict === "fail");
    expect(failed.map(({ id, schedule }) => [id, schedule])).toEqual([
      ["state-unknown-id", ["paid of an unknown order"]],
    ]);
  });
});

/** An application that stores a charge as the API shows it. With `doubts` it ignores charges that the API does not know. */
function createAskingShop(sandbox: Sandbox, doubts: boolean): Application {
  const statuses = new Map<string, string>();
  return {
    handle: async ({ id }) => {
      const answer = await sandbox.fetch<{ status: string }>(`/v1/charges/${id}`);
      if (answer.status === 200) statuses.set(id, (await answer.json()).status);
      else if (!doubts) statuses.set(id, "unknown");
    },
    state: () => Object.fromEntries(statuses),
  };
}
