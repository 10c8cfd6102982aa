import type { Delivery, DeliveryStatus } from "../../../../domain/model/delivery.js";
import type { DomainEvent } from "../../../../domain/model/events.js";
import type { World } from "../../../../domain/model/work.js";
import { searchedFor } from "../parts/list.js";
import { createMatcher } from "../view/search-list.js";
import { plainId } from "../../../../domain/values/ids.js";
import type { Query } from "../../../../contract/queries.js";
import { idInPath } from "../../../../sandbox/observation/detector.js";
import type { Company } from "../../../../sandbox/company/company.js";
import type { Journal, JournalEntry } from "../../../../sandbox/observation/journal.js";

/** One part of a company's history: a request with its changes, or a change without a request: due work, or a call of the control API. */
export type TimelineItem =
  | ({ readonly kind: "request"; readonly entry: JournalEntry } & Changes)
  | { readonly kind: "change"; readonly change: Change };

/** What one request made. */
export interface Changes {
  readonly changes: readonly Change[];
  /** Whether it made more changes than are shown. */
  readonly isCut: boolean;
}

/** One event and its deliveries, oldest first. */
export interface Change {
  readonly event: DomainEvent;
  readonly deliveries: readonly Delivery[];
  readonly isCut: boolean;
}

interface TimelineRequest {
  readonly limit: number;
  /** Undefined: from the newest. */
  readonly before?: Place | undefined;
  readonly isWanted?: ((item: TimelineItem) => boolean) | undefined;
}

export interface TimelinePage {
  /** Newest first. */
  readonly items: readonly TimelineItem[];
  /** Where the next page begins; undefined at the end. */
  readonly older: Place | undefined;
  /** Whether reading stopped before the page was full. */
  readonly isCut: boolean;
}

/** The items before a place have events and journal entries with lower seqs. */
export interface Place {
  readonly event: number;
  readonly entry: number;
}

/** Changes shown of one request: a batch may make a thousand. */
export const CHANGES_SHOWN = 10;
const DELIVERIES_SHOWN = 5;
/** Events, and journal entries, that are read for one page. */
export const ITEMS_READ_MAX = 1_000;
/** The deliveries of a piece of work have the seqs right after its events; as many are read. */
const DELIVERIES_READ_MAX = 60;

/** Requests, changes and webhooks as one history, newest first. */
export function readTimeline(company: Company, journal: Journal["entries"], request: TimelineRequest): TimelinePage {
  const { limit, before, isWanted = () => true } = request;
  const { world, record } = company;
  const newestEntry = journal.page({ limit: 1, newestFirst: true }).rows[0]?.seq ?? 0;
  let place = before ?? { event: record.seq + 1, entry: newestEntry + 1 };
  const slice = { newestFirst: true, limit: ITEMS_READ_MAX };
  const events = world.events.page({ ...slice, beyond: place.event });
  const entries = journal.page({ ...slice, beyond: place.entry });
  const unshown = new Set(entries.rows.map(({ seq }) => seq));
  const items: TimelineItem[] = [];
  for (const part of mergeParts(events, entries, place.event)) {
    const item = readItem(world, part);
    if (items.length === limit && isWanted(item)) return { items, older: place, isCut: false };
    if (isWanted(item)) items.push(item);
    if (part.entry !== undefined) unshown.delete(part.entry.seq);
    // An entry that was overtaken at the end of a page comes again on the next one, rather than never.
    const oldest = entries.rows.at(-1)?.seq ?? place.entry;
    place = {
      event: Math.min(place.event, part.beginsAfter + 1),
      entry: unshown.size > 0 ? Math.max(...unshown) + 1 : oldest,
    };
  }
  const isCut = events.more || entries.more;
  return { items, older: isCut ? place : undefined, isCut };
}

/** The changes that one request made, as far as they are known. */
export function changesOf({ world, record }: Company, { made: { from, to } }: JournalEntry) {
  return to <= record.seq ? readChanges(world, from, to) : { changes: [], isCut: false };
}

export function parsePlace(text: string): Place | undefined {
  const [, event, entry] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  return event === undefined ? undefined : { event: Number(event), entry: Number(entry) };
}

export function writePlace({ event, entry }: Place): string {
  return `${event}-${entry}`;
}

/** An entry, or an event that no request made. */
type Part = ({ readonly entry: JournalEntry } | { readonly entry?: undefined; readonly event: DomainEvent }) & {
  /** Parts are in descending order of it: the seq of the last event. */
  readonly key: number;
  /** The seq before its first event; Infinity for an entry whose events are unknown. */
  readonly beginsAfter: number;
};

interface Slice<T> {
  readonly rows: readonly T[];
  readonly more: boolean;
}

/** Entries and the events that none of them made, newest first, as far back as both are known. */
function mergeParts(events: Slice<DomainEvent>, entries: Slice<JournalEntry>, beyond: number): readonly Part[] {
  // Unknown are the events of a refused request, and those that another state has replaced.
  const isKnown = ({ made: { to } }: JournalEntry): boolean => to > 0 && to < beyond;
  const covered = new Set<number>();
  for (const entry of entries.rows)
    if (isKnown(entry)) for (let seq = entry.made.from + 1; seq <= entry.made.to; seq++) covered.add(seq);
  const alone = events.rows.filter(({ seq }) => !covered.has(seq));
  let key = Infinity;
  let later = 0;
  const requests = entries.rows.map((entry): Part => {
    const { from, to } = entry.made;
    // Without events only its time shows where it belongs: directly before the first event that is later.
    while ((alone[later]?.at ?? -Infinity) > entry.at) later++;
    key = isKnown(entry) ? to : Math.min(key, (alone[later - 1]?.seq ?? Infinity) - 0.5);
    return { entry, key, beginsAfter: isKnown(entry) ? from : Infinity };
  });
  const changes = alone.map((event): Part => ({ event, key: event.seq, beginsAfter: event.seq - 1 }));
  const known = Math.max(
    events.more ? (events.rows.at(-1)?.seq ?? 0) : 0,
    entries.more ? (requests.at(-1)?.key ?? 0) : 0,
  );
  const order = (a: Part, b: Part): number =>
    (a.key === b.key ? 0 : b.key - a.key) || (b.entry?.seq ?? 0) - (a.entry?.seq ?? 0);
  return [...requests, ...changes].filter(({ key }) => key >= known).sort(order);
}

function readItem(world: World, part: Part): TimelineItem {
  if (part.entry === undefined) {
    const { rows } = world.deliveries.page({ beyond: part.event.seq, limit: DELIVERIES_READ_MAX });
    return { kind: "change", change: changeOf(part.event, rows) };
  }
  const { entry, beginsAfter } = part;
  const made =
    beginsAfter === Infinity ? { changes: [], isCut: false } : readChanges(world, beginsAfter, entry.made.to);
  return { kind: "request", entry, ...made };
}

function readChanges({ events, deliveries }: World, from: number, to: number) {
  const isMade = ({ seq }: { readonly seq: number }): boolean => seq <= to;
  const made = events.page({ beyond: from, limit: CHANGES_SHOWN + 1 }).rows.filter(isMade);
  const enqueued = deliveries.page({ beyond: from, limit: DELIVERIES_READ_MAX }).rows.filter(isMade);
  return {
    changes: made.slice(0, CHANGES_SHOWN).map((event) => changeOf(event, enqueued)),
    isCut: made.length > CHANGES_SHOWN,
  };
}

function changeOf(event: DomainEvent, deliveries: readonly Delivery[]): Change {
  const own = deliveries.filter(({ eventId }) => eventId === event.id);
  return { event, deliveries: own.slice(0, DELIVERIES_SHOWN), isCut: own.length > DELIVERIES_SHOWN };
}

const isOfKind = {
  requests: ({ kind }: TimelineItem) => kind === "request",
  changes: ({ kind }: TimelineItem) => kind === "change",
  problems: isProblem,
} as const;

export const itemKinds = Object.keys(isOfKind) as (keyof typeof isOfKind)[];

/** What `?only=` and `?q=` of the overview ask for; undefined: everything. */
export function wantedItems(query: Query, world: World): ((item: TimelineItem) => boolean) | undefined {
  const kind = itemKinds.find((known) => known === query["only"]);
  const text = searchedFor(query);
  if (kind === undefined && text === undefined) return undefined;
  const matches = text === undefined ? () => true : createMatcher(text);
  return (item) =>
    (kind === undefined || isOfKind[kind](item)) &&
    namesIn(item, world).some(([texts, numbers]) => matches(texts, numbers));
}

const undelivered: ReadonlySet<DeliveryStatus> = new Set(["failed", "exhausted", "cancelled"]);

/** Refused, lost, broken by a rule, or not accepted by a receiver. */
function isProblem(item: TimelineItem): boolean {
  const isUndelivered = changesIn(item).some(({ deliveries }) =>
    deliveries.some(({ status, attempts }) => undelivered.has(status) || attempts.at(-1)?.error != null),
  );
  if (isUndelivered || item.kind === "change") return isUndelivered;
  const { status, fate, fault } = item.entry;
  return status >= 400 || status === 0 || fate === "lost" || fault !== undefined;
}

function changesIn(item: TimelineItem) {
  return item.kind === "request" ? item.changes : [item.change];
}

type Names = readonly [texts: readonly string[], numbers: readonly string[]];

/** Ids, references and phone numbers of everything that an item is about. */
function namesIn(item: TimelineItem, { charges, transfers }: World): readonly Names[] {
  const ofChanges = changesIn(item).map(({ event }) => namesOf(event));
  if (item.kind === "change") return ofChanges;
  const id = plainId(idInPath(item.entry) ?? "");
  const named = [charges.get(id)?.externalId ?? "", transfers.get(id)?.reference ?? ""];
  return [...ofChanges, [[item.entry.id, item.entry.path, ...named], []]];
}

function namesOf({ type, resource, subject }: DomainEvent): Names {
  const texts = [type, resource ?? ""];
  switch (subject.kind) {
    case "charge": {
      const { externalId, entries } = subject.charge;
      return [[...texts, externalId], entries.map(({ recipientMsisdn }) => recipientMsisdn)];
    }
    case "transaction": {
      const { reference, msisdn } = subject.transaction;
      return [[...texts, reference], [msisdn]];
    }
    case "subscription":
      return [[...texts, subject.subscription.url], []];
    case "batch":
    case "account":
      return [texts, []];
  }
}
