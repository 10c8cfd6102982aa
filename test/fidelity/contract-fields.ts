/**
 * The fields of every body, copied by hand from the contract and not from our code: from its tables of resources, its notes on where a field is
 * present, its endpoints and its events. `sometimes` are fields that depend on what the caller sent. The quotes below are the contract's words.
 */
export interface ContractFields {
  readonly always: readonly string[];
  readonly sometimes: readonly string[];
}

/** "Response: Transaction with `status` = `pending`, including fee and totalAmount." */
const transaction = [
  "id",
  "amount",
  "fee",
  "totalAmount",
  "msisdn",
  "status",
  "reference",
  "type",
  "createdAt",
  "updatedAt",
];

/** The fields that every answer about a charge has. */
const charge = [
  "id",
  "createdAt",
  "externalId",
  "description",
  "currency",
  "amount",
  "due",
  "fees",
  "status",
  "paid",
  "refunded",
  "attempts",
  "metadata",
  "transactions",
];

export const contractFields = {
  /** "description: Caller-supplied text; sent in requests and returned in responses." */
  "transaction created": { always: transaction, sometimes: ["description"] },
  /** "batchId: Present only when the transaction was created as part of a batch." */
  "transaction of a batch": { always: [...transaction, "batchId"], sometimes: ["description"] },
  /** "failureReason: Present in the retrieve response and in webhook payloads." */
  "transaction read": { always: [...transaction, "failureReason"], sometimes: ["description", "batchId"] },
  /** "id, status, amount, msisdn, description, type, reference, fee, totalAmount, failureReason, batchId, createdAt, updatedAt" */
  "transaction in a payload": { always: [...transaction, "failureReason"], sometimes: ["description", "batchId"] },
  batch: {
    always: ["id", "createdAt", "updatedAt", "totalAmount", "totalFee", "status", "transactions"],
    sometimes: [],
  },
  "customer check": { always: ["kycStatus", "firstName", "lastName"], sometimes: [] },
  balance: { always: ["balance", "currency"], sometimes: [] },
  /** "paymentUrl: Present in the creation response". */
  "charge created": { always: [...charge, "paymentUrl"], sometimes: [] },
  "charge read": { always: charge, sometimes: [] },
  /** "droppedReason: Present in pay and refund responses", "webRedirectionUrl: Present in the staging pay response." */
  "charge paid": { always: [...charge, "droppedReason", "webRedirectionUrl"], sometimes: [] },
  "charge refunded": { always: [...charge, "droppedReason"], sometimes: [] },
  /** "Payload shapes of the other topics, including the charge topic: not shown." */
  "charge in a payload": { always: [], sometimes: [] },
  "fees of a charge": { always: ["currency", "rate", "value"], sometimes: [] },
  "transaction of a charge": {
    always: ["id", "recipientMsisdn", "amount", "service", "status", "type", "error"],
    sometimes: [],
  },
  subscription: { always: ["id", "createdAt", "updatedAt", "topic", "url"], sometimes: [] },
  "list of subscriptions": { always: ["count", "limit", "cursor", "data"], sometimes: [] },
  "cursor of a list": { always: ["prev", "next"], sometimes: [] },
  /** "Object with `topic` (String) and `data` (Object)". */
  payload: { always: ["topic", "data"], sometimes: [] },
  /** "Error body shape: not shown." */
  error: { always: [], sometimes: [] },
} as const satisfies Record<string, ContractFields>;

export type ContractBody = keyof typeof contractFields;

/**
 * The fields that the sandbox shows beyond the contract, and why. The sets are exact: an additional field, or a missing one, fails the test until
 * this list has it.
 */
export const additions: {
  readonly [Body in ContractBody]?: { readonly fields: readonly string[]; readonly why: string };
} = {
  "charge read": {
    fields: ["droppedReason"],
    why: "A caller that learns by GET that a charge is dropped wants to know why; the contract shows it for pay and refund only.",
  },
  "charge in a payload": {
    fields: [...charge, "droppedReason"],
    why: "The contract shows no payload of a charge: it is the charge as GET shows it.",
  },
  error: {
    fields: ["statusCode", "message", "error", "correlationId", "path", "timestamp"],
    why: "The contract shows no error body.",
  },
};
