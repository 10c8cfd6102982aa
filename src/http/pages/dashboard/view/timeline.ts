import type { Row, Table } from "../../../../kernel/table.js";
import type { Journal, JournalEntry } from "../../../../sandbox/observation/journal.js";
import type { Company } from "../../../../sandbox/company/company.js";
import type { Delivery } from "../../../../domain/model/delivery.js";
import type { DomainEvent } from "../../../../domain/model/events.js";
import type { World } from "../../../../domain/model/work.js";

/** One part of a company's story: a request with what its own work made, or a change that no request made: it was time for it, or somebody did it by hand. */
export type Story =
  | {
      readonly kind: "request";
      readonly entry: JournalEntry;
      readonly changes: readonly Change[];
      /** Whether it made more than is shown. */
      readonly isCut: boolean;
    }
  | { readonly kind: "change"; readonly change: Change };

/** One state change, and who is told of it. */
export interface Change {
  readonly event: DomainEvent;
  /** Oldest first. */
  readonly deliveries: readonly Delivery[];
  /** Whether there are more. */
  readonly isCut: boolean;
}

export interface TimelineRequest {
  readonly limit: number;
  /** Undefined: from the newest. */
  readonly before?: Place | undefined;
  /** Default: all. */
  readonly isWanted?: ((story: Story) => boolean) | undefined;
}

export interface TimelinePage {
  /** Newest first. */
  readonly stories: readonly Story[];
  /** Where to go on with what was before; undefined when there is nothing. */
  readonly older: Place | undefined;
  /** How many stories were looked at: more than are shown when not all are wanted, and never more than {@link STORIES_READ_MAX}. */
  readonly read: number;
}

/** A place in the story: before it stand the events and the journal's entries with a lower seq. */
export interface Place {
  readonly event: number;
  readonly entry: number;
}

/** Of one request, as many changes are shown: a batch may make a thousand. */
export const CHANGES_SHOWN = 10;
/** Of one change, as many deliveries are shown. */
export const DELIVERIES_SHOWN = 5;
/** For one page, no more is looked at. */
export const STORIES_READ_MAX = 1_000;
/** The journal is in the order of the answers. So many requests may have been answered before one whose work was done earlier. */
const OVERTAKING_MAX = 50;

/**
 * Requests, state changes and webhooks as one story, newest first: each request with the changes that it made, each change with the deliveries that it
 * owed. Events and journal are read backwards from a place, no further than the page needs.
 */
export function readTimeline(company: Company, journal: Journal["entries"], request: TimelineRequest): TimelinePage {
  const { limit, before, isWanted = () => true } = request;
  const reader = new StoryReader(company, journal, before);
  const stories: Story[] = [];
  for (let read = 0; ; read++) {
    const { place } = reader;
    const story = reader.next();
    if (story === undefined) return { stories, older: undefined, read };
    if (read === STORIES_READ_MAX || (stories.length === limit && isWanted(story)))
      return { stories, older: place, read };
    if (isWanted(story)) stories.push(story);
  }
}

/** What one request made, as far as that is still known. */
export function changesOf({ world, record }: Company, { made: { from, to } }: JournalEntry) {
  return to > from && to <= record.seq ? readChanges(world, from, to) : { changes: [], isCut: false };
}

export function parsePlace(text: string): Place | undefined {
  const [, event, entry] = /^(\d{1,15})-(\d{1,15})$/.exec(text) ?? [];
  return event === undefined ? undefined : { event: Number(event), entry: Number(entry) };
}

export function writePlace({ event, entry }: Place): string {
  return `${event}-${entry}`;
}

/** Goes back through events and journal at once. */
class StoryReader {
  readonly #world: World;
  readonly #journal: Journal["entries"];
  /** The entries that come next, newest first, as far as they were read. */
  readonly #ahead: JournalEntry[] = [];
  /** Entries with a lower seq were not read yet. */
  #unread: number;
  #place: Place;

  constructor({ world, record }: Company, journal: Journal["entries"], before: Place | undefined) {
    this.#world = world;
    this.#journal = journal;
    const newest = journal.page({ limit: 1, newestFirst: true }).rows[0]?.seq ?? 0;
    this.#place = before ?? { event: record.seq + 1, entry: newest + 1 };
    this.#unread = this.#place.entry;
    this.#readEntries();
  }

  get place(): Place {
    return this.#place;
  }

  next(): Story | undefined {
    const [event] = this.#world.events.page({ beyond: this.#place.event, newestFirst: true, limit: 1 }).rows;
    const [entry] = this.#ahead;
    if (event === undefined) return entry && this.#tellRequest(entry);
    if (entry !== undefined && this.#isLater(entry, event)) return this.#tellRequest(entry);
    const overtaken = this.#ahead.find((other) => this.#hasMade(other, event));
    if (overtaken !== undefined) return this.#tellRequest(overtaken);
    this.#place = { ...this.#place, event: event.seq };
    const deliveries = rowsFrom(this.#world.deliveries, event.seq, OWED_ALONE_READ_MAX);
    return { kind: "change", change: changeOf(event, deliveries) };
  }

  #tellRequest(entry: JournalEntry): Story {
    const { from, to } = entry.made;
    const isPlaced = this.#isPlaced(entry);
    this.#ahead.splice(this.#ahead.indexOf(entry), 1);
    if (this.#ahead.length < OVERTAKING_MAX) this.#readEntries();
    // One that was overtaken over the end of a page comes twice, rather than not at all.
    const next = Math.max(0, ...this.#ahead.map(({ seq }) => seq)) + 1;
    this.#place = { event: isPlaced ? Math.min(this.#place.event, from + 1) : this.#place.event, entry: next };
    if (!isPlaced || from === to) return { kind: "request", entry, changes: [], isCut: false };
    return { kind: "request", entry, ...readChanges(this.#world, from, to) };
  }

  #readEntries(): void {
    const { rows } = this.#journal.page({ beyond: this.#unread, newestFirst: true, limit: OVERTAKING_MAX });
    this.#ahead.push(...rows);
    this.#unread = rows.at(-1)?.seq ?? this.#unread;
  }

  #hasMade(entry: JournalEntry, { seq }: DomainEvent): boolean {
    return this.#isPlaced(entry) && entry.made.from < seq && seq <= entry.made.to;
  }

  /** What was refused has no place among the records but its time; of two of one instant it is taken for the later one. */
  #isLater(entry: JournalEntry, event: DomainEvent): boolean {
    return this.#isPlaced(entry) ? entry.made.to >= event.seq : entry.at >= event.at;
  }

  /** Whether its place among the records is known: not when it was refused, nor when what it made was replaced by another state. */
  #isPlaced({ made: { to } }: JournalEntry): boolean {
    return to > 0 && to < this.#place.event;
  }
}

/** What one piece of work owes stands right behind its changes: of many the first. */
const OWED_READ_MAX = 60;
/** Of a change that no request made, which seldom comes with others. */
const OWED_ALONE_READ_MAX = 20;

function readChanges({ events, deliveries }: World, from: number, to: number) {
  const made = rowsFrom(events, from, CHANGES_SHOWN + 1).filter(({ seq }) => seq <= to);
  const owed = rowsFrom(deliveries, from, OWED_READ_MAX).filter(({ seq }) => seq <= to);
  return {
    changes: made.slice(0, CHANGES_SHOWN).map((event) => changeOf(event, owed)),
    isCut: made.length > CHANGES_SHOWN,
  };
}

function changeOf(event: DomainEvent, deliveries: readonly Delivery[]): Change {
  const own = deliveries.filter(({ eventId }) => eventId === event.id);
  return { event, deliveries: own.slice(0, DELIVERIES_SHOWN), isCut: own.length > DELIVERIES_SHOWN };
}

function rowsFrom<T extends Row>(table: Pick<Table<T>, "page">, beyond: number, limit: number): readonly T[] {
  return table.page({ beyond, limit }).rows;
}
