import type { Instant } from "../../kernel/time/instant.js";
import type { World } from "../../domain/model/work.js";
import type { Delivery } from "../../domain/model/delivery.js";
import {
  type Detection,
  type Detector,
  RecentMap,
  type RequestLine,
  type Scene,
  type Verdict,
  isLost,
} from "./detector.js";
import type { JournalEntry } from "./journal.js";

/** Groups of orders that are remembered; the oldest are forgotten first. */
const GROUPS_MAX = 10_000;
/** References that are remembered of each group. */
const REFERENCES_MAX = 100;
/** How late the sandbox may notice that a client has given up, ms. */
const SEEN_LATE_MS = 1_000;
/** Later on the company's clock, a new reference is no reaction to a 409, but another order. */
const AFTER_CONFLICT_MS = 3_600_000;
/** The same for an answer that never came. */
const AFTER_LOSS_MS = 7 * 24 * 3_600_000;

/** What a request asks for. Orders of one group are the same but for their references. */
export interface Order {
  readonly group: string;
  readonly reference: string;
}

/** What a detector of repeated orders must know of them. */
export interface OrderKind<O extends Order> {
  readonly ordersOf: (entry: JournalEntry) => readonly O[];
  /** The first one has failed for good, so a new reference is right. */
  readonly hasFailed: (order: O, world: World) => boolean;
  /** What a 409 says of this order: that it was done before, and another reference would do it twice; or that all is well. */
  readonly conflictOf: (order: O, entry: JournalEntry, scene: Scene) => "done" | "settled" | undefined;
  /** The order whose outcome a read or an acknowledged webhook has shown. */
  readonly provenBy: (shown: JournalEntry | Delivery, scene: Scene) => Order | undefined;
  readonly describe: (first: Tried<O>, again: Tried<O>, scene: Scene) => Omit<Detection, "key">;
}

/** An order and the request that the finding shows of it. */
export interface Tried<O> {
  readonly order: O;
  readonly request: Sent;
}

export type Sent = RequestLine & Pick<JournalEntry, "receivedAt" | "at">;

/**
 * Finds an order that is sent again under a new reference while the client cannot know the outcome of the first one. Withdrawn when the first reference
 * is sent again after that: the client keeps it, so these are two orders.
 */
export function createRepeatedOrderDetector<O extends Order>(kind: OrderKind<O>): Detector {
  const groups = new RecentMap<string, Group<O>>(GROUPS_MAX);
  const groupOf = (key: string): Group<O> => groups.add(key, groups.get(key) ?? new RecentMap(REFERENCES_MAX));

  const prove = (order: Order | undefined): void => {
    const known = order && groups.get(order.group)?.get(order.reference);
    if (known === undefined) return;
    known.unknown = undefined;
    known.conflict = undefined;
  };

  const report = (first: Known<O>, again: Known<O>, scene: Scene): Detection => {
    first.repeatedBy = again.order.reference;
    again.isRepetition = true;
    const before = first.unknown ?? first.conflict ?? first.sent;
    const tried = { order: first.order, request: before };
    return { key: keyOf(first), ...kind.describe(tried, { order: again.order, request: again.sent }, scene) };
  };

  return {
    see: (entry, scene) => {
      if (entry.fault === undefined) prove(kind.provenBy(entry, scene));
      return kind.ordersOf(entry).flatMap((order): readonly Verdict[] => {
        const group = groupOf(order.group);
        const known = group.get(order.reference);
        const current = group.add(order.reference, known ?? createKnown(order, entry));
        const kept = known?.repeatedBy === undefined ? [] : [{ withdraws: keyOf(known) }];
        current.repeatedBy = undefined;
        // A new reference repeats the oldest order whose outcome the client cannot know.
        const first = known === undefined ? findOpen(kind, group, entry, scene) : undefined;
        noteAnswer(current, entry, kind.conflictOf(order, entry, scene));
        return first === undefined ? kept : [report(first, current, scene)];
      });
    },
    lost: (entry, scene) =>
      kind.ordersOf(entry).flatMap((order) => {
        const group = groupOf(order.group);
        const known = group.get(order.reference);
        if (known === undefined || !noteLoss(known, entry) || kind.hasFailed(order, scene.world)) return [];
        const again = findSentMeanwhile(group, entry, scene.now);
        return again === undefined ? [] : [report(known, again, scene)];
      }),
    attempted: ({ error }, delivery, scene) => {
      if (error === null && delivery.effect === null) prove(kind.provenBy(delivery, scene));
      return [];
    },
  };
}

/** The orders of one group, by reference. */
type Group<O> = RecentMap<string, Known<O>>;

/** One reference, and whether the client can know its outcome. */
interface Known<O> {
  readonly order: O;
  /** Its first request. */
  readonly sent: Sent;
  /** The oldest request of it whose answer was lost or 5xx. */
  unknown: Sent | undefined;
  /** The newest request of it that was answered 409 because the order was done before. */
  conflict: Sent | undefined;
  /** The request whose success the client read. */
  answeredBy: string | undefined;
  /** The reference that repeated it: already reported. */
  repeatedBy: string | undefined;
  /** Whether it repeated another: already reported. */
  isRepetition: boolean;
}

function createKnown<O extends Order>(order: O, entry: JournalEntry): Known<O> {
  const open = { unknown: undefined, conflict: undefined, answeredBy: undefined, repeatedBy: undefined };
  return { order, sent: lineOf(entry), ...open, isRepetition: false };
}

function keyOf({ order, repeatedBy }: Known<Order>): string {
  return `${order.reference} ${repeatedBy}`;
}

/** An answer that a fault broke off is reported as lost next. */
function noteAnswer<O>(known: Known<O>, entry: JournalEntry, conflict: "done" | "settled" | undefined): void {
  if (entry.fault !== undefined) return;
  if (entry.status < 300) known.answeredBy ??= entry.id;
  else if (entry.status >= 500) known.unknown ??= lineOf(entry);
  else if (conflict === "done") known.conflict = lineOf(entry);
  else if (conflict === "settled") known.unknown = undefined;
}

/** Whether this loss is why the client cannot know the outcome. */
function noteLoss<O>(known: Known<O>, entry: JournalEntry): boolean {
  if (known.answeredBy === entry.id) known.answeredBy = undefined;
  if (known.conflict?.id === entry.id) known.conflict = undefined;
  if (known.unknown === undefined || known.unknown.id === entry.id) known.unknown = lineOf(entry);
  return known.unknown.id === entry.id && isOpen(known, entry.at);
}

/** Whether a new reference would be the same order again. */
function isOpen<O>({ unknown, conflict, answeredBy, repeatedBy }: Known<O>, at: Instant): boolean {
  if (repeatedBy !== undefined) return false;
  if (conflict !== undefined) return at - conflict.at < AFTER_CONFLICT_MS;
  return unknown !== undefined && answeredBy === undefined && at - unknown.at < AFTER_LOSS_MS;
}

/** The oldest order of another request whose outcome the client cannot know. */
function findOpen<O extends Order>(kind: OrderKind<O>, group: Group<O>, { id, at }: JournalEntry, { world }: Scene) {
  const open = [...group.values()].filter(
    (known) => isOpen(known, at) && known.unknown?.id !== id && known.conflict?.id !== id,
  );
  return oldest(open.filter(({ order }) => !kind.hasFailed(order, world)));
}

/**
 * The client may have given up and sent another request before the sandbox noticed. Requests that came after `entry` but long before now are other
 * orders: the client still waited for its first answer.
 */
function findSentMeanwhile<O>(group: Group<O>, { id, receivedAt }: JournalEntry, now: number): Known<O> | undefined {
  const since = Math.max(receivedAt, now - SEEN_LATE_MS);
  const isLater = ({ sent, isRepetition }: Known<O>) => !isRepetition && sent.id !== id && sent.receivedAt > since;
  return oldest([...group.values()].filter(isLater));
}

function oldest<O>(orders: readonly Known<O>[]): Known<O> | undefined {
  return orders.toSorted((a, b) => a.sent.receivedAt - b.sent.receivedAt)[0];
}

function lineOf({ id, method, path, status, fate, fault, receivedAt, at }: JournalEntry): Sent {
  return { id, method, path, status, fate, fault, receivedAt, at };
}

/** `whose answer was lost after the work was done` */
export function describeAnswer(sent: Sent, wasDone: boolean): string {
  const what = isLost(sent) ? "whose answer was lost" : `which was answered ${sent.status}`;
  if (sent.status === 409) return what;
  const work = wasDone ? "after the work was done" : "and was not done this time, which the client could not know";
  return `${what} ${work}`;
}
