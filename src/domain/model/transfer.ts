import { type Lifecycle, nextStatus } from "../../kernel/lifecycle.js";
import type { Instant } from "../../kernel/instant.js";
import type { Row } from "../../kernel/table.js";
import type { Money } from "../values/money.js";

/** How a transfer ends. `pending` never ends by itself. */
export type TransferOutcome =
  | { readonly outcome: "completed" | "pending" }
  | { readonly outcome: "failed"; readonly reason: string };

export type TransferStatus = "pending" | "completed" | "failed";
export type BatchStatus = "processing" | "completed";

/** One transfer to one wallet user: the contract's Transaction. */
export interface Transfer extends Row {
  /** A UUID; the wire shows it as `txn_<uuid>` in answers and plain in payloads. */
  readonly id: string;
  readonly amount: Money;
  readonly fee: Money;
  /** As the caller sent it. */
  readonly msisdn: string;
  readonly status: TransferStatus;
  readonly reference: string;
  readonly description: string | undefined;
  readonly batchId: string | null;
  readonly failureReason: string | null;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** How it is going to end, decided when it is created. */
  readonly plan: TransferOutcome;
  /** A rule's time of settlement, ms after its creation; null: as `transfers.settlement` says. */
  readonly settleAfterMs: number | null;
  /** Added to the ordinary time of settlement, in ms. */
  readonly lateMs: number;
  /** GETs until it settles, under `transfers.settlement: {polls: n}`. */
  readonly pollsLeft: number | null;
  /** Whether amount and fee have left the balance. */
  readonly debited: boolean;
  readonly silent: boolean;
}

/** One transfer as it is asked for. */
export interface TransferOrder {
  readonly amount: Money;
  readonly msisdn: string;
  readonly reference: string;
  readonly description: string | undefined;
}

export interface Batch extends Row {
  /** A UUID; the wire shows it as `bat_<uuid>`. */
  readonly id: string;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** The sum of its items' `totalAmount`. */
  readonly totalAmount: Money;
  readonly totalFee: Money;
  readonly status: BatchStatus;
  readonly transactionIds: readonly string[];
  /** How many of its transactions are not final yet. */
  readonly open: number;
}

/** Why a transfer fails that its account cannot pay for. */
export const SHORT_OF_MONEY = "insufficient_balance";

export function totalOf(transfer: Pick<Transfer, "amount" | "fee">): Money {
  return transfer.amount + transfer.fee;
}

export type TransferAction = "complete" | "fail";

/** The contract: "A new transaction is returned as `pending`." Its transitions are "not shown"; these are the only sensible ones. */
export const transferLifecycle = {
  pending: { complete: ["completed"], fail: ["failed"] },
  completed: {},
  failed: {},
} as const satisfies Lifecycle<TransferStatus, TransferAction>;

export type BatchAction = "finish";

/** The contract: "`processing` is the only value shown." It ends once every transaction of it is final. */
export const batchLifecycle = {
  processing: { finish: ["completed"] },
  completed: {},
} as const satisfies Lifecycle<BatchStatus, BatchAction>;

type TransferChange = Partial<Pick<Transfer, "failureReason" | "debited">>;

/** The only writer of a transfer's status. */
export function moveTransfer(transfer: Transfer, action: TransferAction, at: number, change: TransferChange): Transfer {
  const status = nextStatus<TransferStatus, TransferAction>(transferLifecycle, "transaction", transfer.status, action);
  return { ...transfer, ...change, status, pollsLeft: null, updatedAt: at };
}

/** The only writer of a batch's status. */
export function finishBatch(batch: Batch, at: number): Batch {
  const status = nextStatus<BatchStatus, BatchAction>(batchLifecycle, "batch", batch.status, "finish");
  return { ...batch, open: 0, status, updatedAt: at };
}
