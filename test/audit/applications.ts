import { createHash, randomUUID } from "node:crypto";
import { systemClock, type SystemClock } from "../../src/kernel/time/system-clock.js";
import { HEADER, hmac, type Incoming, SECRET, startReceiver, type StartedReceiver, take } from "./receivers.js";

/** Options for applications that work immediately and need no time to settle. */
export const hasty: SystemClock = { ...systemClock, ...virtualTime() };

function virtualTime(): Pick<SystemClock, "monotonic" | "sleep"> {
  let now = 0;
  return {
    monotonic: () => now,
    sleep: async (ms) => {
      now += ms;
    },
  };
}

/** What an application reads from an event. */
export interface AppEvent {
  readonly topic: string;
  readonly id: string;
  readonly status: string;
  readonly reference: string;
  readonly amount: number;
  /** The amount of a charge that was refunded so far. */
  readonly refunded: number;
  /** When a transfer became what it is. */
  readonly updatedAt?: string;
  readonly signature: string;
}

/** A shop behind a receiver: how it handles genuine events, and the state that it prints. */
export interface Application {
  readonly handle: (event: AppEvent) => void | Promise<void>;
  /** Also handles events that its receiver refuses. */
  readonly isHasty?: true;
  readonly state: () => unknown;
  /** For a shop that knows only its own orders: makes one, and returns its charge. */
  readonly order?: () => Charge;
}

export interface Charge {
  readonly id: string;
  readonly externalId: string;
  readonly amount?: number;
}

export interface RunningApplication extends StartedReceiver {
  /** Puts another application behind the receiver. */
  readonly become: (application: Application) => void;
}

/** The application behind a sound receiver, until the test ends. */
export async function startApplication(application: Application, secret = SECRET): Promise<RunningApplication> {
  let current = application;
  const started = await startReceiver(async (incoming) => {
    const { body, headers } = incoming;
    const status = hmac(body, "base64", secret) === headers[HEADER] ? take(body) : 401;
    if (status >= 300 && current.isHasty !== true) return status;
    const event = parseEvent(incoming);
    if (event !== undefined) await current.handle(event);
    return status;
  });
  return { ...started, become: (other) => void (current = other) };
}

function parseEvent({ body, headers }: Incoming): AppEvent | undefined {
  const { topic, data } = JSON.parse(body.toString());
  if (typeof topic !== "string" || typeof data?.id !== "string") return undefined;
  const reference = data.externalId ?? data.reference;
  const signature = String(headers["x-service-hmac-sha256"]);
  const { id, status, amount, refunded = 0 } = data;
  return { topic, id, status, reference, amount, refunded, signature };
}

/** The order of a charge's statuses, which never go back. */
const PROGRESS = ["due", "dropped", "paid", "refunded"];

/** Correct: each charge's status only moves forward, and counts once. */
export function createShop(): Application {
  const orders = new Map<string, string>();
  return {
    handle: ({ id, status }) => {
      const now = orders.get(id) ?? "due";
      if (PROGRESS.indexOf(status) > PROGRESS.indexOf(now)) orders.set(id, status);
    },
    state: () => countOf([...orders.values()]),
  };
}

/** Correct: knows only its own orders, and lists all of them. */
export function createShopOfOrders(): Application & { readonly adopt: (charge: Charge) => void } {
  const orders = new Map<string, { externalId: string; status: string }>();
  const adopt = ({ id, externalId }: Charge): void => void orders.set(id, { externalId, status: "due" });
  return {
    handle: ({ id, status }) => {
      const order = orders.get(id);
      if (order !== undefined && PROGRESS.indexOf(status) > PROGRESS.indexOf(order.status)) order.status = status;
    },
    state: () => ({ orders: Object.fromEntries(orders), count: orders.size }),
    order: () => {
      const charge = { id: randomUUID(), externalId: `order-${orders.size + 1}` };
      adopt(charge);
      return charge;
    },
    adopt,
  };
}

/** Correct, but its state hides what happens when two orders end alike. */
export function createShopOfOneOrder(): Application {
  const orders = new Map<string, { status: string; refunded: number }>();
  const rank = ["due", "dropped", "paid", "refunded_partially", "refunded"];
  return {
    handle: ({ id, status, refunded }) => {
      const order = orders.get(id) ?? { status: "due", refunded: 0 };
      orders.set(id, order);
      if (rank.indexOf(status) > rank.indexOf(order.status)) order.status = status;
      order.refunded = Math.max(order.refunded, refunded);
    },
    state: () => [...orders.values()].slice(-1),
  };
}

/** Correct: it accepts only events that agree with its order, and each order has a larger amount than the one before. */
export function createSuspiciousShop(): Application {
  const shop = createShopOfOrders();
  const amounts = new Map<string, number>();
  return {
    ...shop,
    handle: async (event) => {
      if (amounts.get(event.id) === event.amount) await shop.handle(event);
    },
    order: () => {
      const charge = { id: String(amounts.size + 1), externalId: "7", amount: 500 + amounts.size };
      shop.adopt(charge);
      amounts.set(charge.id, charge.amount);
      return charge;
    },
  };
}

/**
 * Correct: it answers first and works afterwards, in a time that passes only while the audit waits. Its events take these delays in turn; 0 is before the
 * answer.
 */
export function createLateShop(...delaysMs: readonly number[]): Application & { readonly system: SystemClock } {
  const shop = createShop();
  const waiting: { readonly event: AppEvent; readonly at: number }[] = [];
  let now = 0;
  let events = 0;
  return {
    ...shop,
    handle: (event) => {
      const delayMs = delaysMs[events++ % delaysMs.length] ?? 0;
      if (delayMs === 0 && waiting.length === 0) return shop.handle(event);
      waiting.push({ event, at: now + delayMs });
    },
    system: {
      ...systemClock,
      monotonic: () => now,
      sleep: async (ms) => {
        now += ms;
        while (waiting[0] !== undefined && waiting[0].at <= now) await shop.handle(waiting.shift()!.event);
      },
    },
  };
}

/** Correct: it knows only its own orders, but its state is read from a copy of the database that lags behind. */
export function createShopWithReplica(lagMs: number): Application & { readonly system: SystemClock } {
  const shop = createShopOfOrders();
  let now = 0;
  const states = [{ at: 0, state: shop.state() }];
  const note = (): void => void states.push({ at: now + lagMs, state: structuredClone(shop.state()) });
  return {
    handle: async (event) => {
      await shop.handle(event);
      note();
    },
    state: () => states.findLast(({ at }) => at <= now)?.state,
    order: () => {
      const charge = shop.order!();
      note();
      return charge;
    },
    system: {
      ...systemClock,
      monotonic: () => now,
      sleep: async (ms) => {
        now += ms;
      },
    },
  };
}

/** Correct: a list of all events, each once, in any order. */
export function createLedger(): Application {
  const entries = new Map<string, { charge: string; status: string; amount: string }>();
  return {
    handle: ({ id, status, amount, topic }) => {
      if (topic.startsWith("charge") && status !== "dropped") {
        entries.set(`${id} ${status}`, { charge: id, status, amount: `${amount}.00` });
      }
    },
    state: () => [...entries.values()],
  };
}

/** Applications with one classic mistake each, the check that is about it, and the shortest schedule that shows it. */
export const mistakenApplications: Readonly<
  Record<string, { readonly create: () => Application; readonly named: string; readonly schedule: readonly string[] }>
> = {
  "handles an event before it verifies it": {
    create: () => ({ ...createShop(), isHasty: true }),
    named: "state-forged",
    schedule: ["paid, wrongly signed"],
  },
  "counts a payment at every delivery": {
    create: () => {
      const refunded = new Set<string>();
      let revenue = 0;
      return {
        handle: ({ id, status, amount }) => {
          if (status === "paid") revenue += amount;
          if (status === "refunded" && !refunded.has(id)) refunded.add(id);
        },
        state: () => ({ revenue, refunded: refunded.size }),
      };
    },
    named: "state-duplicate",
    schedule: ["paid", "paid again"],
  },
  "counts a refund at every delivery": {
    create: () => {
      const paid = new Set<string>();
      let refunds = 0;
      return {
        handle: ({ id, status }) => {
          if (status === "paid") paid.add(id);
          if (status === "refunded") refunds++;
        },
        state: () => ({ paid: paid.size, refunds }),
      };
    },
    named: "state-duplicate",
    schedule: ["refunded", "refunded again"],
  },
  "makes an order unpaid when dropped comes after paid": {
    create: () =>
      createStatusShop((now, status) => {
        const movesForward = now === undefined || (now === "paid" && status !== "paid") || status === "completed";
        return movesForward ? status : now;
      }),
    named: "state-dropped-after-paid",
    schedule: ["paid", "dropped"],
  },
  "makes an order of an unknown charge": {
    create: () => {
      const shop = createShopOfOrders();
      const strangers = new Set<string>();
      const own = new Set<string>();
      return {
        handle: (event) => {
          void shop.handle(event);
          if (!own.has(event.id)) strangers.add(event.id);
        },
        state: () => ({ shop: shop.state(), strangers: strangers.size }),
        order: () => {
          const charge = shop.order?.() ?? { id: "", externalId: "" };
          own.add(charge.id);
          return charge;
        },
      };
    },
    named: "state-unknown-id",
    schedule: ["paid of an unknown order"],
  },
  "knows again only the event before": {
    create: () => {
      let last = "";
      let paid = 0;
      return {
        handle: ({ id, status }) => {
          if (status === "paid" && last !== `${id} ${status}`) paid++;
          last = `${id} ${status}`;
        },
        state: () => ({ payments: paid }),
      };
    },
    named: "state-late-duplicate",
    schedule: ["paid", "paid of another order", "paid again"],
  },
  "knows deliveries again, and not events": {
    create: () => {
      const seen = new Set<string>();
      let paid = 0;
      return {
        handle: ({ status, signature }) => {
          const fingerprint = createHash("sha1").update(signature).digest("hex");
          if (status === "paid" && !seen.has(fingerprint)) paid++;
          seen.add(fingerprint);
        },
        state: () => String(paid),
      };
    },
    named: "state-second-subscription",
    schedule: ["paid", "paid again, by a second subscription"],
  },
  "believes the last event": {
    create: () => createStatusShop((_, status) => status),
    named: "state-reversed",
    schedule: ["refunded", "paid"],
  },
  "believes the last event of a transfer": {
    create: () => {
      const charges = createShop();
      const transfers = createStatusShop((_, status) => status);
      return {
        handle: (event) => (event.topic.startsWith("transaction") ? transfers : charges).handle(event),
        state: () => ({ charges: charges.state(), transfers: transfers.state() }),
      };
    },
    named: "state-reversed",
    schedule: ["completed", "started"],
  },
};

/** Correct, except that it answers 500 to events that it already knows. */
export function createIndignantShop(): Application {
  const shop = createShop();
  const known = new Set<string>();
  return {
    ...shop,
    handle: async (event) => {
      const name = `${event.id} ${event.status} ${event.refunded}`;
      if (known.has(name)) throw new Error("Duplicate entry");
      known.add(name);
      await shop.handle(event);
    },
  };
}

/** Correct, except that it answers 500 once an order is refunded. */
export function createShopWithoutRefunds(): Application {
  const shop = createShop();
  return {
    ...shop,
    handle: async (event) => {
      if (event.status === "refunded") throw new Error("refunded is no status");
      await shop.handle(event);
    },
  };
}

/** Each charge has the status that `next` returns for its present status and the one of the event. */
function createStatusShop(next: (now: string | undefined, status: string) => string): Application {
  const orders = new Map<string, string>();
  return {
    handle: ({ id, status }) => void orders.set(id, next(orders.get(id), status)),
    state: () => Object.fromEntries(orders),
  };
}

function countOf(statuses: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
