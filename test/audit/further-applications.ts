import { type SystemClock, systemClock } from "../../src/kernel/time/system-clock.js";
import type { AppEvent, Application } from "./applications.js";
import type { Specimen, Zoo } from "./zoo.js";

const isCharge = ({ topic }: AppEvent): boolean => /^charges?\//.test(topic);

const isNotDropped = (event: AppEvent): boolean => isCharge(event) && event.status !== "dropped";

interface Row {
  status: string;
  amount: number;
  refunded: number;
}

const RANK = ["due", "dropped", "paid", "refunded_partially", "refunded"];

/** Correct: a row for each charge, which only moves forward. */
function createRows() {
  const rows = new Map<string, Row>();
  const apply = ({ id, status, amount, refunded }: AppEvent): boolean => {
    const row = rows.get(id) ?? { status: "due", amount, refunded: 0 };
    rows.set(id, row);
    const isNew = RANK.indexOf(status) > RANK.indexOf(row.status) || refunded > row.refunded;
    if (RANK.indexOf(status) > RANK.indexOf(row.status)) row.status = status;
    row.refunded = Math.max(row.refunded, refunded);
    return isNew;
  };
  return { rows, all: () => [...rows.values()], apply };
}

const sumOf = (rows: readonly Row[], amountOf: (row: Row) => number): number =>
  rows.reduce((sum, row) => sum + amountOf(row), 0);

const isPaid = ({ status }: Row): boolean => RANK.indexOf(status) >= RANK.indexOf("paid");

/** Handles charges only, with rows that only move forward; prints the result of `state`. */
function rowsWith(state: (rows: readonly Row[]) => unknown): Zoo {
  const { all, apply } = createRows();
  return { handle: (event) => void (isCharge(event) && apply(event)), state: () => state(all()) };
}

/** Makes its orders itself; `next` returns the order after an event that does not come too late. */
function shopOf(next: (event: AppEvent, order: Omit<Row, "amount">) => Omit<Row, "amount">): Zoo {
  const orders = new Map<string, Omit<Row, "amount">>();
  const seen = new Set<string>();
  return {
    handle: (event) => {
      const order = orders.get(event.reference);
      const name = `${event.id} ${event.status} ${event.refunded}`;
      if (order === undefined || seen.has(name) || RANK.indexOf(event.status) < RANK.indexOf(order.status)) return;
      seen.add(name);
      Object.assign(order, next(event, order));
    },
    state: () => ({ orders: [...orders].map(([externalId, order]) => ({ externalId, ...order })) }),
    order: () => {
      const externalId = `order-${orders.size}`;
      orders.set(externalId, { status: "due", refunded: 0 });
      return { id: `charge-${orders.size}`, externalId, amount: 10_000 };
    },
  };
}

/** A worker that processes an inbox whenever the audit waits. */
function createInbox(work: (event: AppEvent) => void, delayMs: number) {
  const inbox = new Map<string, { readonly event: AppEvent; readonly at: number }>();
  const done = new Set<string>();
  let now = 0;
  return {
    add: (event: AppEvent): void => {
      const key = `${event.id} ${event.status} ${event.refunded}`;
      if (!inbox.has(key) && !done.has(key)) inbox.set(key, { event, at: now + delayMs });
    },
    system: {
      ...systemClock,
      monotonic: () => now,
      sleep: async (ms: number) => {
        now += ms;
        for (const [key, { event, at }] of inbox) {
          if (at > now) continue;
          inbox.delete(key);
          done.add(key);
          work(event);
        }
      },
    } satisfies SystemClock,
  };
}

/** Correct applications that an audit must pass. */
export const sound: Readonly<Record<string, Specimen>> = {
  "prints sums by status": {
    create: () =>
      rowsWith((rows) => {
        const sums: Record<string, number> = {};
        for (const { status, amount } of rows) sums[status] = (sums[status] ?? 0) + amount;
        return sums;
      }),
  },
  "prints rows of a report: status, number, sum, refunds": {
    create: () =>
      rowsWith((rows) =>
        RANK.filter((status) => rows.some((row) => row.status === status)).map((status) => {
          const own = rows.filter((row) => row.status === status);
          return [status, own.length, `${sumOf(own, ({ amount }) => amount)}.00`, sumOf(own, (row) => row.refunded)];
        }),
      ),
  },
  "lists refunds beside the amounts of their orders": {
    create: () =>
      rowsWith((rows) => ({
        paid: rows.filter(isPaid).length,
        refunds: rows.filter(({ refunded }) => refunded > 0),
      })),
  },
  "prints gross, refunds and net": {
    create: () =>
      rowsWith((rows) => {
        const gross = sumOf(rows.filter(isPaid), ({ amount }) => amount);
        const refunds = sumOf(rows, ({ refunded }) => refunded);
        return { gross, refunds, net: gross - refunds };
      }),
  },
  "counts full refunds separately from partial ones": {
    create: () =>
      rowsWith((rows) => {
        const full = rows.filter(({ status }) => status === "refunded");
        const parts = rows.filter(({ status }) => status === "refunded_partially");
        return {
          paid: rows.filter(isPaid).length,
          refundedInFull: sumOf(full, ({ refunded }) => refunded),
          refundedInPart: sumOf(parts, ({ refunded }) => refunded),
        };
      }),
  },
  "says of an order whose refund came first that it is not to be shipped": {
    create: () => {
      const { rows, apply } = createRows();
      const fulfilment = new Map<string, string>();
      return {
        handle: (event) => {
          if (!isCharge(event)) return;
          const isNew = !rows.has(event.id);
          apply(event);
          if (event.status === "paid" && isNew) fulfilment.set(event.id, "shipped");
          else if (isNew) fulfilment.set(event.id, "not shipped");
        },
        state: () => [...rows].map(([id, { status }]) => ({ id, status, fulfilment: fulfilment.get(id) })),
      };
    },
  },
  "takes goods back into stock at a refund": {
    create: () => {
      const { rows, apply } = createRows();
      let stock = 100;
      return {
        handle: (event) => {
          if (!isCharge(event)) return;
          const before = rows.get(event.id)?.status ?? "due";
          apply(event);
          if (event.status === "paid" && before === "due") stock--;
          if (event.status === "refunded" && ["paid", "refunded_partially"].includes(before)) stock++;
        },
        state: () => ({ stock, statuses: [...rows.values()].map(({ status }) => status) }),
      };
    },
  },
  "answers 202, and works off an inbox table later": {
    create: () => {
      const { all, apply } = createRows();
      const inbox = createInbox((event) => void apply(event), 400);
      return {
        handle: (event) => {
          if (isCharge(event)) inbox.add(event);
        },
        refuse: (event) => {
          if (isCharge(event)) inbox.add(event);
          return 202;
        },
        state: () => ({ inbox: all().length, refunded: sumOf(all(), ({ refunded }) => refunded) }),
        system: inbox.system,
      };
    },
    options: ({ system }) => (system === undefined ? {} : { system }),
  },
  "locks an order while it handles an event, and answers 503 to others about it": {
    create: () => {
      const locked = new Set<string>();
      const shop = rowsWith((rows) => rows);
      return {
        ...shop,
        refuse: ({ id }) => (locked.has(id) ? 503 : undefined),
        handle: async (event) => {
          locked.add(event.id);
          await new Promise((resolve) => setTimeout(resolve, 10));
          await shop.handle(event);
          locked.delete(event.id);
        },
      };
    },
  },
  "answers 425 to the end of a payout whose start it has not seen": {
    create: () => {
      const statuses = new Map<string, string>();
      const order = ["started", "completed", "failed"];
      const isEarly = ({ topic, id }: AppEvent): boolean => !topic.endsWith("started") && !statuses.has(id);
      return {
        refuse: (event) => (!isCharge(event) && isEarly(event) ? 425 : undefined),
        handle: ({ topic, id }) => {
          if (!topic.startsWith("transaction")) return;
          const status = topic.replace(/.*\//, "");
          if (order.indexOf(status) > order.indexOf(statuses.get(id) ?? "")) statuses.set(id, status);
        },
        state: () => ({ payouts: [...statuses.values()] }),
      };
    },
  },
  "keeps an account for each customer, by the entries of each charge": {
    create: () => {
      const entries = new Map<string, number>();
      return {
        handle: (event) => {
          if (!isCharge(event) || event.status === "dropped") return;
          entries.set(`${event.id} payment`, event.amount);
          const key = `${event.id} refunds`;
          entries.set(key, Math.min(entries.get(key) ?? 0, -event.refunded));
        },
        state: () => ({ balance: [...entries.values()].reduce((sum, amount) => sum + amount, 0) }),
      };
    },
  },
  "subscribes to charges alone, and answers 404 to transactions": {
    create: () => ({
      ...rowsWith((rows) => rows.map(({ status, refunded }) => ({ status, refunded }))),
      refuse: (event) => (isCharge(event) ? undefined : 404),
    }),
    options: () => ({ topic: "charges/events" }),
  },
  "takes orders of another amount": {
    create: () => {
      const shop = rowsWith((rows) => ({ refunds: sumOf(rows, ({ refunded }) => refunded), paid: rows.length }));
      const own = new Set<string>();
      return {
        ...shop,
        handle: (event) => (own.has(event.id) ? shop.handle(event) : undefined),
        order: () => {
          const id = `charge-of-2500-${own.size}`;
          own.add(id);
          return { id, externalId: `order-${own.size}`, amount: 2500 };
        },
      };
    },
    options: () => ({ topic: "charges/events" }),
  },
};

/** Ships at events that are not payments. */
function shipping(ships: (event: AppEvent, before: string) => boolean): Zoo {
  const { rows, apply } = createRows();
  const shipped = new Map<string, number>();
  return {
    handle: (event) => {
      if (!isCharge(event)) return;
      const before = rows.get(event.id)?.status ?? "due";
      if (apply(event) && ships(event, before)) shipped.set(event.id, (shipped.get(event.id) ?? 0) + 1);
    },
    state: () => ({
      shipped: [...shipped.values()].reduce((sum, count) => sum + count, 0),
      statuses: [...rows.values()].map(({ status }) => status),
    }),
  };
}

/** Adds up the money that `book` returns for each new event. */
function booking(
  book: (event: AppEvent) => number,
  state: (total: number) => unknown = (revenue) => ({ revenue }),
): Zoo {
  const seen = new Set<string>();
  let total = 0;
  return {
    handle: (event) => {
      const key = `${event.id} ${event.status} ${event.refunded}`;
      if (!isCharge(event) || seen.has(key)) return;
      seen.add(key);
      total += book(event);
    },
    state: () => state(total),
  };
}

/** Checks whether an event is new, handles it, and then records it, for these statuses only. */
function racing(isRacing: (event: AppEvent) => boolean, isOwn: (event: AppEvent) => boolean): Application {
  const seen = new Set<string>();
  const counts: Record<string, number> = {};
  return {
    handle: async (event) => {
      const key = `${event.id} ${event.status} ${event.refunded}`;
      if (!isOwn(event) || seen.has(key)) return;
      if (isRacing(event)) await new Promise((resolve) => setTimeout(resolve, 30));
      seen.add(key);
      counts[event.status] = (counts[event.status] ?? 0) + 1;
    },
    state: () => ({ counts }),
  };
}

/** Records an event immediately, and ships 3 s later, each time that the event comes. */
function createLateShipping(): Zoo {
  const { all, apply } = createRows();
  let shipped = 0;
  let count = 0;
  const inbox = createInbox(() => shipped++, 3000);
  return {
    handle: (event) => {
      if (!isCharge(event)) return;
      apply(event);
      if (event.status === "paid") inbox.add({ ...event, id: `${event.id} ${++count}` });
    },
    state: () => ({ shipped, statuses: all().map(({ status }) => status) }),
    system: inbox.system,
  };
}

/** Unsound applications, by their mistake. */
export const unsound: Readonly<Record<string, Specimen>> = {
  "ships 3 s later, as often as a payment comes": {
    create: createLateShipping,
    options: ({ system }) => ({ settleMs: 4000, ...(system === undefined ? {} : { system }) }),
    finds: ["state-duplicate fail", "state-reversed fail"],
  },
  "ships at the first event of an order, whatever its status is": {
    create: () => shipping((_, before) => before === "due"),
    finds: ["state-reversed fail"],
  },
  "ships at a payment, and again at its refund": {
    create: () => shipping(({ status }) => ["paid", "refunded"].includes(status)),
    finds: ["state-reversed fail", "state-refunds fail"],
  },
  "takes goods out of stock when the payment comes after the refund": {
    create: () => {
      const { rows, apply } = createRows();
      const seen = new Set<string>();
      let stock = 100;
      return {
        handle: (event) => {
          if (!isCharge(event)) return;
          apply(event);
          if (event.status === "paid" && !seen.has(event.id)) stock--;
          if (event.status === "paid") seen.add(event.id);
        },
        state: () => ({ stock, statuses: [...rows.values()].map(({ status }) => status) }),
      };
    },
    finds: ["state-reversed fail"],
  },
  "takes the whole amount off at a partial refund": {
    create: () => {
      const { all, apply } = createRows();
      return {
        handle: (event) => void (isCharge(event) && apply(event)),
        state: () => ({
          revenue: sumOf(
            all().filter(({ status }) => status === "paid"),
            ({ amount }) => amount,
          ),
        }),
      };
    },
    finds: ["state-refunds fail"],
  },
  "counts a partial refund as a full one, for orders of another amount": {
    create: () => {
      const { all, apply } = createRows();
      const own = new Set<string>();
      return {
        handle: (event) => void (own.has(event.id) && apply(event)),
        state: () => ({
          net: sumOf(
            all().filter(({ status }) => status === "paid"),
            ({ amount }) => amount,
          ),
        }),
        order: () => {
          const id = `charge-of-2500-${own.size}`;
          own.add(id);
          return { id, externalId: `order-${own.size}`, amount: 2500 };
        },
      };
    },
    options: () => ({ topic: "charges/events" }),
    finds: ["state-refunds fail"],
  },
  "adds up refunded amounts that are sums so far": {
    create: () =>
      booking(
        ({ refunded }) => refunded,
        (refunds) => ({ refunds }),
      ),
    finds: ["state-refunds fail"],
  },
  "adds up refunded amounts in a column of its orders": {
    create: () => shopOf(({ status, refunded }, row) => ({ status, refunded: row.refunded + refunded })),
    options: () => ({ topic: "charges/events" }),
    finds: ["state-refunds fail"],
  },
  "takes a partial refund for a full one in a column of its orders": {
    create: () =>
      shopOf(({ status, amount, refunded }) => ({
        status: status === "refunded_partially" ? "refunded" : status,
        refunded: refunded > 0 ? amount : 0,
      })),
    options: () => ({ topic: "charges/events" }),
    finds: ["state-refunds fail"],
  },
  "knows charges again, and not their events": {
    create: () => {
      const seen = new Set<string>();
      let revenue = 0;
      return {
        handle: ({ id, topic, amount, refunded }) => {
          if (!topic.startsWith("charge") || seen.has(id)) return;
          seen.add(id);
          revenue += amount - refunded;
        },
        state: () => ({ revenue }),
      };
    },
    finds: ["state-refunds fail"],
  },
  "races at refunds alone": {
    create: () => racing(({ status }) => status === "refunded", isNotDropped),
    finds: ["state-simultaneous fail"],
  },
  "races at partial refunds alone": {
    create: () => racing(({ status }) => status === "refunded_partially", isNotDropped),
    finds: ["state-simultaneous fail"],
  },
  "races at failed payouts alone": {
    create: () =>
      racing(
        ({ status }) => status === "failed",
        (event) => !isCharge(event),
      ),
    finds: ["state-simultaneous fail"],
  },
  "gives a payout back to its customer at each failed": {
    create: () => {
      let balance = 0;
      const seen = new Set<string>();
      return {
        handle: ({ topic, id, amount }) => {
          if (topic.endsWith("failed")) balance += amount;
          if (topic.endsWith("started") && !seen.has(id)) balance -= amount;
          seen.add(id);
        },
        state: () => ({ balance }),
      };
    },
    finds: ["state-duplicate fail"],
  },
  "frees the seats of an order at each dropped": {
    create: () => {
      const { rows, apply } = createRows();
      let seats = 50;
      return {
        handle: (event) => {
          if (!isCharge(event)) return;
          apply(event);
          if (event.status === "dropped" && rows.get(event.id)?.status === "dropped") seats++;
        },
        state: () => ({ seats, statuses: [...rows.values()].map(({ status }) => status) }),
      };
    },
    finds: ["state-duplicate fail"],
  },
};

/** Applications that the audit cannot judge, and says what it needs: their state changes late, or they refuse a family of topics. */
export const explained: Readonly<Record<string, Specimen & { readonly says: RegExp }>> = {
  "handles charges only, and answers 404 to transactions": {
    create: () => ({
      ...rowsWith((rows) => rows.map(({ status, refunded }) => ({ status, refunded }))),
      refuse: (event) => (isCharge(event) ? undefined : 404),
    }),
    says: /^state-history: .*transactions\/\*.*404.*--topic charges\/events/,
  },
  "handles transactions only, and answers 404 to charges": {
    create: () => {
      const statuses = new Map<string, string>();
      const order = ["pending", "completed", "failed"];
      return {
        handle: ({ id, status }) => {
          if (order.indexOf(status) > order.indexOf(statuses.get(id) ?? "")) statuses.set(id, status);
        },
        state: () => [...statuses.values()],
        refuse: (event) => (isCharge(event) ? 404 : undefined),
      };
    },
    options: () => ({ only: ["state"] }),
    says: /--topic transactions\/completed/,
  },
  ...Object.fromEntries(
    [2000, 3000, 5000].map((delayMs) => [
      `works ${delayMs} ms after its answer`,
      {
        create: () => {
          const { all, apply } = createRows();
          const inbox = createInbox((event) => void apply(event), delayMs);
          return {
            handle: (event: AppEvent) => void (isCharge(event) && inbox.add(event)),
            state: () => all().map(({ status }) => status),
            system: inbox.system,
          };
        },
        options: ({ system }: Zoo) => (system === undefined ? {} : { system }),
        says: /after the answer.*--settle/,
      },
    ]),
  ),
  "records an event immediately, and ships 3 s later, each time that it comes": {
    create: createLateShipping,
    options: ({ system }) => (system === undefined ? {} : { system }),
    says: /after the answer.*--settle/,
  },
};
