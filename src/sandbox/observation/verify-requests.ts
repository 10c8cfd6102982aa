import type { World } from "../../domain/model/work.js";
import { type RuleSubject, findSubjectMismatches } from "../../domain/rules/match-rule.js";
import { type CompiledPatterns, Effort } from "../../kernel/effort.js";
import { type Mismatch, findMismatches, matches } from "../../kernel/matchers.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { groupBy } from "../../kernel/collections.js";
import { shorten } from "../../kernel/messages/text.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import type { Journal, JournalEntry } from "./journal.js";

export interface Verification {
  /** By members of `RequestSubject`: partial and deep, with matchers; `{}` matches all. */
  readonly match: RequestMatch;
  /** How many requests must match: a number, or a matcher for it. */
  readonly count: unknown;
}

export type RequestMatch = Readonly<Record<string, unknown>>;

export interface Verified {
  /** Oldest first. */
  readonly matched: readonly JournalEntry[];
  /** The expected number in words, such as `at least 1`, when another number matched; otherwise undefined. */
  readonly missed: string | undefined;
  /** When too few matched: the requests that nearly matched, the nearest first. */
  readonly nearest: readonly NearMiss[];
}

export interface NearMiss {
  readonly entry: JournalEntry;
  /** Everything that keeps it from matching. */
  readonly mismatches: readonly Mismatch[];
}

const NEAREST_MAX = 3;

/** The longest time for the comparisons of one verification, ms. */
const COMPARING_MS = 2_000;

/** Compares the entries with the match; other work of the process runs in between. Throws UsageError("input") when the comparisons take too long. */
export async function verifyRequests(
  entries: readonly JournalEntry[],
  { match, count }: Verification,
  system: SystemClock,
  takeTurns: () => Promise<void> | undefined,
): Promise<Verified> {
  const compiled: CompiledPatterns = new Map();
  let leftMs = COMPARING_MS;
  const matched: JournalEntry[] = [];
  const misses: Miss[] = [];
  const sizes = Object.entries(match).map(([name, wanted]) => ({ name, fields: countFields(wanted) }));
  for (const entry of entries) {
    const start = system.monotonic();
    const effort = new Effort(compiled);
    const mismatches = findEntryMismatches(match, entry, effort);
    leftMs -= system.monotonic() - start;
    if (effort.givenUp > 0 || leftMs < 0) throw tooSlow(entry);
    if (mismatches.length === 0) matched.push(entry);
    else misses.push({ entry, isElsewhere: isElsewhere(mismatches), distance: distanceOf(mismatches, sizes) });
    await takeTurns();
  }
  const missed = findMismatches(count, matched.length, "count")[0]?.expected;
  const isTooFew = missed !== undefined && !(await acceptsFewer(count, matched.length, takeTurns));
  const nearest = isTooFew ? nearestOf(misses) : [];
  const compare = (entry: JournalEntry): NearMiss => ({ entry, mismatches: findEntryMismatches(match, entry) });
  return { matched, missed, nearest: nearest.map(({ entry }) => compare(entry)) };
}

/** An entry that does not match. Its mismatches are not kept: there may be many for each of thousands of requests. */
interface Miss {
  readonly entry: JournalEntry;
  readonly isElsewhere: boolean;
  readonly distance: number;
}

function tooSlow({ method, path }: JournalEntry): UsageError {
  const where = `${method} ${shorten(path)}`;
  return new UsageError(
    "input",
    `Failed to compare the requests: it would take too long over ${where}. Make the match smaller.`,
  );
}

/** Whether `verifyRequests` would count the entry. */
export function matchesRequest(match: RequestMatch, entry: JournalEntry): boolean {
  return findEntryMismatches(match, entry).length === 0;
}

/** Absent members are shown as null, so null matches them too. */
function findEntryMismatches(match: RequestMatch, entry: JournalEntry, effort?: Effort): Mismatch[] {
  const subject = subjectOf(entry);
  const isAbsent = (name: string): boolean => match[name] === null && Reflect.get(subject, name) === undefined;
  const present = Object.entries(match).filter(([name]) => !isAbsent(name));
  return findSubjectMismatches(Object.fromEntries(present), subject, effort);
}

/** Whether a smaller number would have been right, so that there are too many. All of them share one limit. */
async function acceptsFewer(count: unknown, matched: number, takeTurns: () => Promise<void> | undefined) {
  const effort = new Effort(undefined, 10);
  for (let fewer = 0; fewer < matched && effort.givenUp === 0; fewer++) {
    if (matches(count, fewer, effort)) return true;
    await takeTurns();
  }
  return false;
}

/** The nearest misses: first the ones with the right method and path, then the ones that differ least, then the newest. */
function nearestOf(misses: readonly Miss[]): readonly Miss[] {
  const ranked = misses.toSorted(
    (a, b) => Number(a.isElsewhere) - Number(b.isElsewhere) || a.distance - b.distance || b.entry.seq - a.entry.seq,
  );
  return ranked.slice(0, NEAREST_MAX);
}

function isElsewhere(mismatches: readonly Mismatch[]): boolean {
  return mismatches.some(({ path }) => path === "method" || path === "path");
}

/** The number of fields that differ. Of a missing member, each field that the match names counts. */
function distanceOf(mismatches: readonly Mismatch[], sizes: readonly { name: string; fields: number }[]): number {
  // A list, since a map would read the whole path, however long it is.
  return mismatches.reduce((sum, { path }) => sum + (sizes.find(({ name }) => name === path)?.fields ?? 1), 0);
}

function countFields(wanted: unknown): number {
  if (typeof wanted !== "object" || wanted === null) return 1;
  const fields = Object.values(wanted).map(countFields);
  return Math.max(
    1,
    fields.reduce((sum, count) => sum + count, 0),
  );
}

/** What a match is compared with: what a `request` rule sees, and the answer. Absent members are undefined. */
export type RequestSubject = RuleSubject<"request"> &
  Pick<JournalEntry, "operation" | "answer" | "problem" | "rule" | "fault" | "fate"> & {
    readonly status: number | undefined;
  };

function subjectOf(entry: JournalEntry): RequestSubject {
  const { method, headers, body, operation, answer, problem, rule, fault, fate } = entry;
  const [path, status] = [pathOf(entry), statusOf(entry)];
  return {
    method,
    path,
    headers,
    body,
    operation,
    status,
    answer,
    problem,
    rule,
    fault,
    fate,
    // Read only when a match asks for it: it may have thousands of parameters.
    get query() {
      return queryOf(entry);
    },
  };
}

/** Without the query. */
export function pathOf({ path }: Pick<JournalEntry, "path">): string {
  return path.split("?", 1)[0] ?? path;
}

/** Each parameter by its first value, as the API reads them. */
export function queryOf({ path }: Pick<JournalEntry, "path">): Readonly<Record<string, string>> {
  const parameters = [...new URLSearchParams(path.slice(pathOf({ path }).length))];
  return Object.fromEntries(parameters.reverse());
}

/** Undefined when a rule broke the connection off before the first line of the answer. */
export function statusOf({ status, fault }: Pick<JournalEntry, "status" | "fault">): number | undefined {
  return fault === "reset" || fault === "hang" ? undefined : status;
}

/**
 * The ids of the deliveries that followed each of these requests, oldest first: the ones that the request itself enqueued, then later ones of the charges
 * and transactions that it created, unless another request enqueued them.
 */
export function followingDeliveries(
  { deliveries }: Pick<World, "deliveries">,
  { entries }: Pick<Journal, "entries">,
  of: readonly JournalEntry[],
): (entry: JournalEntry) => readonly string[] {
  const created = new Set(of.flatMap((entry) => entry.created));
  if (created.size === 0) return ({ enqueued: own }) => own;
  const enqueued = new Set(entries.values().flatMap((entry) => entry.enqueued));
  const others = deliveries.values().filter(({ id, resource }) => created.has(resource) && !enqueued.has(id));
  const later = groupBy(others, ({ resource }) => resource);
  return (entry) => [
    ...entry.enqueued,
    ...entry.created.flatMap((id) => later.get(id) ?? []).map((delivery) => delivery.id),
  ];
}
