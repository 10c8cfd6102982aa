import type { SettingPath } from "../fields.js";
import type { OperationId } from "../operations.js";

export interface OperationNote {
  /** Beyond the summary: what happens, and what the status of success says. */
  readonly description: string;
  readonly success: string;
  /** What decides how the operation goes on, beside what its fields and statuses rest on. */
  readonly settings: readonly SettingPath[];
}

/** What the description says of each operation. */
export const operationNotes: Readonly<Record<OperationId, OperationNote>> = {
  createTransaction: {
    description:
      "Debits the business account and credits one wallet user. The transaction is answered as `pending`; how it ends is " +
      "told by `transactions/completed` or `transactions/failed`, and by GET.",
    success: "The transaction was received and queued.",
    settings: [
      "transfers.settlement",
      "transfers.debit",
      "transfers.fee",
      "testNumbers.success",
      "testNumbers.failure",
      "testNumbers.pending",
      "testNumbers.late",
      "testNumbers.silent",
      "testNumbers.limit",
      "testNumbers.unverified",
    ],
  },
  createBatch: {
    description:
      "Many transfers at once: all of them are accepted, or none. Each is a transaction of its own afterwards.",
    success: "All transactions of the batch were received and queued.",
    settings: ["transfers.settlement", "transfers.debit", "transfers.fee"],
  },
  getTransaction: {
    description: "The identifier is taken with `txn_` or without.",
    success: "The transaction.",
    settings: ["transfers.settlement"],
  },
  checkCustomer: {
    description: "A user that is not found is answered with the `unknown` values, not with an error.",
    success: "What is known of the number.",
    settings: ["customers.unlisted", "testNumbers.success", "testNumbers.refused", "testNumbers.unverified"],
  },
  getBalance: { description: "The balance of the access token's company.", success: "The balance.", settings: [] },
  createCharge: {
    description:
      "The answer carries `paymentUrl`, the page on which the customer pays. A charge that nobody pays in time is dropped.",
    success: "The charge was created and waits for its payment.",
    settings: ["charges.ttl", "charges.fee"],
  },
  payCharge: {
    description:
      "Only for staging: pays the charge as the customer would on its payment page. Without a body, or without `msisdn`, the " +
      "payment succeeds. An attempt that fails is answered like one that succeeds.",
    success: "The charge after the attempt.",
    settings: [
      "charges.payEndpoint",
      "charges.failedAttempt",
      "testNumbers.success",
      "testNumbers.failure",
      "testNumbers.pending",
      "testNumbers.late",
      "testNumbers.silent",
      "testNumbers.limit",
      "testNumbers.unverified",
    ],
  },
  getCharge: {
    description: "The charge as it stands now.",
    success: "The charge.",
    settings: [],
  },
  refundCharge: {
    description:
      "Without a body, or without `amount`, everything that is left of the paid amount is refunded; with `amount` only that part.",
    success: "The charge after the refund.",
    settings: ["refunds.further", "refunds.insufficientBalance"],
  },
  createWebhook: {
    description: "From now on each event of the topic is sent to the URL, signed. See the webhooks of this document.",
    success: "The subscription was created.",
    settings: ["webhooks.duplicateSubscription"],
  },
  getWebhook: { description: "One subscription of the company.", success: "The subscription.", settings: [] },
  listWebhooks: {
    description: "Page by page: `cursor.next` and `cursor.prev` of an answer are the `cursor` of the next request.",
    success: "One page of the subscriptions.",
    settings: ["paging.limit"],
  },
  deleteWebhook: {
    description: "Nothing more is sent on its behalf: what is still owed to it is cancelled.",
    success: "The subscription is deleted. There is no body.",
    settings: [],
  },
};
