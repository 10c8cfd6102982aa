import type { LedgerEntry } from "../../../../domain/model/account.js";
import type { Charge, PendingPayment } from "../../../../domain/model/charge.js";
import type { Delivery } from "../../../../domain/model/delivery.js";
import type { DomainEvent } from "../../../../domain/model/events.js";
import type { World } from "../../../../domain/model/work.js";
import type { Row } from "../../../../kernel/table.js";
import type { Company } from "../../../../sandbox/company/company.js";
import { idInPath } from "../../../../sandbox/observation/detector.js";
import type { Journal, JournalEntry } from "../../../../sandbox/observation/journal.js";
import { Lookup } from "./lookup.js";
import { plainId } from "../../../../domain/values/ids.js";

/** The newest of a list that stands on another thing's page, and how many older ones there are. */
export interface Some<T> {
  /** Newest first. */
  readonly rows: readonly T[];
  readonly older: number;
}

/** What is told of one resource on its own page. */
export interface Related {
  /** Oldest first; those that were not forgotten. */
  readonly events: readonly DomainEvent[];
  readonly entries: Some<LedgerEntry>;
  readonly deliveries: Some<Delivery>;
  readonly requests: Some<JournalEntry>;
}

/** Of each kind, as many are shown on the page of what they are about. */
export const RELATED_SHOWN = 25;

/** The first time that it is asked of a company takes a turn for every few thousand of its records, later times next to nothing. */
export async function relatedTo(
  { world, deps }: Company,
  journal: Journal["entries"],
  resource: Row,
): Promise<Related> {
  const { events, ledger, deliveries, payments } = lookupsOf(world);
  for (const lookup of [events, ledger, deliveries, payments]) await lookup.catchUp(deps.system);
  return {
    events: events.find(resource.id),
    entries: newest(ledger.find(resource.id)),
    deliveries: newest(deliveries.find(resource.id)),
    requests: requestsAbout(journal, resource),
  };
}

/** Payments of a charge that were asked for and whose result comes later. */
export function pendingPaymentsOf(world: World, charge: Charge): readonly PendingPayment[] {
  return lookupsOf(world).payments.find(charge.id);
}

function newest<T>(rows: readonly T[]): Some<T> {
  return { rows: rows.slice(-RELATED_SHOWN).toReversed(), older: Math.max(0, rows.length - RELATED_SHOWN) };
}

/** Those that made it, or that name it in their path. The journal keeps a bounded number of them. */
function requestsAbout(journal: Journal["entries"], { id, seq }: Row): Some<JournalEntry> {
  const isAbout = (entry: JournalEntry): boolean => {
    const { created, operation, made } = entry;
    if (created.includes(id) || (operation === "createBatch" && made.from < seq && seq <= made.to)) return true;
    const named = idInPath(entry);
    return named !== undefined && plainId(named) === id;
  };
  const { rows, more } = journal.page({ limit: RELATED_SHOWN, newestFirst: true, where: isAbout });
  return { rows, older: more ? 1 : 0 };
}

interface Lookups {
  readonly events: Lookup<DomainEvent>;
  readonly ledger: Lookup<LedgerEntry>;
  readonly deliveries: Lookup<Delivery>;
  readonly payments: Lookup<PendingPayment>;
}

/** They live as long as the world does; a reset, or a state put in, makes another one. */
const known = new WeakMap<World, Lookups>();

function lookupsOf(world: World): Lookups {
  const standing = known.get(world);
  if (standing !== undefined) return standing;
  const made: Lookups = {
    events: new Lookup(world.events, ({ resource }) => resource),
    ledger: new Lookup(world.ledger, ({ resource }) => resource),
    deliveries: new Lookup(world.deliveries, ({ resource }) => resource),
    payments: new Lookup(world.payments, ({ chargeId }) => chargeId),
  };
  known.set(world, made);
  return made;
}
