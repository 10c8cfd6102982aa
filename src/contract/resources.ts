/**
 * The resources as the wire shows them: the contract's fields and spellings, amounts in XOF. Everything outside this folder uses the domain's own
 * types.
 */

/** The contract's Transaction. A field that an answer does not show is absent, not null. */
export interface TransactionBody {
  /** `txn_<uuid>` in answers, a plain UUID in webhook payloads. */
  id: string;
  amount: number;
  fee: number;
  /** amount + fee */
  totalAmount: number;
  msisdn: string;
  status: "pending" | "completed" | "failed";
  reference: string;
  description?: string;
  type: "transfer";
  /** The contract: "Present only when the transaction was created as part of a batch." */
  batchId?: string;
  /** The contract: "Present in the retrieve response and in webhook payloads." */
  failureReason?: string | null;
  /** ISO 8601 */
  createdAt: string;
  updatedAt: string;
}

export interface BatchBody {
  /** `bat_<uuid>` */
  id: string;
  createdAt: string;
  updatedAt: string;
  totalAmount: number;
  totalFee: number;
  status: string;
  transactions: TransactionBody[];
}

export interface CustomerCheckBody {
  kycStatus: string;
  firstName: string;
  lastName: string;
}

export interface BalanceBody {
  balance: number;
  currency: string;
}

export interface ChargeEntryBody {
  id: string;
  /** Digits only. */
  recipientMsisdn: string;
  amount: number;
  service: string;
  status: "completed" | "failed";
  type: "payment" | "refund";
  error: string | null;
}

/** The contract's Charge. */
export interface ChargeBody {
  id: string;
  /** ISO 8601; compact (`20250128T083908.249Z`) in the creation answer. */
  createdAt: string;
  externalId: string;
  description: string;
  currency: string;
  amount: number;
  due: number;
  fees: { currency: string; rate: number; value: number };
  status: "created" | "due" | "paid" | "refunded" | "refunded_partially" | "dropped";
  /** Absent in the creation answer. */
  droppedReason?: string | null;
  paid: number;
  refunded: number;
  attempts: number;
  metadata: Record<string, unknown>;
  /** The contract: "Present in the creation response." */
  paymentUrl?: string;
  /** The contract: "Present in the staging pay response." */
  webRedirectionUrl?: string;
  /** Absent in a slim webhook payload. */
  transactions?: ChargeEntryBody[];
}

export interface SubscriptionBody {
  id: string;
  createdAt: string;
  updatedAt: string;
  topic: string;
  url: string;
}

/** The contract's list, with its members `count`, `limit`, `cursor` and `data`. */
export interface PageBody<T> {
  /** The contract: "Number of items returned." */
  count: number;
  /** The contract: "Page size." */
  limit: number;
  /** Opaque strings or null. */
  cursor: { prev: string | null; next: string | null };
  data: T[];
}

/** The body of every error, whatever its status. */
export interface ErrorBody {
  statusCode: number;
  message: string[];
  error: string;
  /** 32 lower-case hex digits. */
  correlationId: string;
  path: string;
  timestamp: string;
}

export interface WebhookBody<Data = ChargeBody | TransactionBody> {
  topic: string;
  data: Data;
}

/** The body of POST /v1/charges. */
export interface ChargeRequest {
  /** XOF */
  amount: number;
  externalId: string;
  description: string;
  onCanceledRedirectionUrl: string;
  onCompletedRedirectionUrl: string;
  metadata?: Record<string, unknown>;
}

/** The answer to POST /v1/charges. */
export interface CreatedChargeBody extends ChargeBody {
  /** Where the customer pays. */
  paymentUrl: string;
}

/** The body of POST /v1/transactions. */
export interface TransactionRequest {
  type: "transfer";
  /** XOF */
  amount: number;
  msisdn: string;
  reference: string;
  description?: string;
}

/** The body of POST /v1/transactions/batch. */
export interface BatchRequest {
  transactions: (Omit<TransactionRequest, "type"> & Partial<Pick<TransactionRequest, "type">>)[];
}

/** The body of POST /v1/charges/:id/pay, in staging. */
export interface PayRequest {
  msisdn?: string;
}

/** The body of POST /v1/charges/:id/refund. Without an amount, everything that is left is refunded. */
export interface RefundRequest {
  /** XOF */
  amount?: number;
}

/** The body of POST /v1/webhooks. */
export interface SubscriptionRequest {
  topic: string;
  url: string;
}
