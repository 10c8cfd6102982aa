import type { Work } from "../model/work.js";
import { type Delivery, type Hold, holdId } from "../model/delivery.js";
import type { DomainEvent } from "../model/events.js";

export function findHold({ world }: Pick<Work, "world">, ruleId: string, resource: string): Hold | undefined {
  return world.holds.get(holdId(ruleId, resource));
}

/** Holds a delivery until its resource's last event. */
export function holdDelivery(work: Work, ruleId: string, delivery: Delivery): void {
  const { resource, id } = delivery;
  const hold = findHold(work, ruleId, resource);
  const base = hold ?? { id: holdId(ruleId, resource), seq: work.nextSeq(), ruleId, resource, deliveryIds: [] };
  work.put<Hold>(work.world.holds, { ...base, deliveryIds: [...base.deliveryIds, id] });
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
export function isLastEvent({ type }: DomainEvent): boolean {
  return LAST_EVENTS.has(type);
}

/** Enqueues what a rule holds back: of one resource, or of all. A rule that is used up is removed with the last event it held. */
export function releaseHolds(work: Work, ruleId: string, resource?: string): void {
  const { holds, rules } = work.world;
  const isReleased = (hold: Hold) => hold.ruleId === ruleId && hold.resource === (resource ?? hold.resource);
  for (const hold of holds.values().filter(isReleased)) release(work, hold);
  const rule = rules.get(ruleId);
  if (rule?.timesLeft === 0 && !holds.values().some((hold) => hold.ruleId === ruleId)) work.remove(rules, ruleId);
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
    else releaseHolds(work, hold.ruleId, hold.resource);
  }
}
