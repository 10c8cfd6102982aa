import { absoluteUrl, text } from "../../kernel/fields.js";
import { metadata, msisdn } from "../../domain/fields.js";
import * as z from "zod";
import type { Money } from "../../domain/accounts/money.js";
import type { ChargeStatus } from "../../domain/charges/charge.js";
import type { TransferStatus } from "../../domain/transfers/transfer.js";
import { topicSpellings } from "../../domain/subscriptions/topic.js";
import type { ChargeFixture, CustomerFixture, SubscriptionFixture, TransactionFixture } from "../state/fixture.js";
import { amount, chargeId, createdAt, listOf, object, report, transactionId, wholeNumber, word } from "./fields.js";

/** What a file says of a world. */
export interface WorldEntry {
  readonly customers: readonly (CustomerFixture | GeneratedCustomers)[];
  readonly charges: readonly ChargeFixture[];
  readonly transactions: readonly TransactionFixture[];
  readonly subscriptions: readonly SubscriptionFixture[];
}

/** Persons who are drawn when the file is put to use: only then the seed is known. */
export interface GeneratedCustomers {
  readonly generate: number;
}

const GENERATE_MAX = 10_000;

const notACustomer = "a customer such as { msisdn, firstName, lastName, kycStatus }, or { generate: 50 }";

const person: z.ZodType<CustomerFixture> = object(
  {
    msisdn: msisdn.meta({ description: "A phone number, in quotes" }),
    firstName: text("the customer's first name").meta({ description: "The customer's first name" }),
    lastName: text("the customer's last name").meta({ description: "The customer's last name" }),
    kycStatus: text("a status such as complete or incomplete")
      .default("complete")
      .meta({ description: "complete means validated; any other value a problem of identification" }),
  },
  notACustomer,
);

const generated: z.ZodType<GeneratedCustomers> = object(
  { generate: wholeNumber(1, GENERATE_MAX).meta({ description: "So many persons with made-up names" }) },
  "{ generate: 50 }",
);

const chargeStatuses = ["due", "paid", "refunded_partially", "refunded", "dropped"] as const satisfies ChargeStatus[];

const charge: z.ZodType<ChargeFixture> = object(
  {
    id: chargeId.optional().meta({ description: "Without one it is made up" }),
    externalId: text("the caller's reference").meta({ description: "The caller's reference, unique" }),
    amount: amount.meta({ description: "Whole XOF" }),
    description: text("the purpose of the payment").meta({ description: "The purpose of the payment" }),
    status: word<ChargeStatus>(chargeStatuses).default("due").meta({ description: "Where its life stands" }),
    refunded: amount
      .optional()
      .meta({ description: "What was given back, in XOF: only of a charge that is refunded_partially" }),
    msisdn: msisdn.optional().meta({ description: "Who paid" }),
    droppedReason: text("why the charge was dropped")
      .optional()
      .meta({ description: "Only of a charge that is dropped" }),
    createdAt: createdAt.optional().meta({ description: "ISO 8601, or so long before the company begins: -30m" }),
    onCompletedRedirectionUrl: absoluteUrl
      .default("https://shop.test/completed")
      .meta({ description: "Where the customer is sent after a payment" }),
    onCanceledRedirectionUrl: absoluteUrl
      .default("https://shop.test/canceled")
      .meta({ description: "Where the customer is sent after a cancelled payment" }),
    metadata: metadata.default(() => ({})).meta({ description: "Free-form data, returned as it is" }),
  },
  "a charge such as { externalId, amount, description, status }",
).superRefine(checkCharge, { when: hasMembers });

/** What no field can see by itself. */
function checkCharge(
  { status, amount, refunded, droppedReason, msisdn }: ChargeFixture,
  context: z.RefinementCtx,
): void {
  const refuse = (key: string, message: string): void => report(context, [key], message, { beside: true });
  if (status === "refunded_partially" && refunded === undefined) {
    refuse("refunded", "is missing: what was given back, because the status is refunded_partially");
  } else if (status !== "refunded_partially" && refunded !== undefined) {
    refuse("refunded", "is only for a charge whose status is refunded_partially");
  } else if (isAtLeast(refunded, amount)) {
    refuse("refunded", "must be less than the amount; when all of it was given back the status is refunded");
  }
  if (droppedReason !== undefined && status !== "dropped") {
    refuse("droppedReason", "is only for a charge whose status is dropped");
  }
  if (msisdn !== undefined && (status === "due" || status === "dropped")) {
    refuse("msisdn", "says who paid, and is only for a charge that was paid");
  }
}

/** Either may be anything that its own field refused. */
function isAtLeast(given: Money | undefined, bound: Money): boolean {
  return typeof given === "number" && typeof bound === "number" && given >= bound;
}

const transferStatuses = ["completed", "failed", "pending"] as const satisfies TransferStatus[];

const transaction: z.ZodType<TransactionFixture> = object(
  {
    id: transactionId.optional().meta({ description: "A UUID, with or without txn_; without one it is made up" }),
    msisdn: msisdn.meta({ description: "A phone number, in quotes" }),
    amount: amount.meta({ description: "Whole XOF" }),
    reference: text("the caller's reference").meta({ description: "The caller's reference, unique" }),
    type: z
      .literal("transfer", { error: 'must be "transfer"' })
      .optional()
      .meta({ description: "As requests have it; there is no other" }),
    description: text("the caller's description").optional().meta({ description: "The caller's description" }),
    status: word<TransferStatus>(transferStatuses).meta({ description: "Where its life stands" }),
    failureReason: text("why the transaction failed")
      .optional()
      .meta({ description: "Only of a transaction that is failed" }),
    createdAt: createdAt.optional().meta({ description: "ISO 8601, or so long before the company begins: -30m" }),
  },
  "a transaction such as { msisdn, amount, reference, status }",
).superRefine(
  ({ status, failureReason }, context) => {
    if (failureReason === undefined || status === "failed") return;
    report(context, ["failureReason"], "is only for a transaction whose status is failed", { beside: true });
  },
  { when: hasMembers },
);

const subscription: z.ZodType<SubscriptionFixture> = object(
  {
    topic: word(topicSpellings).meta({ description: "In either spelling" }),
    url: absoluteUrl.meta({ description: "The receiving endpoint" }),
  },
  "a subscription such as { topic: charges/events, url }",
);

/** The lists of a world, at the top of a fixtures file and in each of its companies. */
export const worldLists = {
  customers: listOf<CustomerFixture | GeneratedCustomers>(
    z.union([person, generated], { error: `must be ${notACustomer}` }),
    "customers",
  )
    .default([])
    .meta({ description: "Persons whom the customer check knows, beside the test numbers" }),
  charges: listOf(charge, "charges").default([]).meta({ description: "Charges in any state" }),
  transactions: listOf(transaction, "transactions").default([]).meta({ description: "Transfers in any state" }),
  subscriptions: listOf(subscription, "subscriptions").default([]).meta({ description: "Where webhooks go" }),
};

function hasMembers({ value }: { readonly value: unknown }): boolean {
  return typeof value === "object" && value !== null;
}
