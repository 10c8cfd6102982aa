import type { Instant } from "../../kernel/time/instant.js";
import { minOf } from "../../kernel/collections.js";
import { isObject } from "../../kernel/messages/json.js";
import type { Entry } from "./entry.js";
import type { ReadEntry } from "./read-entry.js";
import { eventOf, transfersIn } from "./resources.js";
import { endOf } from "./timestamps.js";

/**
 * The service's clock. A request is handled between its start and the end of its answer, so a time that an answer shows bounds the distance to the recorder's
 * clock. The distance stays the same as long as one value fits all answers, and changes when a clock was set.
 */
export class ServiceClock {
  /** The distances that fit the last answers. */
  #fit: Fit = ANY;
  #last: Instant;

  constructor(start: Instant) {
    this.#last = start;
  }

  /** Entries at their times on this clock. Until an answer shows a time the clock stands still, or, if `isWhole` (no entries follow), has the recorder's time. */
  place(read: readonly ReadEntry[], isWhole: boolean): Entry[] {
    const distances = this.#distances(read);
    const reports = timesOfReports(read);
    const placed = read.map((each, index) => {
      const { entry, ms, shown, changedAt = -Infinity } = each;
      const fitting = distances[index] ?? Infinity;
      const ahead = fitting === Infinity && isWhole ? 0 : fitting;
      // Of overlapping requests the service may have handled a later one first. A request is handled before the webhook that reports it, and without an
      // exact time in its answer it is taken to be handled just before.
      const isExact = shown !== undefined && shown === endOf(shown);
      const time = (shown ?? endOf(changedAt)) - ahead;
      const reportedAt = reports[index] ?? time;
      const handledAt = Math.max(entry.at, Math.min(isExact ? Math.min(time, reportedAt) : reportedAt, entry.at + ms));
      return { each, ahead, handledAt };
    });
    const sorted = placed.toSorted((a, b) => a.handledAt - b.handledAt);
    const next = nextShown(sorted.map(({ each }) => each));
    return sorted.map(({ each, ahead, handledAt }, index): Entry => {
      // In a recording without durations a slow answer shows a late time, so an entry is no later than the next time that is shown.
      if (ahead < Infinity) {
        this.#last = Math.max(this.#last, Math.min(handledAt + ahead, endOf(next[index] ?? Infinity)));
      }
      return { ...each.entry, at: this.#last };
    });
  }

  /** The distance at each entry: the greatest that an answer shows and that fits the entry and its neighbours, as if requests were handled at once. */
  #distances(read: readonly ReadEntry[]): number[] {
    const distances: number[] = [];
    const fillUpTo = (length: number): void => {
      const { least, most, shown } = this.#fit;
      const distance = this.#fit === ANY ? Infinity : Math.max(least, Math.min(most, shown));
      while (distances.length < length) distances.push(distance);
    };
    const before = timesBeforeChanges(read);
    for (const [index, { entry, ms, shown, changedAt = -Infinity }] of read.entries()) {
      if (shown === undefined && this.#fit === ANY) continue;
      const own = {
        least: (shown ?? changedAt) - entry.at - ms,
        most: (shown === undefined ? (before[index] ?? Infinity) : endOf(shown)) - entry.at,
        shown: (shown ?? -Infinity) - entry.at,
      };
      const both = {
        least: Math.max(own.least, this.#fit.least),
        most: Math.min(own.most, this.#fit.most),
        shown: Math.max(own.shown, this.#fit.shown),
      };
      if (both.least <= both.most) {
        this.#fit = both;
      } else if (shown !== undefined) {
        fillUpTo(index);
        this.#fit = own;
      }
    }
    fillUpTo(read.length);
    return distances;
  }
}

interface Fit {
  readonly least: number;
  readonly most: number;
  /** The greatest that an answer shows. */
  readonly shown: number;
}

const ANY: Fit = { least: -Infinity, most: Infinity, shown: -Infinity };

/** For each read of a resource, the last instant before its next change, if a later read shows that change: the first read was handled by then. */
function timesBeforeChanges(read: readonly ReadEntry[]): (Instant | undefined)[] {
  const changes = new Map<string, Instant>();
  return read
    .toReversed()
    .map(({ entry, changedAt }) => {
      if (entry.kind === "webhook" || entry.exchange.method !== "GET" || changedAt === undefined) return undefined;
      const next = changes.get(entry.path);
      changes.set(entry.path, changedAt);
      return next !== undefined && next > changedAt ? endOf(next) - 1 : undefined;
    })
    .toReversed();
}

/** For each request the time of the first webhook that reports what it did, on the recorder's clock. */
function timesOfReports(read: readonly ReadEntry[]): (Instant | undefined)[] {
  const reports = new Map<string, Instant>();
  return read
    .toReversed()
    .map(({ entry }) => {
      if (entry.kind === "webhook") {
        reports.set(eventOf(entry.body), entry.at);
        return undefined;
      }
      const { exchange, operation, answer } = entry;
      if (exchange.method !== "POST" || !isObject(answer?.body)) return undefined;
      const changed = operation === "createBatch" ? transfersIn(answer.body) : [answer.body];
      const times = changed.flatMap((data) => (data["id"] === undefined ? [] : (reports.get(eventOf({ data })) ?? [])));
      return times.length === 0 ? undefined : minOf(times);
    })
    .toReversed();
}

/** For each entry, the time that it shows, or else the next time that a later one shows. */
function nextShown(read: readonly ReadEntry[]): (Instant | undefined)[] {
  let next: Instant | undefined;
  return read
    .toReversed()
    .map(({ shown }) => (next = shown ?? next))
    .toReversed();
}
