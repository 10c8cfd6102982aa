import { quote } from "../../kernel/messages/text.js";
import { type Detector, describeCause, describeRequest, idInPath, memberOf } from "./detector.js";
import { shownDeliveryResource } from "../../domain/model/delivery.js";
import { refundableOf } from "../../domain/model/charge.js";
import { toXof } from "../../domain/values/money.js";

const refusals: ReadonlySet<unknown> = new Set(["refund_exceeds_paid", "refund_exceeds_left", "charge_not_refundable"]);

/** "A refund asked beyond what was paid", or beyond what is left of it. The refund was refused, so the charge is as it was before. */
export const refundBeyondPaid: Detector = {
  see(entry, scene) {
    if (!refusals.has(entry.problem)) return [];
    const charge = scene.world.charges.get(idInPath(entry) ?? "");
    const amount = memberOf(entry.body, scene.profile.refunds.amountField);
    if (charge === undefined || typeof amount !== "number") return [];
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
    const charge = scene.world.charges.get(idInPath(entry) ?? "");
    if (charge?.status !== "dropped") return [];
    const { id, externalId, droppedReason } = charge;
    const why =
      `The charge ${id} (externalId ${quote(externalId)}) was to be paid after it had been dropped (${droppedReason ?? "no reason"}). A client ` +
      "that takes a dropped charge for one that is due waits for money that cannot come, or ships what nobody has paid.";
    return [{ key: id, why, requests: [describeRequest(entry, scene)] }];
  },
};

/** "An acknowledgement slower than 5 s": real time, ms. */
const SLOW_ACKNOWLEDGEMENT_MS = 5_000;

/** Once for each receiving URL. A time-out counts as a slow acknowledgement. */
export const webhookSlow: Detector = {
  attempted({ latencyMs, status }, delivery, scene) {
    if (latencyMs <= SLOW_ACKNOWLEDGEMENT_MS) return [];
    const { id, topic, url } = delivery;
    const seconds = (latencyMs / 1000).toFixed(1);
    const what = status === null ? `was not acknowledged within ${seconds} s` : `was acknowledged after ${seconds} s`;
    const why =
      `The webhook ${topic} of ${shownDeliveryResource(delivery)} to ${url} ${what} (delivery ${id}); ${SLOW_ACKNOWLEDGEMENT_MS / 1000} s is too ` +
      "slow. A service that gives up earlier counts it as failed and sends it again, so that the same event is worked on twice, at once.";
    return [{ key: url, why, requests: describeCause(delivery, scene) }];
  },
};

/** "A webhook never acknowledged after all retries." A receiver is right to refuse a delivery that a rule has forged or cut. */
export const webhookUnacknowledged: Detector = {
  attempted({ error }, delivery, scene) {
    if (delivery.status !== "exhausted" || delivery.effect !== null) return [];
    const { id, topic, url, attempts } = delivery;
    const tries = attempts.length === 1 ? "one attempt" : `all ${attempts.length} attempts`;
    const why =
      `The webhook ${topic} of ${shownDeliveryResource(delivery)} to ${url} was never acknowledged: ${tries} failed, the last with ` +
      `${quote(error ?? "no error")} (delivery ${id}). Nobody will tell the client of this event again; its books now differ from the account.`;
    return [{ key: id, why, requests: describeCause(delivery, scene) }];
  },
};
