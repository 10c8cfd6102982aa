import type { Instant } from "../../kernel/time/instant.js";
import type { Entry, ReadEntry } from "./history.js";

/**
 * The service's clock. A request is handled between its start and the end of its answer: a time that an answer shows bounds the distance to the recorder's
 * clock. The distance stays the same as long as one fits all answers, and changes when a clock was set.
 */
export class ServiceClock {
  /** The distances that fit the last answers. */
  #fit: Bounds = ANY;
  #last: Instant;

  constructor(start: Instant) {
    this.#last = start;
  }

  /** Entries at their times on this clock. Before the first time that is shown it stands still, unless `isWhole`: none will be. */
  place(read: readonly ReadEntry[], isWhole: boolean): Entry[] {
    const distances = this.#distances(read);
    const placed = read.map((each, index) => {
      const { entry, ms, shown, changedAt = -Infinity } = each;
      const fitting = distances[index] ?? Infinity;
      const ahead = fitting === Infinity && isWhole ? 0 : fitting;
      // Of overlapping requests the service may have handled a later one first.
      const handledAt = Math.max(entry.at, Math.min((shown ?? changedAt) - ahead, entry.at + ms));
      return { each, ahead, handledAt };
    });
    const sorted = placed.toSorted((a, b) => a.handledAt - b.handledAt);
    const next = nextShown(sorted.map(({ each }) => each));
    return sorted.map(({ each, ahead, handledAt }, index): Entry => {
      // In a recording without durations a slow answer shows a late time: what follows is no later than the next time that is shown.
      if (ahead < Infinity) this.#last = Math.max(this.#last, Math.min(handledAt + ahead, next[index] ?? Infinity));
      return { ...each.entry, at: this.#last };
    });
  }

  /** The distance at each entry: the greatest that fits it and its neighbours, as if requests were handled at once. */
  #distances(read: readonly ReadEntry[]): number[] {
    const distances: number[] = [];
    const fillUpTo = (length: number): void => {
      while (distances.length < length) distances.push(this.#fit.most);
    };
    const before = timesBeforeChanges(read);
    for (const [index, { entry, ms, shown, changedAt = -Infinity }] of read.entries()) {
      if (shown === undefined && this.#fit === ANY) continue;
      const own = {
        least: (shown ?? changedAt) - entry.at - ms,
        most: (shown ?? before[index] ?? Infinity) - entry.at,
      };
      const both = { least: Math.max(own.least, this.#fit.least), most: Math.min(own.most, this.#fit.most) };
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

interface Bounds {
  readonly least: number;
  readonly most: number;
}

const ANY: Bounds = { least: -Infinity, most: Infinity };

/** For each read of something the last time before its next change, when a later read shows that: the first read was handled by then. */
function timesBeforeChanges(read: readonly ReadEntry[]): (Instant | undefined)[] {
  const changes = new Map<string, Instant>();
  return read
    .toReversed()
    .map(({ entry, changedAt }) => {
      if (entry.kind === "webhook" || entry.exchange.method !== "GET" || changedAt === undefined) return undefined;
      const next = changes.get(entry.path);
      changes.set(entry.path, changedAt);
      return next !== undefined && next > changedAt ? next - 1 : undefined;
    })
    .toReversed();
}

/** For each entry the time that it shows, or else the next one does. */
function nextShown(read: readonly ReadEntry[]): (Instant | undefined)[] {
  let next: Instant | undefined;
  return read
    .toReversed()
    .map(({ shown }) => (next = shown ?? next))
    .toReversed();
}
