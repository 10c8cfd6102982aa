import * as z from "zod";
import {
  anyText,
  count,
  flag,
  listOf,
  object,
  orUndefined,
  storedInstant,
  text,
  wholeNumber,
  word,
} from "../../kernel/fields.js";
import { MAX_DURATION_MS } from "../../kernel/time/duration.js";
import { type Lifecycle, type MoveLog, nextStatus, statusesOf } from "../../kernel/records/lifecycle.js";
import { msisdn, storedAmount, storedMoney } from "../values/fields.js";
import { storedBatchId, storedTransactionId } from "../values/ids.js";
import type { Money } from "../values/money.js";

export type TransferStatus = "pending" | "completed" | "failed";
export type BatchStatus = "processing" | "completed";

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

/** What the caller gives besides the amount. Requests, fixtures and the stored transfer have these fields. */
export const transferTerms = {
  msisdn: msisdn.meta({ description: "The recipient." }),
  reference: text("the caller's reference").meta({ description: "Caller's reference (for example an internal id)." }),
};

/** Optional in requests and fixtures. */
export const transferDescription = text("the caller's description").meta({
  description: "Caller's text, returned in answers.",
});

const transferOutcome = z.discriminatedUnion(
  "outcome",
  [object({ outcome: word(["completed", "pending"]) }), object({ outcome: z.literal("failed"), reason: anyText() })],
  { error: "must be {outcome: completed}, {outcome: pending} or {outcome: failed, reason}" },
);

/** How a transfer ends. A `pending` one does not end by itself. */
export type TransferOutcome = Readonly<z.output<typeof transferOutcome>>;

const storedPeriod = wholeNumber(0, 2 * MAX_DURATION_MS, "milliseconds");

/** One transfer to one wallet user, the contract's Transaction. This is its stored form, and the rules see the type that is inferred from it. */
export const transferRow = object({
  /** A UUID; the wire shows it as `txn_<uuid>` in answers and plain in payloads. */
  id: storedTransactionId,
  seq: count,
  amount: storedAmount,
  fee: storedMoney("positive"),
  ...transferTerms,
  status: word<TransferStatus>(statusesOf(transferLifecycle)),
  description: orUndefined(transferDescription),
  batchId: storedBatchId.nullable(),
  failureReason: anyText().nullable(),
  createdAt: storedInstant,
  updatedAt: storedInstant,
  /** How the transfer will end, decided when it is created. */
  plan: transferOutcome,
  /** How long after its creation it settles, ms; null when it settles at once, by polls or by hand. */
  settleAfterMs: storedPeriod.nullable(),
  /** Added to the ordinary time until settlement, ms. */
  lateMs: storedPeriod,
  /** How many more GETs until it settles, under `transfers.settlement: {polls: n}`. */
  pollsLeft: count.nullable(),
  /** Whether amount and fee have left the balance. */
  debited: flag,
  silent: flag,
});

export type Transfer = Readonly<z.output<typeof transferRow>>;

/** A new transfer. */
export type TransferOrder = Pick<Transfer, "amount" | "msisdn" | "reference" | "description">;

export const batchRow = object({
  /** A UUID; the wire shows it as `bat_<uuid>`. */
  id: storedBatchId,
  seq: count,
  createdAt: storedInstant,
  updatedAt: storedInstant,
  /** The sum of its items' `totalAmount`. */
  totalAmount: storedMoney("positive"),
  totalFee: storedMoney("positive"),
  status: word<BatchStatus>(statusesOf(batchLifecycle)),
  transactionIds: listOf(storedTransactionId),
  /** How many of its transactions are not final yet. */
  open: count,
});

export type Batch = Readonly<z.output<typeof batchRow>>;

/** Why a transfer fails that the balance does not cover. */
export const SHORT_OF_MONEY = "insufficient_balance";

export function totalOf(transfer: Pick<Transfer, "amount" | "fee">): Money {
  return transfer.amount + transfer.fee;
}

type TransferChange = Partial<Pick<Transfer, "failureReason" | "debited">>;

/** The only function that changes a transfer's status. */
export function moveTransfer(
  log: MoveLog,
  transfer: Transfer,
  action: TransferAction,
  at: number,
  change: TransferChange,
): Transfer {
  const status = nextStatus<TransferStatus, TransferAction>(
    log,
    transferLifecycle,
    "transaction",
    transfer.status,
    action,
  );
  return { ...transfer, ...change, status, pollsLeft: null, updatedAt: at };
}

/** The only function that changes a batch's status. */
export function finishBatch(log: MoveLog, batch: Batch, at: number): Batch {
  const status = nextStatus<BatchStatus, BatchAction>(log, batchLifecycle, "batch", batch.status, "finish");
  return { ...batch, open: 0, status, updatedAt: at };
}
