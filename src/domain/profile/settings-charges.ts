import { choice, setting } from "./setting.js";
import { decimal, duration, object, oneOf, wholeNumber } from "../../kernel/fields.js";
import { memberName, settingText } from "./setting-kinds.js";
import { amountBound } from "./settings-transfers.js";

/** Money in: charges and refunds. */
export const chargeSettings = {
  /** The smallest amount, XOF, inclusive. Default 1. */
  min: amountBound(
    "The smallest amount of a charge, inclusive.",
    1,
    [1000],
    "Less than that is 400.",
    "What is the smallest amount of a charge?",
    "Charge amount bounds: not shown.",
  ),
  /** The largest amount, XOF, inclusive. Default 200 000 000. */
  max: amountBound(
    "The largest amount of a charge, inclusive.",
    200_000_000,
    [500_000],
    "More than that is 400.",
    "What is the largest amount of a charge?",
    "Charge amount bounds: not shown.",
  ),
  /** How long after its creation an unpaid charge is dropped, on the company's clock. Default `1h`. */
  ttl: setting({
    summary: "How long after its creation an unpaid charge is dropped, on the company's clock.",
    default: "1h",
    alternatives: [
      { value: "a duration", form: true, samples: ["30m", "2h"], effect: "A charge is dropped after that time." },
    ],
    question: "Is a charge dropped exactly one hour after its creation?",
    contract: "1 hour after creation, then automatically `dropped`",
    schema: duration(1),
  }),
  /** The member of pay's body that names the phone number. Default `msisdn`. */
  payField: fieldName(
    "The member of pay's body that carries the phone number that pays.",
    "msisdn",
    "Which body does pay take, and what does it do without one?",
    "The request body that carries the simulated phone number: not shown.",
  ),
  /** `createdAt` in the creation answer. Default `compact`: `20250128T083908.249Z`. */
  createdAtFormat: choice({
    summary: "How the creation response writes `createdAt`: by default compactly, `20250128T083908.249Z`.",
    default: "compact",
    alternatives: [{ value: "iso", effect: "`2025-01-28T08:39:08.249Z`, as everywhere else." }],
    question: "Is `createdAt` compact in the creation response only?",
    contract:
      "The charge creation response shows a compact form (date and time without separators, with milliseconds and Z).",
  }),
  /** The status in the creation answer. Default `created`, although a GET right after it shows `due`. */
  creationStatus: choice({
    summary: "The status in the creation response: by default `created`, though a GET right after shows `due`.",
    default: "created",
    alternatives: [{ value: "due", effect: "The creation response shows `due` too." }],
    question: "Does the creation response of a charge show `created`, and a GET right after `due`?",
    contract: "`created` in the response, then `due` per the lifecycle",
  }),
  /** amount × `rate`, rounded to `decimals`. Default `{ rate: 0.01, decimals: 0, credit: "full" }`: shown in `fees`, and the account is credited in full. */
  fee: setting({
    summary:
      "The fee shown in `fees`: amount × rate, rounded to the given decimals; by default the account is credited in " +
      "full all the same.",
    default: { rate: 0.01, decimals: 0, credit: "full" },
    alternatives: [
      {
        value: "{rate, decimals, credit} with a fraction from 0 to 1, 0 to 4 decimals, and full or net",
        samples: [{ rate: 0.02 }],
        form: true,
        effect: "The fee follows these members. Each has a default.",
      },
      { value: { credit: "net" }, effect: "The account is credited with the amount less the fee." },
    ],
    question:
      "What is the unit of `fees.rate`, how is `fees.value` rounded, and is the account credited with the full amount?",
    contract: "Unit of rate and the rule for value: not shown.",
    partial: true,
    schema: object(
      {
        rate: decimal(1).default(0.01),
        decimals: wholeNumber(0, 4).default(0),
        credit: oneOf("full", "net").default("full"),
      },
      "an object with rate, decimals and credit",
    ),
  }),
  /** What a failed payment does to a charge. Default `stay`: it is still `due`, with one attempt more. */
  failedAttempt: choice({
    summary:
      "What a failed payment does to a charge. By default it stays `due` with one attempt more and a `failed` " +
      "entry, and no event is sent.",
    default: "stay",
    alternatives: [{ value: "drop", effect: "The charge becomes `dropped`." }],
    question: "Does a charge stay `due` after a failed payment, and is a webhook sent?",
    contract: "The effect of a failed payment attempt on the charge state: not shown.",
  }),
  /** Where `webRedirectionUrl` leads after an attempt that did not pay. Default `canceled`. */
  failedRedirection: choice({
    summary:
      "Where `webRedirectionUrl` leads after an attempt that did not pay: by default to `onCanceledRedirectionUrl`.",
    default: "canceled",
    alternatives: [{ value: "completed", effect: "It leads to `onCompletedRedirectionUrl`, paid or not." }],
    question: "To which of its two URLs is a customer sent after a payment that failed?",
    contract: "Present in the staging pay response.",
  }),
  /** The reason of a charge that was not paid in time. Default `expired`. */
  droppedReason: setting({
    summary: "The `droppedReason` of a charge that nobody paid in time.",
    default: "expired",
    alternatives: [{ value: "text", form: true, samples: ["another reason"], effect: "That reason." }],
    question: "Which values can `droppedReason` have?",
    contract: "Present in pay and refund responses; null in the examples. Values: not shown.",
    schema: settingText(),
  }),
  /** The status of paying a charge that is not due. Default 422. */
  payNotDue: choice({
    summary: "The status of paying a charge that is not due: paid already, dropped or refunded.",
    default: 422,
    alternatives: [{ value: 409, effect: "It is a conflict." }],
    question: "What is the answer to a payment of a charge that is dropped, paid or refunded: 409 or 422?",
    contract: "Moves out of `dropped`, `refunded` and `refunded_partially`: not shown.",
  }),
  /** Whether the staging-only `POST /v1/charges/:id/pay` exists. `absent`: 404, as in production. */
  payEndpoint: choice({
    summary: "Whether the staging-only POST /v1/charges/:id/pay is there.",
    default: "present",
    alternatives: [{ value: "absent", effect: "It is 404, as in production." }],
    question: "What does the pay endpoint answer in production?",
    contract: "Simulates payment of the charge. Not usable in production.",
  }),
  /** What a GET shows for a charge refunded in part; webhooks always say `refunded_partially`. Default `refunded_partially`. */
  partialStatusOnRead: choice({
    summary:
      "The status that a GET shows of a charge refunded in part; the answer to the refund and webhooks always say " +
      "`refunded_partially`.",
    default: "refunded_partially",
    alternatives: [
      { value: "refunded", effect: "It reads as `refunded`." },
      { value: "paid", effect: "It reads as `paid`." },
    ],
    question: "Which status does a GET show of a charge refunded in part?",
    contract: "Status is one of `due`, `paid`, `refunded`, `dropped`.",
  }),
  /** Whether a GET shows `paymentUrl`. Default false. */
  paymentUrlOnRead: choice({
    summary: "Whether a GET shows `paymentUrl`: by default only the creation response does.",
    default: false,
    alternatives: [{ value: true, effect: "A GET shows it too." }],
    question: "Does a GET show `paymentUrl`?",
    contract: "Present in the creation response; the link the customer uses to pay.",
  }),
  /** The label of entries in `transactions`. Default `wallet`. */
  service: setting({
    summary: "The `service` label of the entries in a charge's `transactions`.",
    default: "wallet",
    alternatives: [{ value: "text", form: true, samples: ["another label"], effect: "That label." }],
    question: "Which values can `service` have?",
    contract: "treat as an opaque string",
    schema: settingText(),
  }),
};

export const refundSettings = {
  /** The member of refund's body that names the amount. Default `amount`. */
  amountField: fieldName(
    "The member of refund's body that carries the amount; without it everything that is left is refunded.",
    "amount",
    "Which body does refund take, and what does it do without one?",
    "The exact request body format: not shown.",
  ),
  /** The status of a refund of more than is left, but not more than was paid. Default 400. */
  aboveLeft: choice({
    summary:
      "The status of a refund of more than is left of a charge that was refunded in part; more than was paid is " +
      "always 400.",
    default: 400,
    alternatives: [{ value: 422, effect: "It is an error of the charge's state." }],
    question: "What is the answer to a second refund of more than is left, but not more than was paid: 400 or 422?",
    contract: "Refund amount invalid (greater than the amount paid).",
  }),
  /** Whether a charge can be refunded again after a partial refund. Default `allowed`, until the paid amount is used up. */
  further: choice({
    summary:
      "Whether a charge can be refunded again after a partial refund. By default it is allowed until the paid amount is used up, " +
      "then the charge is `refunded`.",
    default: "allowed",
    alternatives: [{ value: "refused", effect: "A charge is refunded once: the second is 422." }],
    question: "Can a charge that was refunded in part be refunded again?",
    contract: "Moves out of `dropped`, `refunded` and `refunded_partially`: not shown.",
  }),
  /** What happens to a refund that the balance does not cover. Default `allow`; `reject` is 422. */
  insufficientBalance: choice({
    summary: "What happens to a refund that the balance does not cover: by default it is made anyway.",
    default: "allow",
    alternatives: [{ value: "reject", effect: "It is 422." }],
    question: "What happens to a refund that the balance does not cover?",
    contract: "A paid charge can be refunded in full or in part.",
  }),
};

/** One setting for the bodies of pay and refund, without a group. */
export const unknownBodySetting = choice({
  summary:
    "How pay and refund treat a body without the member that `charges.payField` or " +
    "`refunds.amountField` names. By default it counts as no body, and is the finding `unknown-body`.",
  default: "report",
  alternatives: [{ value: "reject", effect: "It is 400." }],
  question: "What do pay and refund answer to a body with other members than they know?",
  contract: "The exact request body format: not shown.",
});

function fieldName(summary: string, name: string, question: string, contract: string) {
  return setting({
    summary,
    default: name,
    alternatives: [{ value: "a name", form: true, samples: ["otherName"], effect: "The member of that name." }],
    question,
    contract,
    schema: memberName(),
  });
}
