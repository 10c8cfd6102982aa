import { refundableOf } from "../../domain/model/charge.js";
import { toXof } from "../../domain/values/money.js";
import { quote } from "../../kernel/text.js";
import { describeRequest, idInPath, memberOf } from "./describe-request.js";
import type { Detector } from "./detector.js";

/** "A refund asked beyond what was paid", or beyond what is left of it. The refund was refused, so the charge is as it was before. */
export function createRefundBeyondPaidDetector(): Detector {
  return {
    see(entry, scene) {
      if (entry.problem !== "refund_exceeds_paid" && entry.problem !== "charge_not_refundable") return [];
      const charge = scene.world.charges.get(idInPath(entry) ?? "");
      const amount = memberOf(entry.body, "amount");
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
}

/** "Paying after the drop" */
export function createPayAfterDropDetector(): Detector {
  return {
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
}
