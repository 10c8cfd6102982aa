import type { Delivery } from "../../domain/model/delivery.js";
import type { Transfer } from "../../domain/model/transfer.js";
import type { World } from "../../domain/model/work.js";
import type { Profile } from "../../domain/profile/profile.js";
import { toXof } from "../../domain/values/money.js";
import { plainId } from "../../domain/values/ids.js";
import { findTopic } from "../../domain/values/topic.js";
import { quote } from "../../kernel/messages/text.js";
import { type Detection, type Detector, type Scene, describeOrder, describeRequest, idInPath } from "./detector.js";
import { FINDINGS_MAX } from "./finding.js";
import type { JournalEntry } from "../observation/journal.js";
import {
  type PayoutOrder,
  areDescribedAsTwo,
  findEarlier,
  groupOf,
  nameTwoOrders,
  pairOf,
  pairOfTransfer,
  payoutsOf,
} from "./payout-mistakes.js";
import type { Order, OrderKind, Proof } from "./order-kind.js";
import { createRepeatedOrderDetector } from "./repeated-order.js";
import { describeAnswer } from "./known-order.js";
import { memberOf } from "../../kernel/messages/json.js";

/**
 * A new reference for the same recipient and amount soon after a lost or 5xx answer, or after a 409: to the service another reference is another payout.
 * Not reported once the client has read the outcome of the first. Also reported: a payout for each copy of one webhook, and under
 * `transfers.duplicateReference: allow` the same reference again.
 */
export function createDoublePayoutDetector(): Detector {
  const renamed = createRepeatedOrderDetector(payouts);
  return {
    ...renamed,
    see: (entry, scene) => [...(renamed.see?.(entry, scene) ?? []), ...findSameReference(entry, scene)],
  };
}

type Payout = PayoutOrder & Order;

const payouts: OrderKind<Payout> = {
  ordersOf: (entry, { world }) => payoutsOf(entry).map((order) => ({ ...order, group: groupOf(order, world) })),
  hasFailed: ({ reference }, { transfers }) => transfers.findBy("reference", reference)?.status === "failed",
  conflictOf: (order, entry, { world }) => {
    if (entry.problem !== "reference_taken") return undefined;
    const earlier = findEarlier(world, order.reference, entry);
    // A 409 because another order, or another item of the batch, has the reference does not show that this order was done.
    return earlier !== undefined && pairOfTransfer(earlier) === pairOf(order) ? "done" : undefined;
  },
  provenBy: (shown, { world }) => ("attempts" in shown ? proofOfWebhook(shown, world) : proofOfRead(shown, world)),
  areTwo: (one, other) => areDescribedAsTwo(one, other) || nameTwoOrders(one.reference, other.reference),
  isReaction: (_, { resourceKind, topic }) => resourceKind === "charge" || findTopic(topic) === "transactions/failed",
  describe: (first, again, cause, { profile, world }) => {
    const [one, other] = [first, again].map(({ order }) => quote(order.reference));
    const what = `${again.order.amount} XOF to ${again.order.msisdn} would have been paid twice`;
    const danger = "A new reference is a new payout.";
    const answer = describeAnswer(first.request, isKnown(first.order, world));
    return {
      why:
        cause === "webhook"
          ? `${what}: under reference ${one} (${first.request.id}), and again under reference ${other} (${again.request.id}) when a copy of the same webhook came. ${danger}`
          : `${what}: first under reference ${one} (${first.request.id}, ${answer}), again under reference ${other} (${again.request.id}). ${danger}`,
      fix: cause === "webhook" ? ONCE_PER_EVENT : adviceFor(first.order, first.request.status === 409, profile),
      requests: [describeOrder(first.request, first.order), describeOrder(again.request, again.order)],
    };
  },
};

const ONCE_PER_EVENT =
  "Derive the reference from what the webhook is about (the charge), so that a payout for a second copy of it gets a 409, or store that the charge is " +
  "settled in the same transaction as the reference. Any webhook may come more than once.";

function isKnown({ reference }: PayoutOrder, { transfers }: World): boolean {
  return transfers.findBy("reference", reference) !== undefined;
}

/** A read answered with `pending` shows that the payout exists, not how it ends. */
function proofOfRead(entry: JournalEntry, world: World): Proof | undefined {
  const id = entry.operation === "getTransaction" && entry.status === 200 ? idInPath(entry) : undefined;
  if (id === undefined) return undefined;
  return proofOf(plainId(id), world, memberOf(entry.answer, "status") === "pending" ? "acceptance" : "outcome");
}

function proofOfWebhook({ topic, resource, resourceKind }: Delivery, world: World): Proof | undefined {
  if (resourceKind !== "transaction" || findTopic(topic) === "transactions/started") return undefined;
  return proofOf(resource, world, "outcome");
}

function proofOf(id: string, world: World, shows: Proof["shows"]): Proof | undefined {
  const transfer = world.transfers.get(id);
  if (transfer === undefined) return undefined;
  const { reference, msisdn, amount, description } = transfer;
  return { group: groupOf({ reference, msisdn, amount: toXof(amount), description }, world), reference, shows };
}

function findSameReference(entry: JournalEntry, scene: Scene): readonly Detection[] {
  if (scene.profile.transfers.duplicateReference !== "allow" || entry.created.length === 0) return [];
  const orders = payoutsOf(entry);
  const later = findLater(orders, entry, scene.world);
  const repeated = orders.flatMap((order) => {
    const oldest = findEarlier(scene.world, order.reference, entry);
    const earlier = oldest?.status === "failed" ? later.get(order.reference) : oldest;
    return earlier === undefined || pairOfTransfer(earlier) !== pairOf(order) ? [] : [{ earlier, order }];
  });
  // Describe no more than are kept, the newest: each takes time.
  return repeated.slice(-FINDINGS_MAX).map(({ earlier, order }) => {
    const { reference, amount, msisdn } = order;
    const before = scene.causeOf(earlier);
    return {
      key: `${reference} again`,
      why:
        `${amount} XOF to ${msisdn} would have been paid twice: the reference ${quote(reference)} was sent again (${entry.id}) after its payout ` +
        `was made${before === undefined ? "" : ` (${before.id})`}. This service takes a reference twice (transfers.duplicateReference: allow).`,
      fix: adviceFor(order, false, scene.profile),
      requests: [...(before === undefined ? [] : [describeRequest(before, scene)]), describeOrder(entry, order)],
    };
  });
}

/** For references whose oldest transfer has failed: the oldest one that has not, by reference. Reads all transfers once, because that takes long. */
function findLater(orders: readonly PayoutOrder[], entry: JournalEntry, world: World): ReadonlyMap<string, Transfer> {
  const hasFailed = ({ reference }: PayoutOrder) => findEarlier(world, reference, entry)?.status === "failed";
  const wanted = new Set(orders.filter(hasFailed).map(({ reference }) => reference));
  if (wanted.size === 0) return new Map();
  const own = new Set(entry.created);
  const isLater = ({ id, reference, status }: Transfer) => status !== "failed" && wanted.has(reference) && !own.has(id);
  const found = world.transfers.values().filter(isLater).toReversed();
  return new Map(found.map((transfer) => [transfer.reference, transfer]));
}

/** The API reads a transaction only by id, and neither a lost answer nor a 409 carries one. */
function adviceFor({ reference }: PayoutOrder, afterConflict: boolean, { transfers }: Profile): string {
  const newReference =
    "A new reference is right only once the first transfer is known to have failed, or for another order: name the order in the reference or the description.";
  if (transfers.duplicateReference === "allow")
    return (
      `Keep the reference of a payout (${quote(reference)}), and after a lost answer wait for the webhook that carries it: its ` +
      `\`transactions/started\` says that the payout was made. Send it again only if none comes: this service does not refuse a reference that it ` +
      `knows. ${newReference}`
    );
  if (afterConflict)
    return (
      `Keep the reference (${quote(reference)}): the 409 says that an earlier request with it got through, not how its payout ends. Wait for the ` +
      `webhook that carries the reference, or read the transfer if you know its id. ${newReference}`
    );
  return (
    `Keep the reference of a payout, and send that same reference again (${quote(reference)}) until the service answers: 201 says that the payout is ` +
    "pending now, and a 409 that an earlier request got through. Neither says how it ends: wait for the webhook that carries the reference. " +
    newReference
  );
}
