import type { Work } from "../model/work.js";
import { type Delivery, type Hold, holdId } from "../model/delivery.js";
import type { DomainEvent } from "../model/events.js";
import type { Rule, RuleOn } from "../model/rule.js";

/** Whether it holds this resource's events until the last. */
export function isReversing({ world }: Pick<Work, "world">, ruleId: string, resource: string): boolean {
  return world.holds.get(holdId({ ruleId, resource, eventId: null })) !== undefined;
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

/** A delivery that is sent by hand is no longer held; later ones of its resource are. */
export function unholdDelivery(work: Work, { id }: Delivery): void {
  const { holds } = work.world;
  const hold = holds.values().find(({ deliveryIds }) => deliveryIds.includes(id));
  if (hold === undefined) return;
  work.put(holds, { ...hold, deliveryIds: hold.deliveryIds.filter((held) => held !== id) });
}

const LAST_EVENTS: ReadonlySet<DomainEvent["type"]> = new Set([
  "transaction.completed",
  "transaction.failed",
  "charge.dropped",
  "charge.refunded",
]);

/** "held until it is completed, failed, dropped or refunded […], then sent one after another in reverse". */
export function releaseReversed(work: Work, { type, resource }: DomainEvent): void {
  if (!LAST_EVENTS.has(type)) return;
  releaseHolds(work, (hold) => hold.eventId === null && hold.resource === resource);
}

/** Releases what waited for this event, of which there are so many deliveries. */
export function countDownHolds(work: Work, { id, resource }: DomainEvent, deliveries: number): void {
  const { holds, rules } = work.world;
  for (const hold of holds.values().slice()) {
    if (hold.left === null || hold.eventId === id) continue;
    if (hold.resource !== resource && waitsForNext(rules.get(hold.ruleId))) continue;
    work.put(holds, { ...hold, left: Math.max(0, hold.left - deliveries) });
  }
  releaseHolds(work, ({ left }) => left === 0);
}

function waitsForNext(rule: Rule | undefined): boolean {
  return rule?.on === "delivery" && rule.then.hold === "next";
}

/** At the end of a run, rules hold nothing back. */
export function endHolds(work: Work): void {
  releaseHolds(work, () => true);
}

/** Enqueues what rules hold back. A rule that is used up is removed with the last event it held. */
export function releaseHolds(work: Work, isReleased: (hold: Hold) => boolean): void {
  const { holds, rules } = work.world;
  for (const hold of holds.values().filter(isReleased)) {
    release(work, hold);
    const isHolding = holds.values().some(({ ruleId }) => ruleId === hold.ruleId);
    if (rules.get(hold.ruleId)?.timesLeft === 0 && !isHolding) work.remove(rules, hold.ruleId);
  }
}

/** Newest event first; the deliveries of one event in their own order. */
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

/** These deliveries will never be sent: removes their timers and holds. */
export function cancelDeliveryTimers(work: Work, deliveries: readonly Delivery[]): void {
  for (const { id } of deliveries) work.unschedule("delivery.attempt", id);
  const cancelled = new Set(deliveries.map(({ id }) => id));
  for (const hold of work.world.holds.values().slice()) {
    const left = hold.deliveryIds.filter((id) => !cancelled.has(id));
    if (left.length === hold.deliveryIds.length) continue;
    if (left.length > 0) work.put(work.world.holds, { ...hold, deliveryIds: left });
    else releaseHolds(work, ({ id }) => id === hold.id);
  }
}
