import * as z from "zod";
import { absoluteUrl, metadata, msisdn, text } from "../../contract/fields.js";
import type { Money } from "../../domain/accounts/money.js";
import type { ChargeStatus } from "../../domain/charges/charge.js";
import type { TransferStatus } from "../../domain/transfers/transfer.js";
import { topicSpellings } from "../../domain/subscriptions/topic.js";
import type { ChargeFixture, CustomerFixture, SubscriptionFixture, TransactionFixture } from "../fixture.js";
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
    msisdn,
    firstName: text("the customer's first name"),
    lastName: text("the customer's last name"),
    kycStatus: text("a status such as complete or incomplete").default("complete"),
  },
  notACustomer,
);

const generated: z.ZodType<GeneratedCustomers> = object({ generate: wholeNumber(1, GENERATE_MAX) }, "{ generate: 50 }");

const chargeStatuses = ["due", "paid", "refunded_partially", "refunded", "dropped"] as const satisfies ChargeStatus[];

const charge: z.ZodType<ChargeFixture> = object(
  {
    id: chargeId.optional(),
    externalId: text("the caller's reference"),
    amount,
    description: text("the purpose of the payment"),
    status: word<ChargeStatus>(chargeStatuses),
    refunded: amount.optional(),
    msisdn: msisdn.optional(),
    droppedReason: text("why the charge was dropped").optional(),
    createdAt: createdAt.optional(),
    onCompletedRedirectionUrl: absoluteUrl.default("https://shop.test/completed"),
    onCanceledRedirectionUrl: absoluteUrl.default("https://shop.test/canceled"),
    metadata: metadata.default(() => ({})),
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
    id: transactionId.optional(),
    msisdn,
    amount,
    reference: text("the caller's reference"),
    description: text("the caller's description").optional(),
    status: word<TransferStatus>(transferStatuses),
    failureReason: text("why the transaction failed").optional(),
    createdAt: createdAt.optional(),
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
  { topic: word(topicSpellings), url: absoluteUrl },
  "a subscription such as { topic: charges/events, url }",
);

/** The lists of a world, at the top of a fixtures file and in each of its companies. */
export const worldLists = {
  customers: listOf<CustomerFixture | GeneratedCustomers>(
    z.union([person, generated], { error: `must be ${notACustomer}` }),
    "customers",
  ).default([]),
  charges: listOf(charge, "charges").default([]),
  transactions: listOf(transaction, "transactions").default([]),
  subscriptions: listOf(subscription, "subscriptions").default([]),
};

function hasMembers({ value }: { readonly value: unknown }): boolean {
  return typeof value === "object" && value !== null;
}
