import { quote } from "../../kernel/text.js";
import { describeRequest, idInPath, memberOf } from "./describe-request.js";
import { type Detector, nothing } from "./detector.js";
import { toXof } from "../../domain/values/money.js";
import { refundableOf } from "../../domain/model/charge.js";

/** "A refund asked beyond what was paid", or beyond what is left of it. A refund was refused, so the charge stands as it stood before. */
export function createRefundBeyondPaidDetector(): Detector {
  return {
    see(entry, scene) {
      if (entry.problem !== "refund_exceeds_paid" && entry.problem !== "charge_not_refundable") return nothing;
      const charge = scene.world.charges.get(idInPath(entry) ?? "");
      const amount = memberOf(entry.body, "amount");
      if (charge === undefined || typeof amount !== "number") return nothing;
      const left = toXof(refundableOf(charge));
      if (amount <= left) return nothing;
      const { id, externalId, paid, refunded } = charge;
      return [
        {
          key: `${id} ${amount}`,
          severity: "high",
          why:
            `A refund of ${amount} XOF was asked of the charge ${id} (externalId ${quote(externalId)}), of which ${toXof(paid)} XOF were paid and ` +
            `${toXof(refunded)} XOF refunded: at most ${left} XOF could go back. A client that asks for too much does not know what it owes; ` +
            "where nothing stops it, it gives away the business's own money.",
          fix:
            "Read the charge before a refund and ask for at most `paid` − `refunded`; leave `amount` out to refund what is left. After a lost " +
            "answer read it again before the refund is repeated: a refund has no reference that would make it count once.",
          requests: [describeRequest(entry, scene)],
        },
      ];
    },
  };
}

/** "Paying after the drop": the charge was dropped when it was asked to be paid. */
export function createPayAfterDropDetector(): Detector {
  return {
    see(entry, scene) {
      if (entry.problem !== "charge_not_payable" && entry.problem !== "charge_not_payable_conflict") return nothing;
      const charge = scene.world.charges.get(idInPath(entry) ?? "");
      if (charge?.status !== "dropped") return nothing;
      const { id, externalId, droppedReason } = charge;
      return [
        {
          key: id,
          severity: "high",
          why:
            `The charge ${id} (externalId ${quote(externalId)}) was to be paid after it had been dropped (${droppedReason ?? "no reason"}). A client ` +
            "that takes a dropped charge for one that is due waits for money that cannot come, or ships what nobody has paid.",
          fix:
            "Treat `dropped` as final: take it from the webhook of the charge, or read the charge before it is paid. For another try create a new " +
            "charge with an externalId of its own.",
          requests: [describeRequest(entry, scene)],
        },
      ];
    },
  };
}
