import { quote } from "../../../kernel/text.js";
import { describeRequest, idInPath } from "../describe-request.js";
import { type Detector, nothing } from "./detector.js";

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
