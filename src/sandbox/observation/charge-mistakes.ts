import { type Charge, refundableOf } from "../../domain/model/charge.js";
import type { World } from "../../domain/model/work.js";
import type { Delivery } from "../../domain/model/delivery.js";
import { toXof } from "../../domain/values/money.js";
import { quote } from "../../kernel/messages/text.js";
import {
  type Detection,
  type Detector,
  RecentMap,
  type Scene,
  describeOrder,
  describeRequest,
  idInPath,
  isLost,
  leavesOf,
  memberOf,
} from "./detector.js";
import type { JournalEntry } from "./journal.js";
import { type Order, type OrderKind, createRepeatedOrderDetector, describeAnswer } from "./repeated-order.js";

const refusals: ReadonlySet<unknown> = new Set(["refund_exceeds_paid", "refund_exceeds_left", "charge_not_refundable"]);

/** "A refund asked beyond what was paid", or beyond what is left of it. The refund was refused, so the charge is as it was before. */
export const refundBeyondPaid: Detector = {
  see(entry, scene) {
    if (!refusals.has(entry.problem)) return [];
    const charge = chargeOf(entry, scene.world);
    const amount = amountOf(entry, scene);
    if (charge === undefined || typeof amount !== "number" || isFullAgain(charge, amount)) return [];
    const left = toXof(refundableOf(charge));
    if (amount <= left) return [];
    const { id, externalId, paid, refunded } = charge;
    const why =
      `A refund of ${amount} XOF was asked of the charge ${id} (externalId ${quote(externalId)}), of which ${toXof(paid)} XOF were paid and ` +
      `${toXof(refunded)} XOF refunded: at most ${left} XOF could go back. A client that asks for too much does not know what it owes; ` +
      "where nothing stops it, it gives away the business's own money.";
    return [{ key: `${id} ${amount}`, why, requests: [describeRequest(entry, scene)] }];
  },
};

/** "Paying after the drop" */
export const payAfterDrop: Detector = {
  see(entry, scene) {
    if (entry.problem !== "charge_not_payable" && entry.problem !== "charge_not_payable_conflict") return [];
    const charge = chargeOf(entry, scene.world);
    if (charge?.status !== "dropped") return [];
    const { id, externalId, droppedReason } = charge;
    const why =
      `The charge ${id} (externalId ${quote(externalId)}) was to be paid after it had been dropped (${droppedReason ?? "no reason"}). A client ` +
      "that takes a dropped charge for one that is due waits for money that cannot come, or ships what nobody has paid.";
    return [{ key: id, why, requests: [describeRequest(entry, scene)] }];
  },
};

/** Charges whose refunds are remembered; those that were touched longest ago are forgotten first. */
const CHARGES_MAX = 1_000;
/** Refunds since the charge was read, and events of it, that are remembered. */
const OF_ONE_CHARGE_MAX = 50;
/** A receiver may refund just before the start of an attempt as it is computed from its end, ms. */
const EARLY_MS = 50;

interface ChargeTrail {
  /** Since the client read the charge. */
  refunds: readonly Refund[];
  /** How many refunds there had been when an attempt to send an event was over, by the event's id. */
  readonly events: RecentMap<string, number>;
  /** The same for the first attempt of an event that was sent again since. */
  replayedAfter: number;
  refunded: number;
}

interface Refund {
  /** The first of the charge is 0. */
  readonly place: number;
  entry: JournalEntry;
  readonly amount: number;
}

/**
 * "The same partial refund repeated after a lost answer or a webhook replay without reading the charge in between; a full refund repeated".
 */
export function createRefundRepeatedDetector(): Detector {
  const trails = new RecentMap<string, ChargeTrail>(CHARGES_MAX);
  const trailOf = (id: string): ChargeTrail =>
    trails.add(
      id,
      trails.get(id) ?? { refunds: [], events: new RecentMap(OF_ONE_CHARGE_MAX), replayedAfter: 0, refunded: 0 },
    );

  return {
    see(entry, scene) {
      const id = idInPath(entry);
      const read = isRead(entry) ? trails.get(id ?? "") : undefined;
      if (read !== undefined) read.refunds = [];
      if (id === undefined || entry.operation !== "refundCharge") return [];
      const charge = scene.world.charges.get(id);
      const amount = amountOf(entry, scene);
      if (charge !== undefined && refusals.has(entry.problem) && isFullAgain(charge, amount))
        return [describeFull(charge, entry, scene)];
      if (typeof amount !== "number") return [];
      const trail = trailOf(id);
      const before = trail.refunds.filter((refund) => refund.amount === amount);
      // A refusal that was read has refunded nothing.
      if (entry.status < 400 || entry.status >= 500 || isLost(entry))
        trail.refunds = [...trail.refunds, { entry, amount, place: trail.refunded++ }].slice(-OF_ONE_CHARGE_MAX);
      if (entry.status === 429) return [];
      const unknown = before.find(({ entry: { status, fault, fate } }) => isLost({ fate, fault }) || status >= 500);
      if (unknown !== undefined) return [describePartial(unknown.entry, entry, amount, "loss", scene)];
      const first = before.find(({ place }) => place < trail.replayedAfter);
      return first === undefined ? [] : [describePartial(first.entry, entry, amount, "replay", scene)];
    },
    lost(entry, scene) {
      const id = idInPath(entry);
      const trail = entry.operation === "refundCharge" && id !== undefined ? trails.get(id) : undefined;
      const lost = trail?.refunds.find((refund) => refund.entry.id === entry.id);
      if (trail === undefined || lost === undefined) return [];
      lost.entry = entry;
      const again = trail.refunds.find(
        (other) => other.amount === lost.amount && other.entry.receivedAt > entry.receivedAt,
      );
      return again === undefined ? [] : [describePartial(entry, again.entry, lost.amount, "loss", scene)];
    },
    attempted({ latencyMs }, { resource, resourceKind, eventId }, scene) {
      if (resourceKind !== "charge") return [];
      const trail = trailOf(resource);
      const before = trail.events.get(eventId);
      if (before === undefined) {
        trail.events.add(eventId, trail.refunded);
        return [];
      }
      trail.replayedAfter = Math.max(trail.replayedAfter, before);
      // A receiver refunds before it answers.
      const since = scene.now - latencyMs - EARLY_MS;
      const during = trail.refunds.filter(({ entry, place }) => place >= before && entry.receivedAt >= since);
      return during.flatMap(({ entry, amount }) => {
        const first = trail.refunds.find((other) => other.amount === amount && other.place < before);
        return first === undefined ? [] : [describePartial(first.entry, entry, amount, "replay", scene)];
      });
    },
  };
}

function isRead({ operation, status, fault }: JournalEntry): boolean {
  return operation === "getCharge" && status === 200 && fault === undefined;
}

/** Whether everything went back already, and is asked for once more. */
function isFullAgain({ status, paid }: Charge, amount: unknown): boolean {
  return status === "refunded" && (amount === undefined || amount === toXof(paid));
}

function describeFull(charge: Charge, entry: JournalEntry, scene: Scene): Detection {
  const { id, externalId, paid } = charge;
  const why =
    `The whole of the charge ${id} (externalId ${quote(externalId)}) was to be refunded again (${entry.id}) after all of its ${toXof(paid)} XOF had ` +
    "gone back. This service refuses it; a client that cannot know that it has refunded pays back twice wherever nothing stops it.";
  return { key: id, why, requests: [describeRequest(entry, scene)] };
}

function describePartial(
  first: JournalEntry,
  again: JournalEntry,
  amount: number,
  cause: "loss" | "replay",
  scene: Scene,
): Detection {
  const after =
    cause === "replay"
      ? "after a webhook of the charge had come twice"
      : isLost(first)
        ? "after the answer to the first was lost"
        : `after the first was answered ${first.status}`;
  return {
    key: `${first.id} ${again.id}`,
    why:
      `The same refund of ${amount} XOF was asked of one charge twice (${first.id} and ${again.id}), ${after}, and the charge was not read in ` +
      "between. A refund has no reference: to the service these are two refunds.",
    requests: [describeRequest(first, scene), describeRequest(again, scene)],
  };
}

function chargeOf(entry: JournalEntry, world: World): Charge | undefined {
  return world.charges.get(idInPath(entry) ?? "");
}

function amountOf({ body }: JournalEntry, { profile }: Scene): unknown {
  return memberOf(body, profile.refunds.amountField);
}

/** "A charge created twice for one order after a lost answer": one order has the same amount, texts, addresses and metadata. */
export function createChargeRepeatedDetector(): Detector {
  return createRepeatedOrderDetector(chargeOrders);
}

type ChargeOrder = Order & { readonly externalId: string; readonly amount: unknown };

const chargeOrders: OrderKind<ChargeOrder> = {
  ordersOf: ({ operation, body }) => {
    const externalId = operation === "createCharge" ? memberOf(body, "externalId") : undefined;
    if (typeof externalId !== "string") return [];
    return [{ reference: externalId, externalId, amount: memberOf(body, "amount"), group: groupOf(body, externalId) }];
  },
  hasFailed: ({ externalId }, { charges }) => charges.findBy("externalId", externalId)?.status === "dropped",
  // Its link is lost with its answer, so a new charge is the way on.
  conflictOf: (_, { problem }) => (problem === "external_id_taken" ? "settled" : undefined),
  provenBy: (shown, { world }) => {
    const charge = "attempts" in shown ? chargeOfWebhook(shown, world) : undefined;
    return charge && { reference: charge.externalId, group: groupOf(shownAs(charge), charge.externalId) };
  },
  describe: (first, again, { world }) => ({
    why:
      `One order would have been charged twice: first under externalId ${quote(first.order.externalId)} (${first.request.id}, ` +
      `${describeAnswer(first.request, world.charges.findBy("externalId", first.order.externalId) !== undefined)}), again under externalId ` +
      `${quote(again.order.externalId)} (${again.request.id}). Both charges can be paid.`,
    requests: [describeOrder(first.request, first.order), describeOrder(again.request, again.order)],
  }),
};

function chargeOfWebhook({ resource, resourceKind }: Delivery, world: World): Charge | undefined {
  return resourceKind === "charge" ? world.charges.get(resource) : undefined;
}

function shownAs(charge: Charge): object {
  return { ...charge, amount: toXof(charge.amount) };
}

/** What counts attempts of one order, or names one of them. */
const OF_ONE_ATTEMPT = /attempt|try|nonce|uuid|time|idempotency|request/i;

function groupOf(body: unknown, externalId: string): string {
  const metadata = memberOf(body, "metadata");
  const kept = Object.entries(typeof metadata === "object" && metadata !== null ? metadata : {}).filter(
    ([name]) => !OF_ONE_ATTEMPT.test(name),
  );
  const names = ["amount", "description", "onCanceledRedirectionUrl", "onCompletedRedirectionUrl"];
  const order = [...names.map((name) => memberOf(body, name)), Object.fromEntries(kept)];
  return JSON.stringify(leavesOf(order)).replaceAll(JSON.stringify(externalId).slice(1, -1), "*");
}
