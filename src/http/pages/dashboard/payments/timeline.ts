import { type Delivery, isFailing } from "../../../../domain/model/delivery.js";
import type { DomainEvent } from "../../../../domain/model/events.js";
import type { World } from "../../../../domain/model/work.js";
import { searchedFor } from "../parts/list.js";
import { createMatcher } from "../view/read-list.js";
import { plainId } from "../../../../domain/values/ids.js";
import type { Query } from "../../../../contract/queries.js";
import { idInPath } from "../../../../sandbox/findings/detector.js";
import type { Company } from "../../../../sandbox/company/company.js";
import type { Journal, JournalEntry } from "../../../../sandbox/observation/journal.js";

/** One item of a company's history: a request with its changes. Without an entry, a change that due work or a call of the control API made. */
export interface TimelineItem extends Changes {
  readonly entry?: JournalEntry;
}

/** The changes that one request made. */
export interface Changes {
  readonly changes: readonly Change[];
  /** Whether the request made more changes than are shown. */
  readonly isCut: boolean;
}

/** An event and its deliveries, oldest first. */
export interface Change {
  readonly event: DomainEvent;
  readonly deliveries: readonly Delivery[];
}

interface TimelineRequest {
  readonly limit: number;
  /** Where an earlier page ended. Any other text means the newest items. */
  readonly before?: string | undefined;
  readonly isWanted?: ((item: TimelineItem) => boolean) | undefined;
}

export interface TimelinePage {
  /** Newest first. */
  readonly items: readonly TimelineItem[];
  /** Where the next page begins; undefined at the end. */
  readonly older: string | undefined;
  /** Whether reading stopped before the page was full. */
  readonly isCut: boolean;
  /** How many requests and changes were read. */
  readonly read: number;
}

/** A place in the history: the items before it have events and journal entries with lower seqs. */
interface Place {
  readonly event: number;
  readonly entry: number;
}

/** How many changes of one request are shown: a batch may make a thousand. */
export const CHANGES_SHOWN = 10;
/** How many events, and how many journal entries, are read for one page. */
export const ITEMS_READ_MAX = 1_000;
/** About how many bytes of requests and answers are searched for one page. */
const BYTES_READ_MAX = 8 * 1024 * 1024;
/** How many deliveries of a piece of work are read. Their seqs come right after those of its events. */
const DELIVERIES_READ_MAX = 60;

/** Reads requests, changes and webhooks, newest first. */
export function readTimeline(company: Company, journal: Journal["entries"], request: TimelineRequest): TimelinePage {
  const { limit, isWanted = () => true } = request;
  const { world, record } = company;
  const newestEntry = journal.page({ limit: 1, newestFirst: true }).rows[0]?.seq ?? 0;
  const place = parsePlace(request.before) ?? { event: record.seq + 1, entry: newestEntry + 1 };
  const slice = { newestFirst: true, limit: ITEMS_READ_MAX };
  const events = world.events.page({ ...slice, beyond: place.event });
  const entries = journal.page({ ...slice, beyond: place.entry });
  const items: TimelineItem[] = [];
  const passed = new Set<number>();
  let firstEvent = place.event;
  const older = (): string => {
    // An entry that was overtaken at the end of a page appears again on the next page, rather than on none.
    const overtaken = entries.rows.find(({ seq }) => !passed.has(seq));
    const entry = overtaken === undefined ? (entries.rows.at(-1)?.seq ?? place.entry) : overtaken.seq + 1;
    return `${firstEvent}-${entry}`;
  };
  let read = 0;
  let readBytes = 0;
  for (const part of mergeParts(events, entries, place.event)) {
    if (request.isWanted !== undefined && readBytes > BYTES_READ_MAX)
      return { items, older: older(), isCut: true, read };
    const item = readItem(world, part);
    const isShown = isWanted(item);
    if (isShown && items.length === limit) return { items, older: older(), isCut: false, read };
    if (isShown) items.push(item);
    read++;
    readBytes += part.entry?.bytes ?? 0;
    if (part.entry !== undefined) passed.add(part.entry.seq);
    firstEvent = Math.min(firstEvent, part.beginsAfter + 1);
  }
  const isCut = events.more || entries.more;
  return { items, older: isCut ? older() : undefined, isCut, read };
}

/** The changes that one request made, as far as they are still known. */
export function changesOf({ world, record }: Company, { made: { from, to } }: JournalEntry) {
  return to <= record.seq ? readChanges(world, from, to) : { changes: [], isCut: false };
}

function parsePlace(text: string = ""): Place | undefined {
  const [, event, entry] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  return event === undefined ? undefined : { event: Number(event), entry: Number(entry) };
}

/** An entry, or an event that no request made. */
type Part = ({ readonly entry: JournalEntry } | { readonly entry?: undefined; readonly event: DomainEvent }) & {
  /** The seq of the last event. Parts are sorted by it, in descending order. */
  readonly key: number;
  /** The seq before its first event; Infinity for an entry whose events are unknown. */
  readonly beginsAfter: number;
};

interface Slice<T> {
  readonly rows: readonly T[];
  readonly more: boolean;
}

/** Merges entries with the events that none of them made, newest first, as far back as both are known. */
function mergeParts(events: Slice<DomainEvent>, entries: Slice<JournalEntry>, beyond: number): readonly Part[] {
  // The events of a refused request, and those that another state has replaced, are unknown.
  const isKnown = ({ made: { to } }: JournalEntry): boolean => to > 0 && to < beyond;
  // This compares ranges rather than building a set of seqs, because one request may make thousands of webhooks.
  const knownEntries = entries.rows.filter(isKnown);
  const isMade = ({ seq }: DomainEvent) => knownEntries.some(({ made: { from, to } }) => from < seq && seq <= to);
  const alone = events.rows.filter((event) => !isMade(event));
  let key = Infinity;
  let later = 0;
  const requests = entries.rows.map((entry): Part => {
    const { from, to } = entry.made;
    // An entry without events is placed by its time, directly before the first later event.
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
  const { entry, beginsAfter } = part;
  if (entry === undefined) {
    const { rows } = world.deliveries.page({ beyond: part.event.seq, limit: DELIVERIES_READ_MAX });
    return { changes: [changeOf(part.event, rows)], isCut: false };
  }
  const isKnown = beginsAfter !== Infinity;
  return { entry, ...(isKnown ? readChanges(world, beginsAfter, entry.made.to) : { changes: [], isCut: false }) };
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
  return { event, deliveries: deliveries.filter(({ eventId }) => eventId === event.id) };
}

export const answerClasses = ["2xx", "4xx", "5xx", "no answer"] as const;

type Wanted = (item: TimelineItem) => boolean;

/** Combines the filters and the search of the page; undefined means everything. */
export function wantedItems(query: Query, world: World): Wanted | undefined {
  const { operation, status, resource } = query;
  const text = searchedFor(query);
  const wanted: Wanted[] = [];
  if (query["only"] === "failing") wanted.push(isFailure);
  if (operation) wanted.push((item) => item.entry?.operation === operation);
  if (status) wanted.push((item) => item.entry !== undefined && answerClass(item.entry) === status);
  if (resource) wanted.push(createTextFilter(resource.trim(), (item) => namesIn(item, world)));
  if (text !== undefined) wanted.push(createTextFilter(text, (item) => [...namesIn(item, world), ...textsIn(item)]));
  return wanted.length === 0 ? undefined : (item) => wanted.every((isWanted) => isWanted(item));
}

function createTextFilter(text: string, textsOf: (item: TimelineItem) => readonly string[]): Wanted {
  const matches = createMatcher(text);
  return (item) => matches(textsOf(item));
}

function answerClass({ status, fate, fault }: JournalEntry): string {
  return status === 0 || fate === "lost" || fault !== undefined ? "no answer" : `${Math.floor(status / 100)}xx`;
}

/** Whether the request was refused, lost or broken by a rule, or a receiver has not accepted a webhook. */
function isFailure(item: TimelineItem): boolean {
  const isUndelivered = item.changes.some(({ deliveries }) => deliveries.some(isFailing));
  return isUndelivered || (item.entry !== undefined && answerClass(item.entry) !== "2xx");
}

/** Ids, references, phone numbers and addresses of everything that the item is about. */
function namesIn(item: TimelineItem, { charges, transfers }: World): readonly string[] {
  const ofChanges = item.changes.flatMap(({ event, deliveries }) => [
    ...namesOfEvent(event),
    ...deliveries.flatMap(({ id, url, subscriptionId }) => [id, url, subscriptionId]),
  ]);
  if (item.entry === undefined) return ofChanges;
  const { id, path } = item.entry;
  const named = plainId(idInPath(item.entry) ?? "");
  const names = [charges.get(named)?.externalId ?? "", transfers.get(named)?.reference ?? ""];
  return [...ofChanges, id, path, ...names];
}

/** Longer texts are not names. */
const NAME_LENGTH_MAX = 1_000;

function namesOfEvent({ subject, ...event }: DomainEvent): readonly string[] {
  if (subject.kind !== "charge") return stringsIn({ subject, ...event });
  // Metadata and older entries may be large. Metadata is found in the text of its request, and the older entries have events of their own.
  const { metadata: _, entries, ...charge } = subject.charge;
  return stringsIn({ charge, newest: entries[0], ...event });
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return value.length > NAME_LENGTH_MAX ? [] : [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}

/** The texts of a request and its answer, which has the correlation id. */
function textsIn(item: TimelineItem): readonly string[] {
  if (item.entry === undefined) return [];
  const { problem = "", body, answer, rule } = item.entry;
  return [problem, rule?.name ?? "", JSON.stringify(body) ?? "", JSON.stringify(answer) ?? ""];
}
