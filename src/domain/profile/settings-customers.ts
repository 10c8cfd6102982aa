import * as z from "zod";
import { isMsisdn } from "../values/msisdn.js";
import { choice, setting } from "./setting.js";

/** What the sandbox knows about phone numbers. */
export const customerSettings = {
  /** What the check answers for a number that is not registered. Default `unknown`; `generated` is a made-up person. */
  unlisted: choice({
    summary:
      "What the customer check says of a number that no fixture and no control call has named: by default `unknown`.",
    default: "unknown",
    alternatives: [
      { value: "generated", effect: "A validated person with a made-up name, the same for the same number and seed." },
    ],
    question: "What does the customer check answer for a number that has no account?",
    contract:
      "A user that is not found is answered with the `unknown` values, not with an error status in the material shown.",
  }),
  /** What the customer check does with `subCompanyId`. Default `accepted`, without effect; `refused` is 400. */
  subCompanyId: choice({
    summary: "What the customer check does with `subCompanyId`: by default it is accepted, without effect.",
    default: "accepted",
    alternatives: [{ value: "refused", effect: "It is 400." }],
    question: "What does `subCompanyId` change in the answer, and what is the answer to a wrong one?",
    contract: "`subCompanyId` (String, optional; id of a sub company)",
  }),
};

const reserved =
  "Reserved test phone numbers exist: one simulates a successful outcome (`completed` for transfers, `paid` for " +
  "charge payment), one simulates `failed`. Their values are not carried in this document.";
const added = "Not in the contract: it reserves no number for this.";

/** Phone numbers that decide the outcome of a transfer, a payment or a check. Each is named after its outcome. */
export const testNumberSettings = {
  success: testNumber("+2250700000001", reserved, "Transfers to it complete; payments from it succeed."),
  failure: testNumber(
    "+2250700000002",
    reserved,
    "Transfers to it fail with `recipient_unreachable`, payments from it with `payment_declined`.",
  ),
  pending: testNumber(
    "+2250700000003",
    added,
    "Transfers to it stay pending forever; payments from it fail with `timeout`.",
  ),
  late: testNumber("+2250700000004", added, "Transfers to it complete 10 minutes late; payments from it succeed."),
  silent: testNumber(
    "+2250700000005",
    added,
    "Transfers to it complete and payments from it succeed, but no webhook of them is sent.",
  ),
  limit: testNumber(
    "+2250700000006",
    added,
    "Transfers to it fail with `limit_exceeded`, payments from it with `insufficient_funds`.",
  ),
  refused: testNumber(
    "+2250700000007",
    added,
    "Transfers to it and payments from it are refused at once with 422, a batch as a whole; its customer check says " +
      "`unknown`.",
  ),
  unverified: testNumber(
    "+2250700000008",
    added,
    "Transfers to it and payments from it fail with `identity_not_verified`; its customer check says `incomplete`.",
  ),
  confirming: testNumber(
    "+2250700000009",
    added,
    "Transfers to it complete; a payment from it is confirmed on the phone after 30 s of the company's clock.",
  ),
};

function testNumber(number: string, contract: string, summary: string) {
  const question =
    contract === reserved
      ? "Which numbers are the two reserved ones?"
      : "Which other numbers are reserved, and what do they simulate?";
  const error = "must be a phone number in quotes: 8 to 15 digits after an optional + or 00";
  return setting({
    summary,
    default: number,
    alternatives: [
      {
        value: "a phone number in quotes",
        form: true,
        samples: ["+2250799999999"],
        effect: "That number plays the role instead.",
      },
    ],
    question,
    contract,
    schema: z.string({ error }).refine(isMsisdn, { error }),
  });
}
