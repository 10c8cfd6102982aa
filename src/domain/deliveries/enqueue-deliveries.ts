import { memberOf } from "../../kernel/messages/json.js";
import { Bug } from "../../kernel/messages/problem.js";
import type { DomainEvent } from "../model/events.js";
import type { DeliveryEffect, RuleOn } from "../model/rule.js";
import { countRule, findRule } from "../rules/use-rule.js";
import { sentTopic } from "../model/subscription.js";
import type { Work } from "../model/work.js";
import { type Delivery, WEBHOOK_BYTES_OF_WORK_MAX, type WireEffect, moveDelivery } from "../model/delivery.js";
import {
  type Countdown,
  countDownHolds,
  countHeld,
  holdDelivery,
  isReversing,
  releaseReversed,
  removeUsedUp,
  storeCountdown,
} from "../rules/holds.js";
import { webhookTopicOf } from "./webhook-topic.js";

/** Writes the body of a webhook, in the contract's spelling. */
export type RenderPayload = (topic: string, event: DomainEvent) => string;

/** The most webhooks that one request or due item makes: thousands of subscriptions must not block the process. */
export const WEBHOOKS_OF_WORK_MAX = 20_000;

/**
 * The most webhooks of one company that rules hold back at a time, since each event goes through all of them. Further ones are sent as if no rule
 * held them.
 */
export const HELD_MAX = 1_000;

/** How much this work may still enqueue. */
interface Room {
  webhooks: number;
  bytes: number;
  held: number;
  /** Whether some webhook was not made. */
  isFull: boolean;
  /** Whether some webhook that a rule would hold was not held. */
  areUnheld: boolean;
  readonly countdown: Countdown;
}

/**
 * The contract: "when an event occurs the service sends an HTTP POST with a JSON payload to each URL registered for the topic." Deliveries are
 * enqueued in the same unit of work as the change itself, so neither is stored without the other. Rules decide what happens to each. Returns whether
 * webhooks were left out, beyond `WEBHOOKS_OF_WORK_MAX` or `WEBHOOK_BYTES_OF_WORK_MAX`, and whether some were not held, beyond `HELD_MAX`.
 */
export function enqueueDeliveries(work: Work, renderPayload: RenderPayload) {
  const { events } = work;
  const { subscriptions, holds } = work.world;
  const bounds = {
    webhooks: WEBHOOKS_OF_WORK_MAX,
    bytes: WEBHOOK_BYTES_OF_WORK_MAX,
    held: Math.max(0, HELD_MAX - countHeld(holds.values())),
  };
  const room: Room = { ...bounds, isFull: false, areUnheld: false, countdown: new Map() };
  if (subscriptions.size > 0) for (const event of events) enqueueEvent(work, event, renderPayload, room);
  storeCountdown(work, room.countdown);
  if (holds.size > 0) for (const event of events) releaseReversed(work, event);
  return { areLeftOut: room.isFull, areUnheld: room.areUnheld };
}

function enqueueEvent(work: Work, event: DomainEvent, renderPayload: RenderPayload, room: Room): void {
  const topic = webhookTopicOf(work.profile, event);
  if (topic === undefined) return;
  const subscriptions = work.world.subscriptions.values().filter((subscription) => subscription.topic === topic);
  const bodies = new Map<string, string>();
  const parsed = new Map<string, unknown>();
  for (const subscription of subscriptions) {
    if (!hasRoom(room)) break;
    const spelling = sentTopic(work.profile, subscription);
    const body = bodies.get(spelling) ?? renderPayload(spelling, event);
    bodies.set(spelling, body);
    if (!hasRoom(room, body.length)) break;
    const { id: subscriptionId, url } = subscription;
    const { resource, resourceKind } = resourceOf(event);
    const base = { eventId: event.id, subscriptionId, topic: spelling, url, resource, resourceKind, body };
    const rule = findRule(
      work,
      "delivery",
      () => {
        // Each body is parsed once for all subscriptions.
        if (!parsed.has(spelling)) parsed.set(spelling, memberOf(JSON.parse(body), "data"));
        return { topic: spelling, url, data: parsed.get(spelling) };
      },
      // A rule that is used up still applies to resources whose events it has begun to hold.
      ({ id, timesLeft }) => timesLeft !== 0 || isReversing(work, id, base.resource),
    );
    if (rule === undefined) work.enqueue(store(work, base, 0, null, room));
    else enqueueByRule(work, rule, base, room);
  }
  if (work.world.holds.size > 0) countDownHolds(work, event, subscriptions.length, room.countdown);
}

function hasRoom(room: Room, bytes = 1): boolean {
  if (room.webhooks > 0 && room.bytes >= bytes) return true;
  room.isFull = true;
  return false;
}

type Addressed = Pick<Delivery, "eventId" | "subscriptionId" | "topic" | "url" | "resource" | "resourceKind" | "body">;

function store(work: Work, base: Addressed, copy: number, effect: WireEffect | null, room: Room): Delivery {
  room.webhooks--;
  room.bytes -= base.body.length;
  const seq = work.nextSeq();
  return work.put<Delivery>(work.world.deliveries, {
    id: work.ids.short("del"),
    seq,
    createdAt: work.at,
    copy,
    turn: seq,
    effect,
    status: "pending",
    nextAttemptAt: work.at,
    attempts: [],
    ...base,
  });
}

/** Each copy (`duplicate`) is a delivery with its own attempts. */
function enqueueByRule(work: Work, rule: RuleOn<"delivery">, base: Addressed, room: Room): void {
  const { deliveries } = work.world;
  const { then } = rule;
  countUse(work, rule, base.resource);
  const { duplicate: copies = 0 } = then;
  for (let copy = 0; copy <= copies; copy++) {
    if (copy > 0 && !hasRoom(room, base.body.length)) break;
    const delivery = store(work, base, copy, wireEffectOf(then, copy), room);
    if (then.drop === true) {
      work.put(deliveries, moveDelivery(work, delivery, "drop", null));
    } else if (then.delayMs !== undefined) {
      const nextAttemptAt = work.at + then.delayMs;
      work.put(deliveries, { ...delivery, nextAttemptAt });
      work.schedule("delivery.attempt", delivery.id, nextAttemptAt);
    } else if (isToHold(then, copy) && room.held > 0) {
      room.held--;
      work.put(deliveries, { ...delivery, nextAttemptAt: null });
      holdDelivery(work, rule, delivery);
    } else {
      room.areUnheld ||= isToHold(then, copy);
      work.enqueue(delivery, then.before === "response");
    }
  }
  // A rule whose last webhook could not be held, for lack of room, has nothing to stay for.
  if (!isReversing(work, rule.id, base.resource)) removeUsedUp(work, [rule.id]);
}

/** With `duplicate`, `hold` holds only the copies. */
function isToHold({ reverse, hold, duplicate = 0 }: DeliveryEffect, copy: number): boolean {
  return reverse === true || (hold !== undefined && (copy > 0 || duplicate === 0));
}

/** A rule that holds events (`reverse`) counts one use for each resource, however many events it has. */
function countUse(work: Work, rule: RuleOn<"delivery">, resource: string): void {
  if (rule.then.reverse !== true || !isReversing(work, rule.id, resource)) countRule(work, rule);
}

function wireEffectOf(then: DeliveryEffect, copy: number): WireEffect | null {
  const { truncate = null, loseAnswers = 0, attempts = null } = then;
  const corruptSignature = then.corruptSignature === "first" ? copy === 0 : (then.corruptSignature ?? false);
  if (!corruptSignature && truncate === null && loseAnswers === 0) return null;
  return { corruptSignature, truncate, loseAnswers, attempts };
}

function resourceOf(event: DomainEvent): Pick<Delivery, "resource" | "resourceKind"> {
  const { subject } = event;
  if (subject.kind === "charge") return { resource: subject.charge.id, resourceKind: "charge" };
  if (subject.kind === "transaction") return { resource: subject.transaction.id, resourceKind: "transaction" };
  throw new Bug(`Failed to enqueue a webhook: an event of ${subject.kind} has no topic.`);
}
