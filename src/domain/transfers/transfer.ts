import type { Instant } from "../../kernel/instant.js";
import type { Row } from "../../kernel/table.js";
import type { Money } from "../accounts/money.js";
import type { TransferOutcome } from "../test-numbers.js";

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
