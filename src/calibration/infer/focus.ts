import { parseBody } from "../../adapters/har/http-exchange.js";
import { isObject } from "../../kernel/messages/json.js";
import { type Entry, type History, type RecordedRequest, subjectOf } from "../recording/entry.js";
import { idInPath, idsIn, itemsIn } from "../recording/resources.js";
import type { FoundDifference } from "../replay/compare.js";
import type { Replayed } from "../replay/replay.js";
import { groupBy, maxOf } from "../../kernel/collections.js";
import type { Track } from "./bench.js";
import { nameDrift } from "./drift.js";
import { weigh } from "./score.js";

/** A history with at most this many entries is replayed as a whole. */
const WHOLE_MAX = 300;
/** At most this many kinds of difference are kept, the heaviest ones. The others get their turn once a setting has explained some of these. */
const KINDS_MAX = 100;
/** How many differences of a kind are kept, and how many histories that show the kind or read a setting. */
const EXAMPLES_MAX = 2;
/** How many requests of an operation, or webhooks of a topic, are kept that have the same id or reference. */
const ALIKE_MAX = 20;

/**
 * The part of a long history that shows each kind of difference and the first few reads of each setting, with everything else about the same charges and
 * transfers, and all subscriptions.
 */
export function focus(history: History, { differences, reads }: Replayed): History {
  const { entries } = history;
  if (entries.length <= WHOLE_MAX) return history;
  const wanted = new Set([...reads.values()].flat());
  const places = new Map(entries.map(({ exchange }, place) => [exchange, place]));
  for (const alike of heaviestKinds(differences).values()) {
    for (const { exchange } of alike.slice(0, EXAMPLES_MAX)) wanted.add(places.get(exchange) ?? 0);
  }
  const before = maxOf([-1, ...[...wanted].filter((place) => isAboutAll(entries[place]))]);
  const keys = new Set([...wanted].flatMap((place) => keysOf(entries[place]!)));
  const kept = new Map<string, number>();
  const isRelated = (entry: Entry): boolean => {
    const related = isSubscription(entry) ? [requestOf(entry)] : keysOf(entry).filter((key) => keys.has(key));
    const counts = related.map((key) => {
      const name = `${subjectOf(entry)} ${key}`;
      const count = (kept.get(name) ?? 0) + 1;
      kept.set(name, count);
      return count;
    });
    if (!counts.some((count) => count <= ALIKE_MAX)) return false;
    for (const id of entry.kind === "request" ? idsIn(entry.answer?.body) : []) keys.add(id);
    return true;
  };
  return {
    ...history,
    entries: entries.filter((entry, place) => place <= before || wanted.has(place) || isRelated(entry)),
  };
}

/**
 * The histories that are tried again and again. One is kept when it shows a kind of difference, or reads a setting, of which too few were kept before it.
 * Histories without differences are counted separately, because they show when a value is wrong. The first histories are always kept.
 */
export function focusTracks(tracks: readonly Track[]): Track[] {
  const kinds = heaviestKinds(tracks.flatMap(({ current }) => current.differences));
  const kept = new Map<string, number>();
  let entries = 0;
  return tracks.filter(({ history, current: { differences, reads } }) => {
    const isAgreed = differences.length === 0;
    const shown = new Set(differences.map(nameDrift).filter((kind) => kinds.has(kind)));
    for (const path of reads.keys()) shown.add(`${path} ${isAgreed}`);
    entries += history.entries.length;
    if (entries > WHOLE_MAX && ![...shown].some((name) => (kept.get(name) ?? 0) < EXAMPLES_MAX)) return false;
    for (const name of shown) kept.set(name, (kept.get(name) ?? 0) + 1);
    return true;
  });
}

/** The kinds of difference that weigh most, by their names. */
function heaviestKinds(differences: readonly FoundDifference[]): ReadonlyMap<string, readonly FoundDifference[]> {
  const kinds = [...groupBy(differences, nameDrift)].map((kind) => ({ kind, weight: weigh(kind[1]) }));
  const heaviest = kinds.toSorted((a, b) => b.weight - a.weight).slice(0, KINDS_MAX);
  return new Map(heaviest.map(({ kind }) => kind));
}

/** Whether its answer depends on everything before it: a balance, a transfer that the balance does not cover, too many requests. */
function isAboutAll(entry: Entry | undefined): boolean {
  if (entry?.kind !== "request") return false;
  const status = entry.answer?.status;
  return status === 429 || entry.operation === "getBalance" || (status === 422 && entry.path.includes("/transactions"));
}

function isSubscription(entry: Entry): entry is RecordedRequest {
  return entry.kind === "request" && entry.path.startsWith("/v1/webhooks");
}

/** Equal for the same request with the same ids in its answer. */
function requestOf({ path, body, answer }: RecordedRequest): string {
  return [path, body, ...idsIn(answer?.body)].join(" ");
}

/** Ids and references by which entries belong together. */
function keysOf(entry: Entry): string[] {
  if (entry.kind === "webhook") return namesIn(entry.body["data"]);
  const asked = idInPath(entry.path);
  const ids = asked === undefined ? [] : [asked];
  return [...ids, ...namesIn(parseBody(entry.body ?? "")), ...namesIn(entry.answer?.body)];
}

function namesIn(body: unknown): string[] {
  if (!isObject(body)) return [];
  const given = [body, ...itemsIn(body)].flatMap(({ externalId, reference }) => [externalId, reference]);
  return [...idsIn(body), ...given.filter((name) => typeof name === "string")];
}
