import { describe, expect, it } from "vitest";
import { runAudit } from "../../src/audit/run-audit.js";
import { type Application, hasty, startApplication, type AppEvent } from "./applications.js";
import { SECRET } from "./receivers.js";

/** How an application recognises an event that it has handled, and the checks that it fails. */
const memories = {
  "by its charge and status": { keyOf: ({ id, status }: AppEvent) => `${id} ${status}`, forgets: false, named: [] },
  "by its signature": {
    keyOf: ({ signature }: AppEvent) => signature,
    forgets: false,
    named: ["state-second-subscription"],
  },
  "by the one before": {
    keyOf: ({ id, status }: AppEvent) => `${id} ${status}`,
    forgets: true,
    named: ["state-late-duplicate"],
  },
  "not at all": { keyOf: undefined, forgets: true, named: ["state-duplicate"] },
} as const;

/** How an event changes the status of an order, and the checks that it fails. */
const orders = {
  "the later status": { next: (now: number, known: number) => Math.max(now, known), named: [] },
  "the last event": { next: (_: number, known: number) => known, named: ["state-reversed"] },
  "the last event, if it is bad news": {
    next: (now: number, known: number) => (known === DROPPED ? known : Math.max(now, known)),
    named: ["state-dropped-after-paid"],
  },
} as const;

const PROGRESS = ["due", "dropped", "paid", "refunded"];
const DROPPED = PROGRESS.indexOf("dropped");

type Memory = (typeof memories)[keyof typeof memories];
type Order = (typeof orders)[keyof typeof orders];

/** An application that counts payments that it does not know yet, and keeps each charge's status. */
function createShop({ keyOf, forgets }: Memory, { next }: Order): Application {
  const known = new Set<string>();
  const statuses = new Map<string, number>();
  let payments = 0;
  return {
    handle: (event) => {
      if (!event.topic.startsWith("charge")) return;
      const key = keyOf?.(event);
      if (event.status === "paid" && (key === undefined || !known.has(key))) payments++;
      if (forgets) known.clear();
      if (key !== undefined) known.add(key);
      statuses.set(event.id, next(statuses.get(event.id) ?? 0, PROGRESS.indexOf(event.status)));
    },
    state: () => ({ payments, statuses: Object.fromEntries(statuses) }),
  };
}

const all = Object.entries(memories).flatMap(([memory, knows]) =>
  Object.entries(orders).map(
    ([order, moves]) => [memory, order, createShop(knows, moves), [...knows.named, ...moves.named]] as const,
  ),
);

describe("an application that recognises events", { timeout: 60_000 }, () => {
  it.each(all)("%s, and believes %s, has each bug reported once", async (_memory, _order, shop, named) => {
    const { url } = await startApplication(shop);
    const { checks } = await runAudit({ url, secret: SECRET, system: hasty, check: shop.state, only: ["state"] });
    const failed = checks.filter(({ verdict }) => verdict === "fail").map(({ id }) => id);
    expect(failed.toSorted()).toEqual(named.toSorted());
  });
});
