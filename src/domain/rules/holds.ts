import type { Work } from "../model/work.js";
import { type Delivery, type Hold, holdId } from "../model/delivery.js";
import type { DomainEvent } from "../model/events.js";
import type { Rule, RuleOn } from "../model/rule.js";

/** Whether the rule holds this resource's events until the last one. */
export function isReversing({ world }: Pick<Work, "world">, ruleId: string, resource: string): boolean {
  return world.holds.get(holdId({ ruleId, resource, eventId: null })) !== undefined;
}

/** How many webhooks are held back. A hold whose webhooks were sent by hand counts as one: each event still goes through it. */
export function countHeld(holds: readonly Pick<Hold, "deliveryIds">[]): number {
  return holds.reduce((sum, { deliveryIds }) => sum + Math.max(1, deliveryIds.length), 0);
}

/** Holds a delivery until its resource's last event (`reverse`), or until what `hold` waits for. */
export function holdDelivery(work: Work, { id: ruleId, then }: RuleOn<"delivery">, delivery: Delivery): void {
  const { resource, id } = delivery;
  const eventId = then.reverse === true ? null : delivery.eventId;
  const held = work.world.holds.get(holdId({ ruleId, resource, eventId }));
  const base = held ?? { ruleId, resource, eventId, seq: work.nextSeq(), left: leftOf(then.hold), deliveryIds: [] };
  const hold = { ...base, deliveryIds: [...base.deliveryIds, id] };
  work.put<Hold>(work.world.holds, { ...hold, id: holdId(hold) });
}

function leftOf(hold: number | "next" | "end" | undefined): number | null {
  if (typeof hold === "number") return hold;
  return hold === "next" ? 1 : null;
}

/** A delivery that is sent by hand is no longer held; later ones of its resource still are. */
export function unholdDelivery(work: Work, { id, resource, eventId }: Delivery): void {
  const { holds, rules } = work.world;
  if (holds.size === 0) return;
  for (const { id: ruleId } of rules.values()) {
    for (const event of [eventId, null]) {
      const hold = holds.get(holdId({ ruleId, resource, eventId: event }));
      if (hold?.deliveryIds.includes(id) === true)
        work.put(holds, { ...hold, deliveryIds: hold.deliveryIds.filter((held) => held !== id) });
    }
  }
}

const LAST_EVENTS: ReadonlySet<DomainEvent["type"]> = new Set([
  "transaction.completed",
  "transaction.failed",
  "charge.dropped",
  "charge.refunded",
]);

/** Sends the events of a resource that was completed, failed, dropped or refunded, which a rule held until now: one after another, in reverse order. */
export function releaseReversed(work: Work, { type, resource }: DomainEvent): void {
  if (!LAST_EVENTS.has(type)) return;
  releaseHolds(work, (hold) => hold.eventId === null && hold.resource === resource);
}

/** How many later webhooks each hold has seen in one work, keyed by the hold's id. */
export type Countdown = Map<string, number>;

/** Releases what waited for this event. `deliveries` is how many webhooks of the event there are. */
export function countDownHolds(
  work: Work,
  { id, resource }: DomainEvent,
  deliveries: number,
  countdown: Countdown,
): void {
  const { holds, rules } = work.world;
  for (const hold of holds.values()) {
    if (hold.left === null || hold.eventId === id) continue;
    if (hold.resource !== resource && waitsForNext(rules.get(hold.ruleId))) continue;
    countdown.set(hold.id, (countdown.get(hold.id) ?? 0) + deliveries);
  }
  releaseHolds(work, (hold) => hold.left !== null && hold.left <= (countdown.get(hold.id) ?? 0));
}

/** Stores the counts once for all events of a work: a batch has hundreds, and there may be thousands of holds. */
export function storeCountdown(work: Work, countdown: Countdown): void {
  const { holds } = work.world;
  for (const [id, seen] of countdown) {
    const hold = holds.get(id);
    if (hold !== undefined && hold.left !== null) work.put(holds, { ...hold, left: hold.left - seen });
  }
}

function waitsForNext(rule: Rule | undefined): boolean {
  return rule?.on === "delivery" && rule.then.hold === "next";
}

/** Ends all holds, at the end of a run. */
export function endHolds(work: Work): void {
  releaseHolds(work, () => true);
}

/** Enqueues what rules hold back. A rule that is used up is removed with the last event that it held. */
export function releaseHolds(work: Work, isReleased: (hold: Hold) => boolean): void {
  const released = work.world.holds.values().filter(isReleased);
  for (const hold of released) release(work, hold);
  removeUsedUp(
    work,
    released.map(({ ruleId }) => ruleId),
  );
}

/** Removes those of the rules that are used up and hold nothing. */
export function removeUsedUp(work: Work, ruleIds: readonly string[]): void {
  const { holds, rules } = work.world;
  for (const id of new Set(ruleIds)) {
    const isUsedUp = rules.get(id)?.timesLeft === 0;
    if (isUsedUp && !holds.values().some(({ ruleId }) => ruleId === id)) work.remove(rules, id);
  }
}

/** Enqueues the newest event first, and the deliveries of one event in their own order. */
function release(work: Work, hold: Hold): void {
  const { holds, deliveries } = work.world;
  work.remove(holds, hold.id);
  const held = hold.deliveryIds.flatMap((id) => deliveries.get(id) ?? []);
  const events = [...new Set(held.map(({ eventId }) => eventId))].reverse();
  for (const eventId of events) {
    for (const delivery of held) {
      if (delivery.eventId !== eventId || delivery.status !== "pending") continue;
      work.enqueue(work.put(deliveries, { ...delivery, nextAttemptAt: work.at, turn: work.nextSeq() }));
    }
  }
}

/** Removes the timers and holds of deliveries that will never be sent. */
export function cancelDeliveryTimers(work: Work, deliveries: readonly Delivery[]): void {
  for (const { id } of deliveries) work.unschedule("delivery.attempt", id);
  const cancelled = new Set(deliveries.map(({ id }) => id));
  const empty = new Set<string>();
  for (const hold of work.world.holds.values().slice()) {
    const left = hold.deliveryIds.filter((id) => !cancelled.has(id));
    if (left.length === hold.deliveryIds.length) continue;
    if (left.length > 0) work.put(work.world.holds, { ...hold, deliveryIds: left });
    else empty.add(hold.id);
  }
  releaseHolds(work, ({ id }) => empty.has(id));
}
