import { unknownMembers } from "../../contract/charges.js";
import type { Profile } from "../../domain/profile/profile.js";
import { quote } from "../../kernel/messages/text.js";
import { type Detector, describeRequest } from "./detector.js";
import type { JournalEntry } from "../observation/journal.js";

const NAMES_MAX = 5;

/** A body of pay or refund with members, but without the one that the sandbox knows. Once for each operation and set of members. */
export const unknownBody: Detector = {
  see(entry, scene) {
    const known = knownMember(entry.operation, scene.profile);
    if (known === undefined || entry.problem === "invalid_request") return [];
    const names = unknownMembers(entry.body, known.name)
      .slice(0, NAMES_MAX)
      .map((name) => quote(name));
    if (names.length === 0) return [];
    const why =
      `${entry.id} was sent a body with ${names.join(", ")} and without ${quote(known.name)}, so it counted as no body: ${known.meaning}. ` +
      "The contract does not show this body, so the client may move the wrong amount of money, or test nothing.";
    return [{ key: `${entry.operation} ${names.join(" ")}`, why, requests: [describeRequest(entry, scene)] }];
  },
};

function knownMember(operation: JournalEntry["operation"], { charges, refunds }: Profile) {
  if (operation === "payCharge") return { name: charges.payField, meaning: "the number of success pays" };
  if (operation === "refundCharge") return { name: refunds.amountField, meaning: "all that is left is refunded" };
  return undefined;
}
