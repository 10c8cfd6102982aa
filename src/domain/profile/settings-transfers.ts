import * as z from "zod";
import { choice, setting } from "./setting.js";
import { decimal, duration, object, wholeNumber } from "../../kernel/fields.js";
import { settingText } from "./setting-kinds.js";

/** The largest bound of an amount, in XOF. Even with a fee of 100 %, its sums are still exact. */
const AMOUNT_BOUND_MAX = 100_000_000_000;

export function amountBound(
  summary: string,
  chosen: number,
  samples: readonly number[],
  effect: string,
  question: string,
  contract: string,
) {
  return setting({
    summary,
    default: chosen,
    alternatives: [{ value: "a number of XOF", form: true, samples, effect }],
    question,
    contract,
    schema: wholeNumber(1, AMOUNT_BOUND_MAX, "XOF"),
  });
}

/** Money out: transfers to one or many wallets. */
export const transferSettings = {
  /** The smallest amount, XOF, inclusive; batch items obey the same. Default 5000. */
  min: amountBound(
    "The smallest amount of a transfer, inclusive; items of a batch obey the same.",
    5000,
    [1000, 10_000],
    "Less than that is 400.",
    "Is 5000 XOF the smallest amount of a transfer, itself allowed, and is it that of a batch's items too?",
    "Range 5.000 to 500.000 as stated.",
  ),
  /** The largest amount, XOF, inclusive. Default 500 000. */
  max: amountBound(
    "The largest amount of a transfer, inclusive; items of a batch obey the same.",
    500_000,
    [100_000, 1_000_000],
    "More than that is 400.",
    "Is 500000 XOF the largest amount of a transfer, itself allowed, and is it that of a batch's items too?",
    "Range 5.000 to 500.000 as stated.",
  ),
  /** amount × `rate` + `fixed` (XOF), rounded to `decimals`. Default `{ rate: 0.01, fixed: 0, decimals: 2 }`, also for members that are not given. */
  fee: setting({
    summary:
      "The fee of a transfer: amount × rate + fixed, rounded half up to the given decimals: 5050 XOF has a " +
      "fee of 50.5.",
    default: { rate: 0.01, fixed: 0, decimals: 2 },
    alternatives: [
      {
        value: "{rate, fixed, decimals} with a fraction from 0 to 1, an amount of XOF, and 0 to 4 decimals",
        samples: [{ rate: 0.02 }],
        form: true,
        effect: "The fee follows these members. Each has a default.",
      },
      { value: { rate: 0 }, effect: "Transfers are free." },
    ],
    question: "What does a transfer cost, and to how many decimals is the fee rounded?",
    contract:
      "Integers appear for requests and most responses; a decimal (for example a fee with a fractional part) " +
      "appears in a webhook payload. Unit and decimal precision: not shown.",
    partial: true,
    schema: object(
      {
        rate: decimal(1).default(0.01),
        fixed: decimal(1_000_000_000, 4).default(0),
        decimals: wholeNumber(0, 4).default(2),
      },
      "an object with rate, fixed and decimals",
    ),
  }),
  /** When a transfer becomes final. Default `{ after: "2s" }` on the company's clock; `{ polls: n }` on its n-th GET; `manual` by the control API. */
  settlement: setting({
    summary: "When a pending transfer becomes final: by default two seconds later, on the company's clock.",
    default: { after: "2s" },
    alternatives: [
      {
        value: "{after} with a duration",
        form: true,
        samples: [{ after: "1m" }],
        effect: "It becomes final that long after its creation.",
      },
      { value: "immediate", effect: "As soon as it is created; the creation still answers `pending`." },
      { value: "{polls} with a whole number n", form: true, samples: [{ polls: 3 }], effect: "On the n-th GET of it." },
      { value: "manual", effect: "Only when the control API completes or fails it." },
    ],
    question: "How long does a transfer stay `pending`, and can it stay so for ever?",
    contract: "States: `pending`, `completed`, `failed`. Transitions: not shown.",
    schema: settlement(),
  }),
  /** What happens to a transfer whose reference is taken. Default `conflict`: 409. */
  duplicateReference: choice({
    summary:
      "What happens to a transfer under a reference that is taken: by default 409, in a batch too, whatever became " +
      "of the first.",
    default: "conflict",
    alternatives: [{ value: "allow", effect: "It is a transfer like any other." }],
    question: "Does a reference make a transfer count once, and does it stay taken after a failure?",
    contract: "Error statuses for the transfer, batch, customer check, balance and webhook endpoints: not shown.",
  }),
  /** What happens to a transfer that the balance does not cover. Default `reject`: 422, nothing stored. `fail`: accepted, then failed. */
  insufficientBalance: choice({
    summary: "What happens to a transfer that the balance does not cover: by default 422, and nothing is stored.",
    default: "reject",
    alternatives: [{ value: "fail", effect: "It is accepted as `pending`, then fails with `insufficient_balance`." }],
    question: "What happens to a transfer that the balance does not cover?",
    contract: "Error statuses for the transfer, batch, customer check, balance and webhook endpoints: not shown.",
  }),
  /** What happens to a transfer to a number that the customer check calls `unknown`. Default `accept`; `reject` is 422; `fail`: accepted, then failed. */
  unknownRecipient: choice({
    summary:
      "What happens to a transfer to a number that the customer check calls `unknown`: by default it is a transfer " +
      "like any other.",
    default: "accept",
    alternatives: [
      { value: "reject", effect: "It is refused with 422, a batch as a whole." },
      { value: "fail", effect: "It is accepted as `pending`, then fails with `recipient_unreachable`." },
    ],
    question: "What happens to a transfer to a number that has no account?",
    contract: "`unknown` is returned when the user is not found.",
  }),
  /** When the balance pays for a transfer. Default `at-creation`, given back if the transfer fails. */
  debit: choice({
    summary: "When the balance pays for a transfer: by default at its creation, given back if it fails.",
    default: "at-creation",
    alternatives: [{ value: "on-completion", effect: "When it is completed; a failed one never touches the balance." }],
    question: "When does a transfer leave the balance, and when is it given back?",
    contract: "Transfers: the business debits its account and credits one or many wallet users.",
  }),
  /** The ids in webhooks. Default `plain`: without `txn_` and `bat_`. */
  webhookId: choice({
    summary: "The ids in a transfer's webhooks: by default the plain UUID, without `txn_` and `bat_`.",
    default: "plain",
    alternatives: [{ value: "prefixed", effect: "`txn_…` and `bat_…`, as in responses." }],
    question: "Do webhooks carry the ids of transfers and batches without their prefixes?",
    contract: "Shape: prefix `txn_` followed by a UUID in transfer responses; a plain UUID in a webhook payload.",
  }),
};

export const batchSettings = {
  /** How many transfers a batch may have. Default 500. */
  maxItems: setting({
    summary: "How many transfers a batch may have: more of them, or none, is 400.",
    default: 500,
    alternatives: [
      {
        value: "a whole number from 1 to 10000",
        form: true,
        samples: [2, 1000],
        effect: "A batch has at most that many.",
      },
    ],
    question: "How many transfers may a batch have?",
    contract: "Batch size limit: not shown.",
    schema: wholeNumber(1, 10_000),
  }),
  /** Whether an item must carry `type`. Default `optional`. */
  itemType: choice({
    summary: "Whether an item of a batch must carry `type`: by default it need not, and is `transfer` if it does.",
    default: "optional",
    alternatives: [{ value: "required", effect: "An item without it refuses the batch with 400." }],
    question: "Must each item of a batch carry `type`?",
    contract: "the per-item type is not given in the example; only type `transfer` is allowed for batches",
  }),
  /** Whether `totalAmount` of a batch includes the fees. Default `with-fees`. */
  totalAmount: choice({
    summary: "The `totalAmount` of a batch: by default with the fees, as that of a transaction.",
    default: "with-fees",
    alternatives: [{ value: "without-fees", effect: "The sum of the amounts; the fees are in `totalFee` alone." }],
    question: "Does `totalAmount` of a batch include the fees?",
    contract: "Total for the batch.",
  }),
  /** The status of a batch once all of its transactions are final. Only the control API shows it. Default `completed`. */
  finalStatus: setting({
    summary: "The status of a batch once every transaction of it is final, seen in the control API only.",
    default: "completed",
    alternatives: [{ value: "text", form: true, samples: ["finished"], effect: "That status." }],
    question: "Which status does a batch have once all of its transactions are final?",
    contract: "Other states and transitions: not shown.",
    schema: settingText(),
  }),
};

function settlement() {
  const forms = '"immediate", "manual", {after: duration} or {polls: number}';
  const error = `must be ${forms}`;
  return z.union(
    [
      z.literal(["immediate", "manual"], { error }).transform((kind) => ({ kind })),
      object({ after: duration() }, forms).transform(({ after }) => ({ kind: "after" as const, afterMs: after })),
      object({ polls: wholeNumber(1, 1_000_000) }, forms).transform(({ polls }) => ({
        kind: "polls" as const,
        polls,
      })),
    ],
    { error },
  );
}
