import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type AuditOptions, runAudit } from "../../src/audit/run-audit.js";
import {
  type Application,
  createIndignantShop,
  createLateShop,
  createLedger,
  createShop,
  createShopOfOneOrder,
  createShopOfOrders,
  createShopWithReplica,
  createShopWithoutRefunds,
  createSuspiciousShop,
  hasty,
  mistakenApplications,
  startApplication,
} from "./applications.js";
import { SECRET } from "./receivers.js";

async function audit(application: Application, options: Partial<AuditOptions> = {}) {
  const { url } = await startApplication(application);
  const { state, order } = application;
  return runAudit({ url, secret: SECRET, system: hasty, check: state, order, only: ["state"], ...options });
}

describe("the state checks", { timeout: 60_000 }, () => {
  it.each([
    ["counts each charge once", createShop],
    ["knows its own orders only", createShopOfOrders],
    ["accepts only events that agree with its order", createSuspiciousShop],
    ["keeps a list of all events", createLedger],
  ])("find nothing wrong with an application that %s", async (_, create) => {
    const { checks, passed } = await audit(create());
    expect(
      checks.filter(({ verdict, id }) => verdict !== "pass" && id !== "state-unknown-id" && id !== "state-restart"),
    ).toEqual([]);
    expect(passed).toBe(true);
  });

  it.each([
    { lagsMs: [20] },
    { lagsMs: [300] },
    { lagsMs: [900] },
    { lagsMs: [0, 0, 0, 0, 15] },
    { lagsMs: [0, 0, 0, 0, 0, 0, 0, 60] },
    { lagsMs: [20, 20, 20, 20, 400] },
    { lagsMs: [50, 50, 50, 50, 50, 50, 700] },
  ])("wait for an application that works $lagsMs ms after its answers", async ({ lagsMs }) => {
    const shop = createLateShop(...lagsMs);
    const { checks } = await audit(shop, { system: shop.system });
    expect(checks.filter(({ verdict }) => verdict !== "pass").map(({ id, seen }) => [id, seen])).toEqual([
      ["state-unknown-id", expect.stringContaining("unknown")],
      ["state-restart", expect.stringContaining("--restart")],
    ]);
  });

  it.each([100, 900])("wait for a new order that is shown %d ms late", async (lagMs) => {
    const shop = createShopWithReplica(lagMs);
    const { checks } = await audit(shop, { system: shop.system });
    expect(checks.filter(({ verdict }) => verdict === "fail").map(({ id, seen }) => [id, seen])).toEqual([]);
    expect(checks.filter(({ verdict }) => verdict === "skipped").map(({ id }) => id)).toEqual(["state-restart"]);
  });

  it.each(Object.entries(mistakenApplications))(
    "report the mistake of an application that %s, and nothing else",
    async (_, { create, named, schedule }) => {
      const { checks } = await audit(create());
      const failed = checks.filter(({ verdict }) => verdict === "fail");
      expect(failed.map((check) => [check.id, check.severity, check.schedule])).toEqual([
        [named, "critical", schedule],
      ]);
    },
  );

  it("warn of duplicates that are not acknowledged", async () => {
    const { checks, verdict: whole, reasons } = await audit(createIndignantShop());
    const reported = checks.filter(({ verdict }) => verdict !== "pass" && verdict !== "skipped");
    expect(reported.map(({ id, verdict, seen }) => [id, verdict, seen])).toEqual([
      ["state-duplicate", "warn", 'the event "paid again" makes the receiver fail with 500'],
    ]);
    expect(whole).toBe("inconclusive");
    expect(reasons).toEqual([
      'state-duplicate: the event "paid again" makes the receiver fail with 500, which proves nothing',
    ]);
  });

  it("find nothing wrong with a shop that prints only its newest order", async () => {
    const { checks, verdict: whole } = await audit(createShopOfOneOrder());
    expect(checks.filter(({ verdict }) => verdict === "fail").map(({ id, seen }) => [id, seen])).toEqual([]);
    expect(checks.find(({ id }) => id === "state-refunds")?.seen).toContain("not have the same effect each time");
    expect(whole).toBe("inconclusive");
  });

  it.each([2_500, 10_000])(
    "report a shop with orders of %d that ignores refunds and prints only its revenue",
    async (amount) => {
      const orders = new Map<string, number>();
      const { checks } = await audit({
        handle: ({ id, status }) => void (status === "paid" && orders.has(id) && orders.set(id, amount)),
        state: () => ({ revenue: [...orders.values()].reduce((sum, paid) => sum + paid, 0) }),
        order: () => {
          const id = randomUUID();
          orders.set(id, 0);
          return { id, externalId: id, amount };
        },
      });
      expect(checks.filter(({ verdict }) => verdict === "fail").map(({ id }) => id)).toEqual(["state-refunds"]);
    },
  );

  it("find nothing wrong with a shop that prints what it has kept, by status", async () => {
    const orders = new Map<string, { status: string; kept: number }>();
    const rank = ["paid", "refunded_partially", "refunded"];
    const { checks } = await audit({
      handle: ({ id, status, amount, refunded }) => {
        const { status: now = "", kept = amount } = orders.get(id) ?? {};
        if (rank.indexOf(status) < rank.indexOf(now)) return;
        orders.set(id, { status, kept: Math.min(kept, amount - refunded) });
      },
      state: () =>
        rank.map((each) => {
          const own = [...orders.values()].filter(({ status }) => status === each);
          return [each, own.reduce((sum, { kept }) => sum + kept, 0)];
        }),
    });
    expect(checks.filter(({ verdict }) => verdict === "fail").map(({ seen }) => seen)).toEqual([]);
  });

  it.each([[["paid"]], [["paid", "refunded_partially"]]])(
    "find nothing wrong with a shop that prints its orders which are %j",
    async (shown) => {
      const orders = new Map<string, { status: string; amount: number }>();
      const rank = ["paid", "refunded_partially", "refunded"];
      const { checks } = await audit({
        handle: ({ id, status, amount }) => {
          if (rank.indexOf(status) > rank.indexOf(orders.get(id)?.status ?? "")) orders.set(id, { status, amount });
        },
        state: () => [...orders].flatMap(([id, order]) => (shown.includes(order.status) ? [{ id, ...order }] : [])),
      });
      expect(checks.filter(({ verdict }) => verdict === "fail").map(({ seen }) => seen)).toEqual([]);
    },
  );

  it("report a shop that ignores refunds and prints a sum under its header", async () => {
    const paid = new Set<string>();
    const { checks } = await audit({
      handle: ({ id, status }) => void (status === "paid" && paid.add(id)),
      state: () => ["revenue", String(10_000 * paid.size)],
    });
    expect(checks.filter(({ verdict }) => verdict === "fail").map(({ id }) => id)).toEqual(["state-refunds"]);
  });

  it.each([{}, { orders: 3 }])(
    "prove nothing when the effect of payments is a text whose numbers grow, beside %j",
    async (others) => {
      let [paid, refunded, sent] = [0, 0, 0];
      const { verdict, reasons } = await audit({
        handle: ({ status }) => {
          if (status === "paid") paid++;
          if (status === "refunded") refunded++;
          if (status === "completed") sent++;
        },
        state: () => ({ ...others, payments: `${paid} orders paid, ${refunded} refunded`, sent }),
      });
      expect(verdict).toBe("inconclusive");
      expect(reasons.join()).toContain("not the same after the same events about another order");
    },
  );

  it.each<[string, (counts: Record<string, number>) => unknown]>([
    ["rows", (counts) => Object.entries(counts)],
    ["objects", (counts) => Object.entries(counts).map(([status, count]) => ({ status, count }))],
    ["flags", ({ paid }) => Array.from({ length: paid ?? 0 }, () => ({ paid: true, refunded: false }))],
    ["lists", ({ paid }) => ({ paid: Array(paid).fill("order") })],
    ["lines", ({ paid }) => Array<string>(paid ?? 0).fill("order: paid")],
    ["metrics", (counts) => Object.entries(counts).map(([status, count]) => [`orders{status="${status}"}`, count])],
  ])("report a shop that ignores refunds and prints its counts as %s", async (_, print) => {
    const counts = { due: 2, paid: 1, refunded: 1 };
    const paid = new Set<string>();
    const { checks } = await audit({
      handle: ({ id, status }) => void (status === "paid" && paid.add(id)),
      state: () => print({ ...counts, paid: counts.paid + paid.size }),
    });
    expect(checks.filter(({ verdict }) => verdict === "fail").map(({ id }) => id)).toEqual(["state-refunds"]);
  });

  it.each([
    { shown: { state: "processing" }, whole: "inconclusive" },
    { shown: { shipped: true }, whole: "passed" },
  ])("call a shop that shows $shown of what is paid, and no refunds, $whole", async ({ shown, whole }) => {
    const orders = new Map<string, object>();
    const refunded = new Set<string>();
    const { checks, verdict } = await audit({
      handle: ({ id, status }) => {
        if (status === "refunded") refunded.add(id);
        if (status === "paid" && orders.has(id) && !refunded.has(id)) orders.set(id, shown);
      },
      state: () => [...orders.values()],
      order: () => {
        const id = randomUUID();
        orders.set(id, {});
        return { id, externalId: id, amount: 10_000 };
      },
    });
    expect(checks.filter((check) => check.verdict === "fail")).toEqual([]);
    expect(verdict).toBe(whole);
  });

  it("report an application that does not accept a whole history", async () => {
    const { checks } = await audit(createShopWithoutRefunds());
    const [history, ...others] = checks;
    expect(history).toMatchObject({
      id: "state-history",
      verdict: "fail",
      seen: 'the event "refunded" makes the receiver fail with 500',
    });
    expect(new Set(others.map(({ verdict }) => verdict))).toEqual(new Set(["skipped"]));
  });

  describe("of a given event", () => {
    const value = { topic: "charges/events", data: { id: "7", externalId: "order-7", status: "paid", amount: 500 } };
    const event = { text: JSON.stringify(value), value };

    it("find nothing wrong where it counts once", async () => {
      const { checks } = await audit(createShop(), { event });
      expect(checks.flatMap(({ id, verdict }) => (verdict === "skipped" ? [] : [[id, verdict]]))).toEqual([
        ["state-duplicate", "pass"],
      ]);
    });

    it("are inconclusive where it changes nothing", async () => {
      const { order: _, ...shop } = createShopOfOrders();
      const { verdict, reasons } = await audit(shop, { event });
      expect({ verdict, reasons }).toEqual({
        verdict: "inconclusive",
        reasons: [expect.stringContaining("state-duplicate: the given event changed nothing in what --check prints")],
      });
    });

    it("report where it counts each time", async () => {
      const { create } = mistakenApplications["counts a payment at every delivery"]!;
      const { checks } = await audit(create(), { event });
      expect(checks.filter(({ verdict }) => verdict === "fail")).toMatchObject([
        {
          id: "state-duplicate",
          seen: "the given event changes the state each time that it comes: revenue: +1000, should be unchanged",
          schedule: ["the given event", "the given event again", "the given event again"],
          scenario: null,
        },
      ]);
    });
  });
});
