import type { Delivery } from "../../domain/model/delivery.js";
import type { World } from "../../domain/model/work.js";
import type { Profile } from "../../domain/profile/profile.js";
import { plainId } from "../../domain/values/ids.js";
import { findTopic } from "../../domain/values/topic.js";
import { quote } from "../../kernel/messages/text.js";
import { type Detection, type Detector, type Scene, describeOrder, describeRequest, idInPath } from "./detector.js";
import type { JournalEntry } from "./journal.js";
import { type PayoutOrder, findEarlier, pairOf, pairOfTransfer, payoutsOf } from "./payout-mistakes.js";
import { type Order, type OrderKind, createRepeatedOrderDetector, describeAnswer } from "./repeated-order.js";

/**
 * "A *new reference for the same payee and amount directly after a lost or 5xx answer, or directly after a 409*": to the service another reference is
 * another payout. Cleared by what proves the first outcome. Under `transfers.duplicateReference: allow` the same reference again is one too.
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
  ordersOf: (entry) => payoutsOf(entry).map((order) => ({ ...order, group: pairOf(order) })),
  hasFailed: ({ reference }, { transfers }) => transfers.findBy("reference", reference)?.status === "failed",
  conflictOf: (order, entry, { world }) => {
    if (entry.problem !== "reference_taken") return undefined;
    const earlier = findEarlier(world, order.reference, entry);
    // A 409 for what another order has taken, or another item of the batch, says nothing of this one.
    return earlier !== undefined && pairOfTransfer(earlier) === order.group ? "done" : undefined;
  },
  provenBy: (shown, { world }) => {
    const id = "attempts" in shown ? transferOfFinalWebhook(shown) : transferOfRead(shown);
    const transfer = id === undefined ? undefined : world.transfers.get(id);
    return transfer && { group: pairOfTransfer(transfer), reference: transfer.reference };
  },
  describe: (first, again, { profile, world }) => ({
    why:
      `${again.order.amount} XOF to ${again.order.msisdn} would have been paid twice: first under reference ${quote(first.order.reference)} ` +
      `(${first.request.id}, ${describeAnswer(first.request, isKnown(first.order, world))}), again under reference ${quote(again.order.reference)} (${again.request.id}). ` +
      "To the service another reference is another payout.",
    fix: adviceFor(first.order, profile),
    requests: [describeOrder(first.request, first.order), describeOrder(again.request, again.order)],
  }),
};

function isKnown({ reference }: PayoutOrder, { transfers }: World): boolean {
  return transfers.findBy("reference", reference) !== undefined;
}

function transferOfRead(entry: JournalEntry): string | undefined {
  const id = entry.operation === "getTransaction" && entry.status === 200 ? idInPath(entry) : undefined;
  return id === undefined ? undefined : plainId(id);
}

function transferOfFinalWebhook({ topic, resource, resourceKind }: Delivery): string | undefined {
  return resourceKind === "transaction" && findTopic(topic) !== "transactions/started" ? resource : undefined;
}

function findSameReference(entry: JournalEntry, scene: Scene): readonly Detection[] {
  if (scene.profile.transfers.duplicateReference !== "allow" || entry.created.length === 0) return [];
  return payoutsOf(entry).flatMap((order) => {
    const { reference, amount, msisdn } = order;
    const earlier = scene.world.transfers
      .values()
      .find(
        (transfer) =>
          transfer.reference === reference && !entry.created.includes(transfer.id) && transfer.status !== "failed",
      );
    if (earlier === undefined || pairOfTransfer(earlier) !== pairOf(order)) return [];
    const before = scene.causeOf(earlier);
    return [
      {
        key: `${reference} again`,
        why:
          `${amount} XOF to ${msisdn} would have been paid twice: the reference ${quote(reference)} was sent again (${entry.id}) after its payout ` +
          `was made${before === undefined ? "" : ` (${before.id})`}. This service takes a reference twice (transfers.duplicateReference: allow).`,
        fix: adviceFor(order, scene.profile),
        requests: [...(before === undefined ? [] : [describeRequest(before, scene)]), describeOrder(entry, order)],
      },
    ];
  });
}

/** The API reads a transaction only by id, and neither a lost answer nor a 409 carries one. */
function adviceFor({ reference }: PayoutOrder, { transfers }: Profile): string {
  const newReference = "A new reference is right only once the first transfer is known to have failed.";
  if (transfers.duplicateReference === "allow")
    return (
      `Keep the reference of a payout (${quote(reference)}), and after a lost answer wait for the webhook that carries it: its ` +
      `\`transactions/started\` says that the payout was made. Send it again only if none comes: this service does not refuse a reference that it ` +
      `knows. ${newReference}`
    );
  return (
    `Keep the reference of a payout, and send that same reference again (${quote(reference)}) until an answer comes: 201 says that the payout is ` +
    "pending now, a 409 that an earlier request got through, and neither of them how it ends. Wait for the webhook that carries the reference, and " +
    `do not pay anew. ${newReference}`
  );
}
