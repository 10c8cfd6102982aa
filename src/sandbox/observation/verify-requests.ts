import type { World } from "../../domain/model/work.js";
import type { Journal, JournalEntry } from "./journal.js";
import { type RuleSubject, findSubjectMismatches } from "../../domain/rules/match-rule.js";
import type { RequestFault } from "../../domain/model/rule.js";
import { type Mismatch, findMismatches } from "../../kernel/matchers.js";

export interface Verification {
  /** By members of `RequestSubject`: partial and deep, with matchers; `{}` matches all. */
  readonly match: RequestMatch;
  /** How many are to match: a number, or a matcher of it. */
  readonly count: unknown;
}

export type RequestMatch = Readonly<Record<string, unknown>>;

export interface Verified {
  /** Oldest first. */
  readonly matched: readonly JournalEntry[];
  /** Undefined when as many matched as were to; else in words how many those are: `at least 1`. */
  readonly missed: string | undefined;
  /** Of those that did not match the nearest, when too few did. */
  readonly nearest: readonly NearMiss[];
}

export interface NearMiss {
  readonly entry: JournalEntry;
  /** Everything that keeps it from matching. */
  readonly mismatches: readonly Mismatch[];
}

const NEAREST_MAX = 3;

/** Holds what was asked against what was to be asked. */
export function verifyRequests(entries: readonly JournalEntry[], { match, count }: Verification): Verified {
  const matched: JournalEntry[] = [];
  const misses: NearMiss[] = [];
  for (const entry of entries) {
    const mismatches = mismatchesOf(match, subjectOf(entry));
    if (mismatches.length === 0) matched.push(entry);
    else misses.push({ entry, mismatches });
  }
  const missed = findMismatches(count, matched.length, "count")[0]?.expected;
  const isTooFew = missed !== undefined && !mayBeLess(count, matched.length);
  return { matched, missed, nearest: isTooFew ? nearestOf(misses, match) : [] };
}

/** Whether a request is as the match says, which is what `verifyRequests` counts. */
export function matchesRequest(match: RequestMatch, entry: JournalEntry): boolean {
  return mismatchesOf(match, subjectOf(entry)).length === 0;
}

/** What is not there is shown as null, so that null matches it too. */
function mismatchesOf(match: RequestMatch, subject: RequestSubject): Mismatch[] {
  const isAbsent = (name: string): boolean => match[name] === null && Reflect.get(subject, name) === undefined;
  const names = Object.keys(match);
  if (!names.some(isAbsent)) return findSubjectMismatches(match, subject);
  const present = names.filter((name) => !isAbsent(name)).map((name) => [name, match[name]]);
  return findSubjectMismatches(Object.fromEntries(present), subject);
}

/** Whether fewer than these would have been right: then they are too many. */
function mayBeLess(count: unknown, matched: number): boolean {
  return Array.from({ length: matched }, (_, fewer) => fewer).some(
    (fewer) => findMismatches(count, fewer, "count").length === 0,
  );
}

/** Those of the same method and path first, then those that differ in the least; of equally near ones the later. */
function nearestOf(misses: readonly NearMiss[], match: RequestMatch): readonly NearMiss[] {
  const ranked = misses.map((miss) => ({ miss, isElsewhere: isElsewhere(miss), distance: distanceOf(miss, match) }));
  ranked.sort(
    (a, b) =>
      Number(a.isElsewhere) - Number(b.isElsewhere) || a.distance - b.distance || b.miss.entry.seq - a.miss.entry.seq,
  );
  return ranked.slice(0, NEAREST_MAX).map(({ miss }) => miss);
}

function isElsewhere({ mismatches }: NearMiss): boolean {
  return mismatches.some(({ path }) => path === "method" || path === "path");
}

/** Fields that differ. A whole that is missing, or of another kind, differs in all that was wanted of it. */
function distanceOf({ mismatches }: NearMiss, match: RequestMatch): number {
  return mismatches.reduce((sum, { path }) => sum + (Object.hasOwn(match, path) ? leavesOf(match[path]) : 1), 0);
}

function leavesOf(wanted: unknown): number {
  if (typeof wanted !== "object" || wanted === null) return 1;
  return Math.max(
    1,
    Object.values(wanted).reduce<number>((sum, member) => sum + leavesOf(member), 0),
  );
}

/** What a match over the journal looks at: what a `request` rule does, and what came of the request. What is undefined is not there. */
export type RequestSubject = RuleSubject<"request"> &
  Pick<JournalEntry, "operation" | "answer" | "problem" | "rule" | "fault" | "fate"> & {
    readonly status: number | undefined;
  };

export function subjectOf(entry: JournalEntry): RequestSubject {
  return new EntrySubject(entry);
}

/** Of thousands of entries a match looks at a member or two each: the others are not read. */
class EntrySubject implements RequestSubject {
  readonly #entry: JournalEntry;

  constructor(entry: JournalEntry) {
    this.#entry = entry;
  }

  get method(): string {
    return this.#entry.method;
  }

  get path(): string {
    return pathOf(this.#entry);
  }

  get query(): RequestSubject["query"] {
    return queryOf(this.#entry);
  }

  get headers(): RequestSubject["headers"] {
    return this.#entry.headers;
  }

  get body(): unknown {
    return this.#entry.body;
  }

  get operation(): RequestSubject["operation"] {
    return this.#entry.operation;
  }

  get status(): number | undefined {
    return statusOf(this.#entry);
  }

  get answer(): unknown {
    return this.#entry.answer;
  }

  get problem(): RequestSubject["problem"] {
    return this.#entry.problem;
  }

  get rule(): RequestSubject["rule"] {
    return this.#entry.rule;
  }

  get fault(): RequestSubject["fault"] {
    return this.#entry.fault;
  }

  get fate(): RequestSubject["fate"] {
    return this.#entry.fate;
  }
}

/** Without the query. */
export function pathOf({ path }: Pick<JournalEntry, "path">): string {
  const end = path.indexOf("?");
  return end === -1 ? path : path.slice(0, end);
}

/** Each parameter by its first value, as the API reads them. */
export function queryOf({ path }: Pick<JournalEntry, "path">): Readonly<Record<string, string>> {
  const begin = path.indexOf("?");
  if (begin === -1) return {};
  const parameters = [...new URLSearchParams(path.slice(begin))];
  return Object.fromEntries(parameters.reverse());
}

const endBeforeStatus: Readonly<Record<RequestFault, boolean>> = {
  reset: true,
  hang: true,
  empty: false,
  malformed: false,
};

/** Undefined when a rule broke the answer off before its first line. */
export function statusOf({ status, fault }: Pick<JournalEntry, "status" | "fault">): number | undefined {
  return fault !== undefined && endBeforeStatus[fault] ? undefined : status;
}

/**
 * The ids of the deliveries that followed each of these requests, in the order in which they came to be owed: those of its own work, then those of
 * the charges and transactions that it made, as far as no other request's work owed them: what time brought, what was done by hand.
 */
export function followingDeliveries(
  { deliveries }: Pick<World, "deliveries">,
  { entries }: Pick<Journal, "entries">,
  of: readonly JournalEntry[],
): (entry: JournalEntry) => readonly string[] {
  const created = new Set(of.flatMap((entry) => entry.created));
  const later = new Map<string, string[]>();
  if (created.size > 0) {
    const owed = new Set(entries.values().flatMap((entry) => entry.owed));
    for (const { id, resource } of deliveries.values()) {
      if (!created.has(resource) || owed.has(id)) continue;
      const ids = later.get(resource) ?? [];
      ids.push(id);
      later.set(resource, ids);
    }
  }
  return (entry) => [...entry.owed, ...entry.created.flatMap((id) => later.get(id) ?? [])];
}
