import { randomUUID } from "node:crypto";
import type { SystemClock } from "../../src/kernel/time/system-clock.js";
import type { AuditOptions } from "../../src/audit/run-audit.js";
import type { AppEvent, Application } from "./applications.js";

export interface Zoo extends Application {
  /** The status with which its receiver refuses an event; undefined when it does not. */
  readonly refuse?: (event: AppEvent) => number | undefined;
  /** A clock that moves only while the audit waits. */
  readonly system?: SystemClock;
  /** Called at a restart. */
  readonly forget?: () => void;
}

/** An application, the options of its audit, and the checks that must fail or warn. */
export interface Specimen {
  readonly create: () => Zoo;
  readonly options?: (application: Zoo) => Partial<AuditOptions>;
  /** Each check with its verdict. */
  readonly finds?: readonly string[];
  /** Default: passed without failures, else failed. */
  readonly verdict?: "inconclusive";
}

interface OrderRow {
  status: string;
  shipped: boolean;
  revenue: number;
  refunded: number;
}

const isCharge = ({ topic }: AppEvent): boolean => /^charges?\//.test(topic);

/** A shop with a row for each order; `handle` gets the row of a charge's event. */
function shopOf(
  handle: (row: OrderRow, event: AppEvent) => void,
): Application & { readonly rows: Map<string, OrderRow> } {
  const rows = new Map<string, OrderRow>();
  return {
    rows,
    handle: (event) => {
      if (!isCharge(event)) return;
      const row = rows.get(event.id) ?? { status: "due", shipped: false, revenue: 0, refunded: 0 };
      rows.set(event.id, row);
      handle(row, event);
    },
    state: () => ({ orders: Object.fromEntries(rows) }),
  };
}

const RANK = ["due", "dropped", "paid", "refunded_partially", "refunded"];

/** Correct: the status only moves forward, the refunded amount only grows, and a refunded order is not shipped. */
function settle(row: OrderRow, { status, amount, refunded }: AppEvent): void {
  if (status === "paid" && row.status === "due") row.shipped = true;
  if (status !== "dropped") row.revenue = amount;
  row.refunded = Math.max(row.refunded, refunded);
  if (RANK.indexOf(status) > RANK.indexOf(row.status)) row.status = status;
}

/** Correct, with a row for each status that a transfer has reached. */
function payouts(knows: (key: string, work: () => void) => Promise<void> | void): Application {
  const totals: Record<string, number> = {};
  return {
    handle: async ({ topic, id, status }) => {
      if (!topic.startsWith("transaction")) return;
      await knows(`${id} ${status}`, () => void (totals[status] = (totals[status] ?? 0) + 1));
    },
    state: () => ({ totals }),
  };
}

const once = () => {
  const seen = new Set<string>();
  return (key: string, work: () => void): void => {
    if (seen.has(key)) return;
    seen.add(key);
    work();
  };
};

/** The shop, whose `--check` prints nothing but `shipped: 3`. */
const printingShipped = (shop: ReturnType<typeof shopOf>): Zoo => ({
  ...shop,
  state: () => ({ shipped: [...shop.rows.values()].filter(({ shipped }) => shipped).length }),
});

/** Takes each event's refunded amount for the amount of one refund. */
function addingRefunds(): ReturnType<typeof shopOf> {
  const known = once();
  return shopOf((row, event) => {
    const { refunded } = row;
    settle(row, event);
    row.refunded = refunded;
    known(`${event.id} ${event.status} ${event.refunded}`, () => void (row.refunded += event.refunded));
  });
}

/** The shop, whose `--check` prints what is left of the payments of each status. */
const printingWhatIsLeft = (shop: ReturnType<typeof shopOf>): Zoo => ({
  ...shop,
  state: () => {
    const sums: Record<string, number> = {};
    for (const { status, revenue, refunded } of shop.rows.values())
      sums[status] = (sums[status] ?? 0) + revenue - refunded;
    return sums;
  },
});

export const sound: Readonly<Record<string, Specimen>> = {
  "does not ship an order whose refund came before its payment": { create: () => shopOf(settle) },
  "prints what is left of payments, by status": { create: () => printingWhatIsLeft(shopOf(settle)) },
  "does not ship such an order, and prints nothing else": { create: () => printingShipped(shopOf(settle)) },
  "prints times and serial ids, and counts readings": {
    create: () => {
      const rows = new Map<
        string,
        { id: number; charge: string; status: string; updated_at: string; paid_at: number }
      >();
      let reads = 0;
      return {
        handle: (event) => {
          if (!isCharge(event)) return;
          const row = rows.get(event.id);
          if (row !== undefined && RANK.indexOf(event.status) <= RANK.indexOf(row.status)) return;
          const now = new Date();
          const paidAt = Math.floor(now.getTime() / 1000);
          const { id, status } = event;
          rows.set(id, {
            id: row?.id ?? rows.size + 1,
            charge: id,
            status,
            updated_at: now.toISOString(),
            paid_at: paidAt,
          });
        },
        state: () => ({ reads: ++reads, now: new Date().toUTCString(), rows: [...rows.values()] }),
      };
    },
  },
  "starts with an empty table": {
    create: () => {
      const shop = shopOf(settle);
      return { ...shop, state: () => [...shop.rows].map(([id, { status }]) => [id, status]) };
    },
  },
  "answers 409 to a refund whose payment it has not seen": {
    create: () => {
      const shop = shopOf(settle);
      const isEarly = ({ id, status }: AppEvent): boolean => status.startsWith("refunded") && !shop.rows.has(id);
      return { ...shop, refuse: (event) => (isCharge(event) && isEarly(event) ? 409 : undefined) };
    },
  },
  "answers 503 to a refund whose payment it has not seen": {
    create: () => {
      const shop = shopOf(settle);
      const isEarly = ({ id, status }: AppEvent): boolean => status.startsWith("refunded") && !shop.rows.has(id);
      return { ...shop, refuse: (event) => (isCharge(event) && isEarly(event) ? 503 : undefined) };
    },
  },
  "prints a net balance": {
    create: () => {
      const shop = shopOf(settle);
      const sum = (): number => [...shop.rows.values()].reduce((total, row) => total + row.revenue - row.refunded, 0);
      return { ...shop, state: sum };
    },
  },
  "prints the shop's own order around the charge": {
    create: () => {
      const shop = shopOf(settle);
      const known = new Set<string>();
      let number = 0;
      return {
        ...shop,
        handle: (event) => (known.has(event.id) ? shop.handle(event) : undefined),
        refuse: ({ id }) => (known.has(id) ? undefined : 404),
        order: () => {
          const id = randomUUID();
          known.add(id);
          const order = {
            id: ++number,
            lines: [{ id: 7, sku: "shoe" }],
            payment: { charge: { id, externalId: `o-${number}`, metadata: [] } },
          };
          return order as never;
        },
      };
    },
    options: () => ({ topic: "charges/events", only: ["genuine", "forged", "state"] }),
  },
  "makes its payouts itself, and answers 404 to others": {
    create: () => {
      const known = new Set<string>();
      return {
        ...payouts(once()),
        refuse: ({ id }) => (known.has(id) ? undefined : 404),
        order: () => {
          const id = randomUUID();
          known.add(id);
          return { payout: { id: `txn_${id}`, reference: `p-${known.size}`, msisdn: "+2250700000001" } } as never;
        },
      };
    },
    options: () => ({ topic: "transactions/completed", only: ["genuine", "forged", "state"] }),
  },
};

/** Unsound applications, by their mistake. */
export const unsound: Readonly<Record<string, Specimen>> = {
  "looks whether an event is new before it works, and notes it down after": {
    create: () => {
      const seen = new Set<string>();
      return payouts(async (key, work) => {
        if (seen.has(key)) return;
        await new Promise((resolve) => setTimeout(resolve, 10));
        work();
        seen.add(key);
      });
    },
    finds: ["state-simultaneous fail"],
  },
  "gives the money back at each failed": {
    create: () => {
      const seen = once();
      return payouts((key, work) => (key.endsWith("failed") ? work() : seen(key, work)));
    },
    finds: ["state-duplicate fail"],
  },
  "puts goods back into stock at each dropped": {
    create: () => {
      const shop = shopOf((row, event) => event.status !== "dropped" && settle(row, event));
      let stock = 0;
      return {
        ...shop,
        handle: async (event) => {
          if (event.status === "dropped" && !shop.rows.has(event.id)) stock++;
          if (event.status !== "dropped") await shop.handle(event);
        },
        state: () => ({ stock, shop: shop.state() }),
      };
    },
    finds: ["state-duplicate fail"],
  },
  "adds up the refunded amounts of all events": { create: () => addingRefunds(), finds: ["state-refunds fail"] },
  "adds them up, and prints what is left of payments, by status": {
    create: () => printingWhatIsLeft(addingRefunds()),
    finds: ["state-refunds fail"],
  },
  "books the whole order at each refund": {
    create: () => {
      const refunds = new Set<string>();
      const shop = shopOf(settle);
      return {
        ...shop,
        handle: async (event) => {
          await shop.handle(event);
          if (!shop.rows.has(event.id)) return;
          if (event.refunded > 0) refunds.add(`${event.id} 1`);
          if (event.status === "refunded_partially" && event.refunded > 0.5 * event.amount)
            refunds.add(`${event.id} 2`);
        },
        state: () => ({ orders: shop.rows.size, given_back: 10_000 * refunds.size }),
      };
    },
    finds: ["state-refunds fail"],
  },
  "ignores refunds": {
    create: () => shopOf((row, event) => (event.status.startsWith("refunded") ? undefined : settle(row, event))),
    finds: ["state-refunds fail"],
  },
  "ships an order after its refund": {
    create: () =>
      shopOf((row, event) => {
        settle(row, event);
        if (event.status === "paid") row.shipped = true;
      }),
    finds: ["state-reversed fail"],
  },
  "ships an order after its refund, and prints nothing else": {
    create: () =>
      printingShipped(
        shopOf((row, { status }) => {
          if (status === "paid") row.shipped = true;
        }),
      ),
    finds: ["state-reversed fail"],
  },
  "remembers events in memory": {
    create: () => {
      const memory = new Set<string>();
      const shop = payouts((key, work) => {
        if (!memory.has(key)) work();
        memory.add(key);
      });
      return { ...shop, forget: () => memory.clear() };
    },
    options: (application) => ({ restart: () => application.forget?.() }),
    finds: ["state-restart fail"],
  },
  "handles one spelling of the topic": {
    create: () => {
      const shop = shopOf(settle);
      return { ...shop, handle: (event) => (event.topic === "charge/events" ? shop.handle(event) : undefined) };
    },
    finds: ["state-history warn"],
  },
};

/** Applications that the audit cannot judge. */
export const unproven: Readonly<Record<string, Specimen>> = {
  "changes nothing": {
    create: () => ({ handle: () => undefined, state: () => ({ paid: 0 }) }),
    verdict: "inconclusive",
  },
  "prints only values that change by themselves": {
    create: () => {
      let count = 1;
      return { handle: () => undefined, state: () => (count *= 2) };
    },
    verdict: "inconclusive",
  },
  "answers 503 after a while": {
    create: () => {
      const shop = shopOf(settle);
      let count = 0;
      return { ...shop, refuse: () => (++count > 12 ? 503 : undefined) };
    },
    options: () => ({ only: ["state-duplicate", "state-reversed"] }),
    verdict: "inconclusive",
  },
};
