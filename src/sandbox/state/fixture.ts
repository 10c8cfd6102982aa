import * as z from "zod";
import { receiverUrl } from "../../contract/subscriptions.js";
import { chargeLifecycle, chargeTerms } from "../../domain/model/charge.js";
import { transferDescription, transferLifecycle, transferTerms } from "../../domain/model/transfer.js";
import type { RuleOrder } from "../../domain/rules/change-rules.js";
import { msisdn } from "../../domain/values/fields.js";
import type { Money } from "../../domain/values/money.js";
import { topicSpellings } from "../../domain/values/topic.js";
import { listOf, optional, report, text, wholeNumber, word } from "../../kernel/fields.js";
import type { Instant } from "../../kernel/time/instant.js";
import { statusesOf } from "../../kernel/records/lifecycle.js";
import type { AccessToken } from "./company-record.js";
import { amount, chargeId, createdAt, mapping, onObjects, transactionId } from "./file-fields.js";
import type { ProfileOverrides } from "../../domain/profile/settings.js";

/** The records that a company begins with, and returns to at a reset. */

const GENERATE_MAX = 10_000;

const notACustomer = "a customer such as { msisdn, firstName, lastName, kycStatus }, or { generate: 50 }";

const customer = mapping(
  {
    msisdn: msisdn.meta({ description: "The customer's phone number, in quotes" }),
    firstName: text("the customer's first name").meta({ description: "The customer's first name" }),
    lastName: text("the customer's last name").meta({ description: "The customer's last name" }),
    kycStatus: text("a status such as complete or incomplete")
      .default("complete")
      .meta({ description: "The state of the customer's identification: complete, or any other text for a problem" }),
  },
  notACustomer,
);

/** These customers are drawn when the file is used, because only then is the seed known. */
const generated = mapping(
  { generate: wholeNumber(1, GENERATE_MAX).meta({ description: "How many customers to generate" }) },
  "{ generate: 50 }",
);

const chargeFields = mapping(
  {
    id: chargeId.optional().meta({ description: "The id of the charge (default: generated)" }),
    ...chargeTerms,
    amount: amount.meta({ description: "The amount of the charge, in whole XOF" }),
    status: word(statusesOf(chargeLifecycle))
      .default("due")
      .meta({ description: "The status of the charge (default due)" }),
    refunded: optional(amount, "The refunded amount, in whole XOF; only with the status refunded_partially"),
    msisdn: optional(msisdn, "The phone number that paid, in quotes; only for a charge that was paid"),
    droppedReason: optional(
      text("why the charge was dropped"),
      "Why the charge was dropped; only with the status dropped",
    ),
    createdAt: optional(createdAt, "When the charge was created: ISO 8601, or -30m for 30 minutes before the start"),
    onCompletedRedirectionUrl: chargeTerms.onCompletedRedirectionUrl.default("https://shop.test/completed"),
    onCanceledRedirectionUrl: chargeTerms.onCanceledRedirectionUrl.default("https://shop.test/canceled"),
    metadata: chargeTerms.metadata.default(() => ({})),
  },
  "a charge such as { externalId, amount, description, status }",
);

export type ChargeFixture = z.output<typeof chargeFields>;

const charge = chargeFields.superRefine(checkCharge, onObjects);

function checkCharge(
  { status, amount, refunded, droppedReason, msisdn }: ChargeFixture,
  context: z.RefinementCtx,
): void {
  const refuse = (key: string, message: string): void => report(context, [key], message, { beside: true });
  if (status === "refunded_partially" && refunded === undefined) {
    refuse("refunded", "is missing: the status is refunded_partially");
  } else if (status !== "refunded_partially" && refunded !== undefined) {
    refuse("refunded", "is only for a charge whose status is refunded_partially");
  } else if (isAtLeast(refunded, amount)) {
    refuse("refunded", "must be less than the amount; when all of it was refunded the status is refunded");
  }
  if (droppedReason !== undefined && status !== "dropped") {
    refuse("droppedReason", "is only for a charge whose status is dropped");
  }
  if (msisdn !== undefined && (status === "due" || status === "dropped")) {
    refuse("msisdn", "says who paid, and is only for a charge that was paid");
  }
}

/** Each of these values may be anything if its own field refused it. */
function isAtLeast(given: Money | undefined, bound: Money): boolean {
  return typeof given === "number" && typeof bound === "number" && given >= bound;
}

const transaction = mapping(
  {
    id: transactionId
      .optional()
      .meta({ description: "The id of the transaction: a UUID, with or without txn_ (default: generated)" }),
    ...transferTerms,
    amount: amount.meta({ description: "The amount of the transfer, in whole XOF" }),
    type: optional(
      z.literal("transfer", { error: 'must be "transfer"' }),
      "The type of the transaction, always transfer",
    ),
    description: transferDescription.optional(),
    status: word(statusesOf(transferLifecycle)).meta({ description: "The status of the transaction" }),
    failureReason: optional(
      text("why the transaction failed"),
      "Why the transaction failed; only with the status failed",
    ),
    createdAt: optional(createdAt, "When the transfer was created: ISO 8601, or -30m for 30 minutes before the start"),
  },
  "a transaction such as { msisdn, amount, reference, status }",
).superRefine(({ status, failureReason }, context) => {
  if (failureReason === undefined || status === "failed") return;
  report(context, ["failureReason"], "is only for a transaction whose status is failed", { beside: true });
}, onObjects);

export type TransactionFixture = z.output<typeof transaction>;

const subscription = mapping(
  {
    topic: word(topicSpellings).meta({ description: "The topic, in the singular or plural spelling" }),
    url: receiverUrl.meta({ description: "The URL that the webhooks are sent to" }),
  },
  "a subscription such as { topic: charges/events, url }",
);

/** At the top of a fixtures file and in each of its companies. */
export const worldLists = {
  customers: listOf(z.union([customer, generated], { error: `must be ${notACustomer}` }), { of: "customers" })
    .default([])
    .meta({ description: "Customers whom the customer check knows, besides the test numbers" }),
  charges: listOf(charge, { of: "charges" })
    .default([])
    .meta({ description: "Charges that exist from the start, in any status" }),
  transactions: listOf(transaction, { of: "transactions" })
    .default([])
    .meta({ description: "Transfers that exist from the start, in any status" }),
  subscriptions: listOf(subscription, { of: "subscriptions" })
    .default([])
    .meta({ description: "Webhook subscriptions that exist from the start" }),
};

/** A world as a file describes it. */
export type WorldEntry = { readonly [List in keyof typeof worldLists]: Readonly<z.output<(typeof worldLists)[List]>> };

export type CustomerFixture = z.output<typeof customer>;
export type SubscriptionFixture = z.output<typeof subscription>;

/** A world whose generated customers have been drawn. Amounts are money, times are instants. */
export interface WorldFixture extends Omit<WorldEntry, "customers"> {
  readonly customers: readonly CustomerFixture[];
}

export const emptyFixture: WorldFixture = { customers: [], charges: [], transactions: [], subscriptions: [] };

export interface CompanySetup {
  readonly id: string;
  /** The name that customers know. */
  readonly name?: string | undefined;
  readonly tokens: readonly AccessToken[];
  readonly secretKey: string;
  readonly balance: Money;
  /** The time of a frozen clock; undefined when the clock runs. */
  readonly frozenAt: Instant | undefined;
  /** The start of a running clock; undefined for real time. */
  readonly runsFrom?: Instant | undefined;
  readonly profile: ProfileOverrides;
  readonly fixtures: readonly WorldFixture[];
  /** Rules from the start. Later ones win. */
  readonly rules?: readonly RuleOrder[] | undefined;
  /** Opened by `--auto-provision`: it may be removed when there are too many. */
  readonly openedByToken?: boolean;
  /** Opened by a replay, which only an administrator starts: with tenancy its receivers need no permission of the operator. */
  readonly ofScenario?: boolean;
}
