import { refuse } from "../model/problem-codes.js";
import type { Work } from "../model/work.js";
import { MONEY_STORED_MAX, toXof } from "../values/money.js";
import { afterStart, assertAcceptable, neededFor, planOrder, startTransfer } from "./create-transfer.js";
import type { Batch, Transfer, TransferOrder } from "../model/transfer.js";

export interface CreatedBatch {
  readonly batch: Batch;
  /** In the order of the request. The contract: "each with status `pending` at creation". */
  readonly transactions: readonly Transfer[];
}

/** POST /v1/transactions/batch. The contract: "a batch groups many transactions". One bad item refuses the whole batch. */
export function createBatch(work: Work, orders: readonly TransferOrder[]): CreatedBatch {
  const planned = orders.map((order) => planOrder(work, order));
  assertAcceptable(work, planned, (index) => `transactions[${index}].`);
  // Before anything is stored: undoing hundreds of transfers takes long when there are many others.
  const totalAmount = neededFor(work, planned);
  if (totalAmount > MONEY_STORED_MAX)
    refuse(
      "invalid_request",
      `The transactions of a batch come to at most ${toXof(MONEY_STORED_MAX)} XOF, fees included`,
    );
  const id = work.ids.uuid();
  const seq = work.nextSeq();
  const transactions = planned.map((order) => startTransfer(work, order, id));
  const batch = work.put<Batch>(work.world.batches, {
    id,
    seq,
    createdAt: work.at,
    updatedAt: work.at,
    totalAmount,
    totalFee: transactions.reduce((sum, transfer) => sum + transfer.fee, 0),
    status: "processing",
    transactionIds: transactions.map((transfer) => transfer.id),
    open: transactions.length,
  });
  work.emit({ type: "batch.created", resource: id, subject: { kind: "batch", batch } });
  for (const transfer of transactions) afterStart(work, transfer);
  return { batch, transactions };
}
