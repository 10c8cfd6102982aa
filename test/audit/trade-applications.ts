import type { AppEvent } from "./applications.js";
import type { Specimen, Zoo } from "./zoo.js";

const RANK = ["due", "dropped", "paid", "refunded_partially", "refunded", "pending", "completed", "failed"];

const isCharge = ({ topic }: AppEvent): boolean => /^charges?\//.test(topic);
const isFurther = (status: string, than = "due"): boolean => RANK.indexOf(status) > RANK.indexOf(than);
const keyOf = ({ id, status, refunded }: AppEvent): string => `${id} ${status} ${refunded}`;

/** Rows whose status only moves forward; `act` does something else at an event. */
function withRows(act: (event: AppEvent) => void, state: () => object, isOwn = isCharge): Zoo {
  const rows = new Map<string, string>();
  return {
    handle: (event) => {
      if (!isOwn(event)) return;
      act(event);
      if (isFurther(event.status, rows.get(event.id))) rows.set(event.id, event.status);
    },
    state: () => ({ statuses: [...rows.values()], ...state() }),
  };
}

/** Payouts whose status is that of the newest event, by the time that `isNewer` compares. */
function payoutsBy(isNewer: (at: string, than: string) => boolean): Zoo {
  const rows = new Map<string, { readonly at: string; readonly status: string }>();
  return {
    handle: ({ topic, id, status, updatedAt: at = "" }) => {
      const row = rows.get(id);
      if (topic.startsWith("transaction") && (row === undefined || isNewer(at, row.at))) rows.set(id, { at, status });
    },
    state: () => ({ completed: [...rows.values()].filter(({ status }) => status === "completed").length }),
  };
}

export const sound: Readonly<Record<string, Specimen>> = {
  "ignores events of a payout that are not newer than the last": {
    create: () => payoutsBy((at, than) => at > than),
  },
  "ignores events of a payout that are older than the last": {
    create: () => payoutsBy((at, than) => at >= than),
  },
  "computes each order anew from all events about it": {
    create: () => {
      const events = new Map<string, AppEvent>();
      return {
        handle: (event) => void (isCharge(event) && events.set(keyOf(event), event)),
        state: () => {
          const orders: Record<string, string> = {};
          for (const { id, status } of events.values()) if (isFurther(status, orders[id])) orders[id] = status;
          return orders;
        },
      };
    },
  },
  "prints a table with a head, serial ids and times of one second": {
    create: () => {
      const rows = new Map<string, { readonly number: number; readonly status: string; readonly at: string }>();
      return {
        handle: (event) => {
          const row = rows.get(event.id);
          if (!isCharge(event) || !isFurther(event.status, row?.status)) return;
          const at = new Date().toISOString().slice(0, 19).replace("T", " ");
          rows.set(event.id, { number: row?.number ?? rows.size + 1, status: event.status, at });
        },
        state: () => [
          ["id", "charge", "status", "updated_at"],
          ...[...rows].map(([id, { number, status, at }]) => [number, id, status, at]),
        ],
      };
    },
  },
  "answers 409 to everything whose beginning it has not seen": {
    create: () => {
      const known = new Set<string>();
      const shop = withRows(
        ({ id }) => known.add(id),
        () => ({}),
        () => true,
      );
      const begins = ({ status }: AppEvent): boolean => ["paid", "dropped", "pending"].includes(status);
      return { ...shop, refuse: (event) => (known.has(event.id) || begins(event) ? undefined : 409) };
    },
  },
  "ends a subscription at its refund": {
    create: () => {
      const isActive = new Map<string, boolean>();
      return withRows(
        ({ id, status }) => {
          if (status === "paid" && !isActive.has(id)) isActive.set(id, true);
          if (status === "refunded") isActive.set(id, false);
        },
        () => ({ active: [...isActive.values()].filter(Boolean).length }),
      );
    },
  },
};

/** Unsound applications, by their mistake. */
export const unsound: Readonly<Record<string, Specimen>> = {
  "remembers the last two events, and sends a ticket for each other one": {
    create: () => {
      const last: string[] = [];
      let tickets = 0;
      return withRows(
        (event) => {
          if (event.status === "paid" && !last.includes(keyOf(event))) tickets++;
          last.push(keyOf(event));
          if (last.length > 2) last.shift();
        },
        () => ({ tickets }),
      );
    },
    finds: ["state-late-duplicate fail"],
  },
  "takes a point of loyalty back at each partial refund": {
    create: () => {
      let points = 0;
      return withRows(
        ({ status }) => void (status === "refunded_partially" && points--),
        () => ({ points }),
      );
    },
    finds: ["state-duplicate fail"],
  },
  "believes the last event of a payout": {
    create: () => {
      const statuses = new Map<string, string>();
      return {
        handle: (event) => void (!isCharge(event) && statuses.set(event.id, event.status)),
        state: () => Object.fromEntries(statuses),
      };
    },
    options: () => ({ topic: "transactions/completed" }),
    finds: ["state-reversed fail"],
  },
  "takes only the first event of each payout": {
    create: () => {
      const statuses = new Map<string, string>();
      return {
        handle: (event) => void (isCharge(event) || statuses.has(event.id) || statuses.set(event.id, event.status)),
        state: () => Object.fromEntries(statuses),
      };
    },
    options: () => ({ topic: "transactions/completed" }),
    finds: ["state-reversed fail"],
  },
  "takes the refunds so far off its balance at each event": {
    create: () => {
      const seen = new Set<string>();
      let net = 0;
      return {
        handle: (event) => {
          if (!isCharge(event) || seen.has(keyOf(event))) return;
          seen.add(keyOf(event));
          net += (event.status === "paid" ? event.amount : 0) - event.refunded;
        },
        state: () => net,
      };
    },
    finds: ["state-refunds fail"],
  },
};
