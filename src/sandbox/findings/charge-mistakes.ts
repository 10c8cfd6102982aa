import { type Charge, refundableOf } from "../../domain/model/charge.js";
import type { World } from "../../domain/model/work.js";
import type { Delivery } from "../../domain/model/delivery.js";
import { findTopic } from "../../domain/values/topic.js";
import { toXof } from "../../domain/values/money.js";
import { isObject, memberOf, parseJsonOrText } from "../../kernel/messages/json.js";
import { quote, SEARCHED_MAX, shorten } from "../../kernel/messages/text.js";
import {
  type Detection,
  type Detector,
  type Scene,
  describeOrder,
  describeRequest,
  digestOf,
  idInPath,
  isLost,
} from "./detector.js";
import type { JournalEntry } from "../observation/journal.js";
import { isShort, nameTwoOrders } from "./payout-mistakes.js";
import type { Order, OrderKind } from "./order-kind.js";
import { createRepeatedOrderDetector } from "./repeated-order.js";
import { describeAnswer } from "./known-order.js";

const refusals: ReadonlySet<unknown> = new Set(["refund_exceeds_paid", "refund_exceeds_left", "charge_not_refundable"]);

/** A refund of more than was paid, or more than is left of it. The refund was refused, so the charge is as it was before. */
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
      `The client requested a refund of ${amount} XOF of the charge ${id} (externalId ${quote(externalId)}), of which ${toXof(paid)} XOF were paid and ` +
      `${toXof(refunded)} XOF refunded: at most ${left} XOF can be refunded. A client that requests more does not know what is left, ` +
      "and may give away the business's own money.";
    return [{ key: `${id} ${amount}`, why, requests: [describeRequest(entry, scene)] }];
  },
};

/** A payment of a charge after it was dropped. */
export const payAfterDrop: Detector = {
  see(entry, scene) {
    if (entry.problem !== "charge_not_payable" && entry.problem !== "charge_not_payable_conflict") return [];
    const charge = chargeOf(entry, scene.world);
    if (charge?.status !== "dropped") return [];
    const { id, externalId, droppedReason } = charge;
    const reason = shorten(droppedReason ?? "no reason", 200);
    const why =
      `The client tried to pay the charge ${id} (externalId ${quote(externalId)}) after it was dropped (${reason}). A client ` +
      "that treats a dropped charge as due waits for money that cannot come, or ships unpaid goods.";
    return [{ key: id, why, requests: [describeRequest(entry, scene)] }];
  },
};

/** The same partial refund repeated after a lost answer or a second copy of a webhook, without reading the charge in between; a full refund repeated. */
export function createRefundRepeatedDetector(): Detector {
  const partial = createRepeatedOrderDetector(refunds);
  return {
    ...partial,
    see: (entry, scene) => [...(partial.see?.(entry, scene) ?? []), ...findFullAgain(entry, scene)],
  };
}

type Refund = Order & { readonly amount: number };

/** A refund has no reference: each request is another refund. */
const refunds: OrderKind<Refund> = {
  ordersOf: (entry, scene) => {
    const group = entry.operation === "refundCharge" ? idInPath(entry) : undefined;
    const amount = amountOf(entry, scene);
    // A refused refund has refunded nothing, and the client knows that if it read the answer.
    const isRefused = entry.status >= 400 && entry.status < 500 && !isLost(entry);
    if (group === undefined || typeof amount !== "number" || isRefused) return [];
    return [{ group, reference: entry.id, amount }];
  },
  hasFailed: () => false,
  conflictOf: () => undefined,
  provenBy: (shown, { world }) => {
    if (!("attempts" in shown)) {
      const id = shown.operation === "getCharge" && shown.status === 200 ? idInPath(shown) : undefined;
      return id === undefined ? undefined : { group: id, shows: "everything" };
    }
    const charge = world.charges.get(shown.resource);
    const isUpToDate = charge !== undefined && charge.refunded > 0 && refundedIn(shown) === toXof(charge.refunded);
    return isUpToDate ? { group: charge.id, shows: "outcome" } : undefined;
  },
  areTwo: () => false,
  isReaction: ({ group }, { resource, topic }) => resource === group || findTopic(topic) === "transactions/failed",
  describe: (first, again, cause, scene) => {
    const after =
      cause === "webhook"
        ? "when a copy of the same webhook came"
        : isLost(first.request)
          ? "after the answer to the first was lost"
          : `after the first was answered ${first.request.status}`;
    const { externalId } = scene.world.charges.get(first.order.group) ?? {};
    return {
      why:
        `The same refund of ${first.order.amount} XOF of one charge was requested twice (${first.request.id} and ${again.request.id}), ${after}, and the ` +
        "charge was not read in between. A refund has no reference: to the service these are two refunds.",
      requests: [first, again].map(({ request, order: { amount } }) => describeOrder(request, { externalId, amount })),
    };
  },
};

/** The refunded amount that a webhook of a charge carries, in XOF. */
function refundedIn({ body }: Delivery): unknown {
  return memberOf(memberOf(parseJsonOrText(body), "data"), "refunded");
}

function findFullAgain(entry: JournalEntry, scene: Scene): readonly Detection[] {
  const charge = entry.operation === "refundCharge" ? chargeOf(entry, scene.world) : undefined;
  const isAgain = charge !== undefined && refusals.has(entry.problem) && isFullAgain(charge, amountOf(entry, scene));
  return isAgain ? [describeFull(charge, entry, scene)] : [];
}

/** Whether the whole charge was refunded already, and all of it is to be refunded once more. */
function isFullAgain({ status, paid }: Charge, amount: unknown): boolean {
  return status === "refunded" && (amount === undefined || amount === toXof(paid));
}

function describeFull(charge: Charge, entry: JournalEntry, scene: Scene): Detection {
  const { id, externalId, paid } = charge;
  const why =
    `The client tried to refund the whole charge ${id} (externalId ${quote(externalId)}) again (${entry.id}) after all of its ${toXof(paid)} XOF had ` +
    "been refunded. This service refuses it; another might refund twice.";
  return { key: id, why, requests: [describeRequest(entry, scene)] };
}

function chargeOf(entry: JournalEntry, world: World): Charge | undefined {
  return world.charges.get(idInPath(entry) ?? "");
}

function amountOf({ body }: JournalEntry, { profile }: Scene): unknown {
  return memberOf(body, profile.refunds.amountField);
}

/** A charge created twice for one order after a lost answer. Charges of one order have the same amount, texts, addresses and metadata. */
export function createChargeRepeatedDetector(): Detector {
  return createRepeatedOrderDetector(chargeOrders);
}

type ChargeOrder = Order & { readonly externalId: string };

const chargeOrders: OrderKind<ChargeOrder> = {
  ordersOf: ({ operation, body }) => {
    const externalId = operation === "createCharge" ? memberOf(body, "externalId") : undefined;
    if (!isShort(externalId)) return [];
    return [{ reference: externalId, externalId, amount: memberOf(body, "amount"), group: groupOf(body, externalId) }];
  },
  hasFailed: ({ externalId }, { charges }) => charges.findBy("externalId", externalId)?.status === "dropped",
  // The payment link is lost with the answer, so the client has to create a new charge.
  conflictOf: (_, { problem }) => (problem === "external_id_taken" ? "settled" : undefined),
  provenBy: (shown, { world }) => {
    const charge = "attempts" in shown ? chargeOfWebhook(shown, world) : undefined;
    if (charge === undefined) return undefined;
    return { reference: charge.externalId, group: groupOf(shownAs(charge), charge.externalId), shows: "outcome" };
  },
  areTwo: (one, other) => nameTwoOrders(one.externalId, other.externalId),
  describe: (first, again, _, { world }) => ({
    why:
      `One order would have been charged twice: first under externalId ${quote(first.order.externalId)} (${first.request.id}, ` +
      `${describeAnswer(first.request, world.charges.findBy("externalId", first.order.externalId) !== undefined)}), again under externalId ` +
      `${quote(again.order.externalId)} (${again.request.id}). Both charges can be paid.`,
    requests: [first, again].map(({ request, order: { externalId, amount } }) =>
      describeOrder(request, { externalId, amount }),
    ),
  }),
};

function chargeOfWebhook({ resource, resourceKind }: Delivery, world: World): Charge | undefined {
  return resourceKind === "charge" ? world.charges.get(resource) : undefined;
}

function shownAs(charge: Charge): object {
  return { ...charge, amount: toXof(charge.amount) };
}

/** Metadata keys that number or identify a single attempt at an order. */
const OF_ONE_ATTEMPT = /attempt|try|nonce|uuid|time|idempotency|request/i;

function groupOf(body: unknown, externalId: string): string {
  const metadata = memberOf(body, "metadata");
  const kept = isObject(metadata)
    ? Object.keys(metadata).flatMap((name) => (OF_ONE_ATTEMPT.test(name) ? [] : [name, metadata[name]]))
    : [];
  const names = ["amount", "description", "onCanceledRedirectionUrl", "onCompletedRedirectionUrl"];
  const values = names.map((name) => memberOf(body, name));
  return digestOf([...values, kept], orderNamedIn(values, externalId));
}

/** At most this many trailing parts of an externalId are taken for the name of an attempt. */
const ATTEMPT_PARTS_MAX = 4;

/** The longest beginning of the externalId that one of these texts holds: of `order-17-retry`, `/paid?order=order-17` holds `order-17`. */
function orderNamedIn(values: readonly unknown[], externalId: string): string {
  const ends = [...externalId.slice(0, SEARCHED_MAX).matchAll(/(?<!^)[^\p{L}\p{N}]/gu)].map(({ index }) => index);
  const names = [...ends.slice(-ATTEMPT_PARTS_MAX).map((end) => externalId.slice(0, end)), externalId];
  const isHeld = (name: string) =>
    name.length <= SEARCHED_MAX && values.some((value) => typeof value === "string" && value.includes(name));
  return names.findLast(isHeld) ?? externalId;
}
