import type { Attempt, Delivery } from "../../domain/model/delivery.js";
import { type Detection, type Detector, type Scene, type Verdict, hasAcknowledged } from "./detector.js";
import { KnownOrder } from "./known-order.js";
import type { Cause, Order, OrderKind, Proof } from "./order-kind.js";
import type { JournalEntry } from "../observation/journal.js";
import { RecentMap } from "../../kernel/records/recent-map.js";
import type { Instant } from "../../kernel/time/instant.js";
import { type SentWebhook, WebhookCopies, haveOneCause, isReactionTo } from "./webhook-copies.js";

/** Orders that are remembered; the groups that got one longest ago are forgotten first. */
const ORDERS_MAX = 10_000;
/** References that are remembered of each group; the oldest are forgotten first. */
const REFERENCES_MAX = 100;
/** Comparisons of orders for one request, up to 20 µs each. Beyond it, no order is taken for a repetition. */
const COMPARISONS_MAX = 5_000;
/** How late the sandbox may notice that a client has given up, ms. */
const SEEN_LATE_MS = 1_000;

/** The orders of one group, by reference. */
type Group<O extends Order> = RecentMap<string, KnownOrder<O>>;

/**
 * Finds an order that is sent again under a new reference while the client cannot know the outcome of the first one, or because a webhook came twice.
 * The finding is withdrawn when these turn out to be two orders: the first reference is sent again, or the references name two orders and the client has
 * learned how the first ended.
 */
export function createRepeatedOrderDetector<O extends Order>(kind: OrderKind<O>): Detector {
  const orders = new RepeatedOrders(kind);
  return {
    see: (entry, scene) => orders.see(entry, scene),
    lost: (entry, scene) => orders.lost(entry, scene),
    attempting: (delivery, at, scene) => orders.attempting(delivery, at, scene),
    attempted: (attempt, delivery, scene) => orders.attempted(attempt, delivery, scene),
  };
}

class RepeatedOrders<O extends Order> {
  readonly #kind: OrderKind<O>;
  /** The group that got an order longest ago is first. */
  readonly #groups = new Map<string, Group<O>>();
  /** The number of orders in all groups. */
  #orders = 0;
  /** How many more comparisons the present request may make. */
  #comparisonsLeft = 0;
  readonly #webhooks = new WebhookCopies();

  constructor(kind: OrderKind<O>) {
    this.#kind = kind;
  }

  see(entry: JournalEntry, scene: Scene): readonly Verdict[] {
    this.#comparisonsLeft = COMPARISONS_MAX;
    const proven = entry.fault === undefined ? this.#prove(this.#kind.provenBy(entry, scene)) : [];
    // A request that was refused with 429 has done nothing, and is sent again.
    const orders = entry.status === 429 ? [] : this.#kind.ordersOf(entry, scene);
    return [...proven, ...orders.flatMap((order) => this.#seeOrder(order, entry, scene))];
  }

  lost(entry: JournalEntry, scene: Scene): readonly Verdict[] {
    this.#comparisonsLeft = COMPARISONS_MAX;
    return this.#kind.ordersOf(entry, scene).flatMap((order) => {
      const group = this.#groups.get(order.group);
      const known = group?.get(order.reference);
      if (known === undefined || !known.noteLoss(entry)) return [];
      // The client may have given up and sent another request before the sandbox noticed. Requests that came after `entry` but long before now are other
      // orders: when they came, the client was still waiting for its first answer.
      const since = Math.max(entry.receivedAt, scene.now - SEEN_LATE_MS);
      const again = othersOf(group, known).find(
        (other) => !other.isRepetition && other.sent.receivedAt > since && this.#mayBe(known, other, scene),
      );
      return again === undefined ? [] : [this.#report(known, again, "unknown", scene)];
    });
  }

  attempting(delivery: Delivery, at: Instant, { now }: Scene): readonly Verdict[] {
    if (this.#kind.isReaction !== undefined) this.#webhooks.begin(delivery, at, now);
    return [];
  }

  attempted(attempt: Attempt, delivery: Delivery, scene: Scene): readonly Verdict[] {
    this.#webhooks.end(delivery, scene.now);
    return hasAcknowledged(attempt, delivery) ? this.#prove(this.#kind.provenBy(delivery, scene)) : [];
  }

  #seeOrder(order: O, entry: JournalEntry, scene: Scene): readonly Verdict[] {
    const group = this.#groups.get(order.group) ?? new RecentMap(REFERENCES_MAX);
    this.#forget(order.group);
    const known = group.get(order.reference);
    const current = group.add(order.reference, known ?? new KnownOrder(order, entry));
    this.#remember(order.group, group);
    // A new reference repeats the oldest order whose outcome the client cannot know.
    const open =
      known === undefined ? othersOf(group, current).find((other) => this.#mayBe(other, current, scene)) : undefined;
    current.noteAnswer(entry, this.#kind.conflictOf(order, entry, scene));
    if (open !== undefined) return [this.#report(open, current, "unknown", scene)];
    if (known === undefined) return this.#reportCopied(current, scene);
    return known.repeatedBy === undefined ? [] : [known.withdraw()];
  }

  /** Whether `again` may be the same order as `first`, whose outcome the client could not know. */
  #mayBe(first: KnownOrder<O>, again: KnownOrder<O>, { world }: Scene): boolean {
    const { areTwo, hasFailed } = this.#kind;
    if (!first.isOpenFor(again)) return false;
    if (first.isTaken && (this.#comparisonsLeft-- <= 0 || areTwo(first.order, again.order))) return false;
    return !hasFailed(first.order, world);
  }

  #remember(name: string, group: Group<O>): void {
    this.#groups.set(name, group);
    this.#orders += group.size;
    for (const oldest of this.#groups.keys()) {
      if (this.#orders <= ORDERS_MAX) return;
      this.#forget(oldest);
    }
  }

  #forget(name: string): void {
    this.#orders -= this.#groups.get(name)?.size ?? 0;
    this.#groups.delete(name);
  }

  #prove(proof: Proof | undefined): readonly Verdict[] {
    const group = proof && this.#groups.get(proof.group);
    if (proof === undefined || group === undefined) return [];
    const { reference, shows } = proof;
    if (shows === "everything") {
      this.#forget(proof.group);
      return [];
    }
    const shown = [...group.values()].filter(({ order }) => reference === undefined || order.reference === reference);
    return shown.flatMap((known): readonly Verdict[] => {
      known.noteProof(shows);
      const again = group.get(known.repeatedBy ?? "");
      return again !== undefined && this.#kind.areTwo(known.order, again.order) ? [known.withdraw()] : [];
    });
  }

  #report(first: KnownOrder<O>, again: KnownOrder<O>, cause: Cause, scene: Scene): Detection {
    first.repeatedBy = again.order.reference;
    again.isRepetition = true;
    const before = (cause === "unknown" ? first.leftOpenBy : undefined) ?? first.sent;
    const tried = { order: first.order, request: before };
    return {
      key: first.key,
      ...this.#kind.describe(tried, { order: again.order, request: again.sent }, cause, scene),
    };
  }

  /** Reports the oldest order that the client sent for an earlier copy of the same webhook, if there are more orders than resources that may cause them. */
  #reportCopied(again: KnownOrder<O>, scene: Scene): readonly Detection[] {
    if (!again.wasAccepted) return [];
    const { hasFailed, isReaction, areTwo } = this.#kind;
    const isSingle = ({ copies }: SentWebhook): boolean => copies.length === 1;
    const possible = this.#webhooks
      .causesOf(again.sent)
      .filter(({ delivery }) => isReaction?.(again.order, delivery) === true);
    if (possible.every(isSingle)) return [];
    const others = othersOf(this.#groups.get(again.order.group), again).filter(
      (other) => other.wasAccepted && !hasFailed(other.order, scene.world),
    );
    this.#comparisonsLeft -= others.length;
    if (this.#comparisonsLeft < 0) return [];
    const effects = new Set([again, ...others].flatMap(({ sent }) => sent.enqueued));
    const causes = possible.filter(({ delivery }) => !effects.has(delivery.id));
    if (causes.every(isSingle)) return [];
    const reactions = others.filter(({ sent }) => causes.some((webhook) => isReactionTo(sent, webhook)));
    if (reactions.length < new Set(causes.map(({ delivery }) => delivery.resource)).size) return [];
    const first = reactions.find(
      (other) =>
        other.repeatedBy === undefined &&
        !areTwo(other.order, again.order) &&
        haveOneCause(causes, other.sent, again.sent),
    );
    return first === undefined ? [] : [this.#report(first, again, "webhook", scene)];
  }
}

/** The orders of other requests that differ only in the reference, oldest first. */
function othersOf<O extends Order>(
  group: Group<O> | undefined,
  { order, sent }: KnownOrder<O>,
): readonly KnownOrder<O>[] {
  return [...(group?.values() ?? [])]
    .filter((other) => other.sent.id !== sent.id && other.order.amount === order.amount)
    .toSorted((a, b) => a.sent.receivedAt - b.sent.receivedAt);
}
