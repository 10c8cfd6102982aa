import type { World } from "../../domain/model/work.js";
import type { Delivery } from "../../domain/model/delivery.js";
import {
  type Detection,
  type Detector,
  type RequestLine,
  type Scene,
  type Verdict,
  hasAcknowledged,
  isLost,
} from "./detector.js";
import type { JournalEntry } from "../observation/journal.js";
import { RecentMap } from "../../kernel/records/recent-map.js";
import { WebhookCopies, haveOneCause, isReactionTo } from "./webhook-copies.js";

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

/** What a request asks for. Orders of one group and amount are the same but for their references. */
export interface Order {
  readonly group: string;
  readonly reference: string;
  readonly amount: unknown;
}

/** What a read or an acknowledged webhook has shown. */
export interface Proof {
  readonly group: string;
  /** Undefined: of all orders of the group. */
  readonly reference?: string;
  /** That the order was accepted; how it ended; or what is left to do, so that all orders until now are settled. */
  readonly shows: "acceptance" | "outcome" | "everything";
}

/** Why an order counts as repeated: the outcome of the first was unknown, or both are reactions to one webhook that came twice. */
export type Cause = "unknown" | "webhook";

/** What a detector of repeated orders must know of them. */
export interface OrderKind<O extends Order> {
  readonly ordersOf: (entry: JournalEntry, scene: Scene) => readonly O[];
  /** The first one has failed for good, so a new reference is right. */
  readonly hasFailed: (order: O, world: World) => boolean;
  /** What a 409 says of this order: that it was done before, and another reference would do it twice; or that all is well. */
  readonly conflictOf: (order: O, entry: JournalEntry, scene: Scene) => "done" | "settled" | undefined;
  readonly provenBy: (shown: JournalEntry | Delivery, scene: Scene) => Proof | undefined;
  /** Their references name two orders. Otherwise they may name two attempts at one. */
  readonly areTwo: (one: O, other: O) => boolean;
  /** Whether clients react to this webhook with such an order. */
  readonly isReaction?: (order: O, webhook: Delivery) => boolean;
  readonly describe: (first: Tried<O>, again: Tried<O>, cause: Cause, scene: Scene) => Omit<Detection, "key">;
}

/** An order and the request that the finding shows of it. */
export interface Tried<O> {
  readonly order: O;
  readonly request: Sent;
}

export type Sent = RequestLine & Pick<JournalEntry, "receivedAt" | "at" | "enqueued">;

/**
 * Finds an order that is sent again under a new reference while the client cannot know the outcome of the first one, or because a webhook came twice.
 * Withdrawn by what shows that these are two orders: the first reference is sent again, or the references name two orders, and the client has learned how
 * the first ended.
 */
export function createRepeatedOrderDetector<O extends Order>(kind: OrderKind<O>): Detector {
  const groups = new RecentMap<string, Group<O>>(GROUPS_MAX);
  const webhooks = new WebhookCopies();

  const prove = (proof: Proof | undefined): readonly Verdict[] => {
    const group = proof && groups.get(proof.group);
    if (group === undefined) return [];
    if (proof?.shows === "everything") {
      groups.delete(proof.group);
      return [];
    }
    const { reference } = proof ?? {};
    const shown = [...group.values()].filter(({ order }) => reference === undefined || order.reference === reference);
    return shown.flatMap((known): readonly Verdict[] => {
      known.isAccepted = true;
      if (proof?.shows === "outcome") known.unknown = known.conflict = undefined;
      const again = group.get(known.repeatedBy ?? "");
      return again !== undefined && kind.areTwo(known.order, again.order) ? [withdraw(known)] : [];
    });
  };

  const report = (first: Known<O>, again: Known<O>, cause: Cause, scene: Scene): Detection => {
    first.repeatedBy = again.order.reference;
    again.isRepetition = true;
    const before = (cause === "unknown" ? (first.unknown ?? first.conflict) : undefined) ?? first.sent;
    const tried = { order: first.order, request: before };
    return { key: keyOf(first), ...kind.describe(tried, { order: again.order, request: again.sent }, cause, scene) };
  };

  /** The oldest order that the client sent for an earlier copy of the same webhook, when there are more orders than webhooks that may be their causes. */
  const reportCopied = (again: Known<O>, scene: Scene): readonly Detection[] => {
    if (!wasAccepted(again)) return [];
    const others = othersOf(groups.get(again.order.group), again).filter(
      (other) => wasAccepted(other) && !kind.hasFailed(other.order, scene.world),
    );
    const effects = new Set([again, ...others].flatMap(({ sent }) => sent.enqueued));
    const causes = webhooks
      .causesOf(again.sent)
      .filter(({ delivery }) => !effects.has(delivery.id) && kind.isReaction?.(again.order, delivery) === true);
    if (causes.every(({ copies }) => copies.length === 1)) return [];
    const reactions = others.filter(({ sent }) => causes.some((webhook) => isReactionTo(sent, webhook)));
    if (reactions.length < new Set(causes.map(({ delivery }) => delivery.resource)).size) return [];
    const first = reactions.find(
      (other) =>
        other.repeatedBy === undefined &&
        !kind.areTwo(other.order, again.order) &&
        haveOneCause(causes, other.sent, again.sent),
    );
    return first === undefined ? [] : [report(first, again, "webhook", scene)];
  };

  return {
    see: (entry, scene) => {
      const proven = entry.fault === undefined ? prove(kind.provenBy(entry, scene)) : [];
      // A request that was refused with 429 has done nothing, and comes again.
      const orders = entry.status === 429 ? [] : kind.ordersOf(entry, scene);
      const found = orders.flatMap((order): readonly Verdict[] => {
        const group = groups.add(order.group, groups.get(order.group) ?? new RecentMap(REFERENCES_MAX));
        const known = group.get(order.reference);
        const current = group.add(order.reference, known ?? createKnown(order, entry));
        const kept = known?.repeatedBy === undefined ? [] : [withdraw(known)];
        // A new reference repeats the oldest order whose outcome the client cannot know.
        const open =
          known === undefined
            ? othersOf(group, current).find((other) => isOpen(kind, other, current, scene))
            : undefined;
        noteAnswer(current, entry, kind.conflictOf(order, entry, scene));
        if (open !== undefined) return [report(open, current, "unknown", scene)];
        if (known !== undefined) return kept;
        return reportCopied(current, scene);
      });
      return [...proven, ...found];
    },
    lost: (entry, scene) =>
      kind.ordersOf(entry, scene).flatMap((order) => {
        const group = groups.get(order.group);
        const known = group?.get(order.reference);
        if (known === undefined || !noteLoss(known, entry)) return [];
        // The client may have given up and sent another request before the sandbox noticed. Requests that came after `entry` but long before now are other
        // orders: the client still waited for its first answer.
        const since = Math.max(entry.receivedAt, scene.now - SEEN_LATE_MS);
        const again = othersOf(group, known).find(
          (other) => !other.isRepetition && other.sent.receivedAt > since && isOpen(kind, known, other, scene),
        );
        return again === undefined ? [] : [report(known, again, "unknown", scene)];
      }),
    attempting: (delivery, at, { now }) => {
      if (kind.isReaction !== undefined) webhooks.begin(delivery, at, now);
      return [];
    },
    attempted: (attempt, delivery, scene) => {
      webhooks.end(delivery, scene.now);
      return hasAcknowledged(attempt, delivery) ? prove(kind.provenBy(delivery, scene)) : [];
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
  /** Whether the client knows that it was accepted, though not how it ended. */
  isAccepted: boolean;
  /** The reference that repeated it: already reported. */
  repeatedBy: string | undefined;
  /** Whether it repeated another: already reported. */
  isRepetition: boolean;
}

function createKnown<O extends Order>(order: O, entry: JournalEntry): Known<O> {
  const open = { unknown: undefined, conflict: undefined, answeredBy: undefined, isAccepted: false };
  return { order, sent: lineOf(entry), ...open, repeatedBy: undefined, isRepetition: false };
}

function keyOf({ order, repeatedBy }: Known<Order>): string {
  return `${order.reference} ${repeatedBy}`;
}

function withdraw(known: Known<Order>): Verdict {
  const withdraws = keyOf(known);
  known.repeatedBy = undefined;
  return { withdraws };
}

/** Equal but for the reference, and of other requests, oldest first. */
function othersOf<O extends Order>(group: Group<O> | undefined, { order, sent }: Known<O>): readonly Known<O>[] {
  return [...(group?.values() ?? [])]
    .filter((other) => other.sent.id !== sent.id && other.order.amount === order.amount)
    .toSorted((a, b) => a.sent.receivedAt - b.sent.receivedAt);
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
  return known.unknown.id === entry.id;
}

/** Whether `again` may be the same order: the client cannot know the outcome of the first. */
function isOpen<O extends Order>(kind: OrderKind<O>, first: Known<O>, again: Known<O>, { world }: Scene): boolean {
  const { order, unknown, conflict, answeredBy, isAccepted, repeatedBy } = first;
  const { id, at } = again.sent;
  if (repeatedBy !== undefined || unknown?.id === id || conflict?.id === id) return false;
  if ((conflict !== undefined || isAccepted) && kind.areTwo(order, again.order)) return false;
  if (kind.hasFailed(order, world)) return false;
  if (conflict !== undefined) return at - conflict.at < AFTER_CONFLICT_MS;
  return unknown !== undefined && answeredBy === undefined && at - unknown.at < AFTER_LOSS_MS;
}

/** As far as the service is concerned. */
function wasAccepted<O>({ unknown, answeredBy, isAccepted }: Known<O>): boolean {
  return isAccepted || answeredBy !== undefined || unknown !== undefined;
}

function lineOf({ id, method, path, status, fate, fault, receivedAt, at, enqueued }: JournalEntry): Sent {
  return { id, method, path, status, fate, fault, receivedAt, at, enqueued };
}

/** `whose answer was lost after the work was done` */
export function describeAnswer(sent: Sent, wasDone: boolean): string {
  const what = isLost(sent) ? "whose answer was lost" : `which was answered ${sent.status}`;
  if (sent.status === 409) return what;
  const work = wasDone ? "after the work was done" : "and was not done this time, which the client could not know";
  return `${what} ${work}`;
}
