import { type Lifecycle, nextStatus } from "../../kernel/lifecycle.js";
import type { Batch, BatchStatus, Transfer, TransferStatus } from "./transfer.js";

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
