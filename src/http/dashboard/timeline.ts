import type { Delivery } from "../../domain/deliveries/delivery.js";
import type { DomainEvent } from "../../domain/events.js";
import type { World } from "../../domain/work.js";
import type { Company } from "../../sandbox/company.js";
import type { Journal, JournalEntry } from "../../sandbox/observation/journal.js";

export const timelineKinds = ["requests", "changes", "webhooks"] as const;
export type TimelineKind = (typeof timelineKinds)[number];

/** One line of a company's story. */
export type TimelineItem = Place &
  (
    | { readonly kind: "requests"; readonly entry: JournalEntry }
    | { readonly kind: "changes"; readonly event: DomainEvent }
    /** `attempt` counts from 1; 0 stands for a delivery of which none was made. */
    | { readonly kind: "webhooks"; readonly delivery: Delivery; readonly attempt: number }
  );

/** Where it stands among the others: by `order`, then by `tie`. */
export interface Place {
  /** In the order of the company's records: of what is no record itself, just behind the one before it. */
  readonly order: number;
  readonly tie: number;
}

export interface TimelinePage {
  /** Newest first. */
  readonly items: readonly TimelineItem[];
  /** Of the page with what was before; undefined when there is nothing. */
  readonly older: string | undefined;
}

interface TimelineRequest {
  readonly limit: number;
  readonly before: Place | undefined;
  /** Undefined: all. */
  readonly kind: TimelineKind | undefined;
}

/** Requests, state changes and webhooks of one company as one story. No more is looked at than the newest of each, but for webhooks that were sent again. */
export function readTimeline(company: Company, journal: Journal["entries"], request: TimelineRequest): TimelinePage {
  const { limit, before, kind } = request;
  const reading = { limit: limit + 1, isWanted: (place: Place) => before === undefined || compare(place, before) < 0 };
  const items = [
    ...(kind === undefined || kind === "requests" ? readRequests(company, journal, reading) : []),
    ...(kind === undefined || kind === "changes" ? readChanges(company.world, reading) : []),
    ...(kind === undefined || kind === "webhooks" ? readWebhooks(company.world, reading) : []),
  ];
  const newest = items.sort((a, b) => compare(b, a)).slice(0, limit);
  return { items: newest, older: items.length > limit ? writePlace(newest.at(-1)) : undefined };
}

export function parsePlace(text: string): Place | undefined {
  const [, order, tie] = /^(\d{1,15}(?:\.\d{1,6})?)-(\d{1,15})$/.exec(text) ?? [];
  return order === undefined ? undefined : { order: Number(order), tie: Number(tie) };
}

function writePlace(place: Place | undefined): string | undefined {
  return place && `${place.order}-${place.tie}`;
}

interface Reading {
  readonly limit: number;
  readonly isWanted: (place: Place) => boolean;
}

function compare(a: Place, b: Place): number {
  return a.order - b.order || a.tie - b.tie;
}

/** A request stands before what it made. One of no company, or of a world that another has replaced since, stands where the next newer one does. */
function readRequests({ record }: Company, journal: Journal["entries"], { limit, isWanted }: Reading): TimelineItem[] {
  const found: TimelineItem[] = [];
  let order = record.seq + BEHIND.request;
  for (const entry of journal.values().toReversed()) {
    if (entry.made.to > 0) order = Math.min(order, entry.made.from + BEHIND.request);
    const place = { order, tie: entry.seq };
    if (isWanted(place)) found.push({ kind: "requests", entry, ...place });
    if (found.length === limit) break;
  }
  return found;
}

function readChanges({ events }: World, { limit, isWanted }: Reading): TimelineItem[] {
  const placeOf = ({ seq }: DomainEvent): Place => ({ order: seq, tie: 0 });
  const { rows } = events.page({ limit, newestFirst: true, where: (event) => isWanted(placeOf(event)) });
  return rows.map((event) => ({ kind: "changes", event, ...placeOf(event) }));
}

function readWebhooks({ deliveries, events }: World, { limit, isWanted }: Reading): TimelineItem[] {
  const all = events.values();
  let found: TimelineItem[] = [];
  for (const delivery of deliveries.values()) {
    const { attempts } = delivery;
    for (let attempt = Math.min(1, attempts.length); attempt <= attempts.length; attempt++) {
      const place = placeOfAttempt(all, delivery, attempt);
      if (isWanted(place)) found.push({ kind: "webhooks", delivery, attempt, ...place });
    }
    if (found.length > 20 * limit) found = newestOf(found, limit);
  }
  return newestOf(found, limit);
}

function newestOf(items: TimelineItem[], limit: number): TimelineItem[] {
  return items.sort((a, b) => compare(b, a)).slice(0, limit);
}

/** The first stands behind its delivery's own record. A later one stands behind the last event before its instant. */
function placeOfAttempt(events: readonly DomainEvent[], { seq, attempts }: Delivery, attempt: number): Place {
  const at = attempt > 1 ? attempts[attempt - 1]?.at : undefined;
  const behind = at === undefined ? seq : Math.max(seq, lastBefore(events, at));
  return { order: behind + BEHIND.attempt, tie: attempt };
}

/** Of the last event before an instant; 0 when there is none. */
function lastBefore(events: readonly DomainEvent[], at: number): number {
  let low = 0;
  let high = events.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((events[middle]?.at ?? 0) < at) low = middle + 1;
    else high = middle;
  }
  return events[low - 1]?.seq ?? 0;
}

/** What comes behind a record, and before the next one. */
const BEHIND = { attempt: 0.25, request: 0.5 } as const;
