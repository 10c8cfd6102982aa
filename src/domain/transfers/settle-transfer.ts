import type { EventType } from "../model/events.js";
import { refuse } from "../model/problem-codes.js";
import type { Work } from "../model/work.js";
import { SHORT_OF_MONEY, type Transfer, finishBatch, moveTransfer, totalOf } from "../model/transfer.js";
import { balanceOf, book } from "../accounts/ledger.js";
import { quote } from "../../kernel/messages/text.js";

/** Brings a pending transfer to its planned end. A final transfer does not change. */
export function settleTransfer(work: Work, id: string): void {
  const transfer = work.world.transfers.get(id);
  if (transfer === undefined || transfer.status !== "pending") return;
  if (transfer.plan.outcome === "failed") failTransfer(work, transfer, transfer.plan.reason);
  else completeTransfer(work, transfer);
}

/**
 * The contract: "The transaction was executed successfully." With `transfers.debit: on-completion` the money leaves now, and the transfer fails if
 * the balance no longer suffices.
 */
export function completeTransfer(work: Work, transfer: Transfer): Transfer {
  const total = totalOf(transfer);
  const isShort = transfer.status === "pending" && !transfer.debited && total > balanceOf(work);
  if (isShort) return failTransfer(work, transfer, SHORT_OF_MONEY);
  const completed = moveTransfer(work, transfer, "complete", work.at, { debited: true });
  book(work, "transfer.settled", transfer.id, [
    { account: transfer.debited ? "pending" : "balance", amount: -total },
    { account: "wallets", amount: transfer.amount },
    { account: "fees", amount: transfer.fee },
  ]);
  return finish(work, completed, "transaction.completed");
}

/** The contract: "The transaction could not be executed." What was debited is given back, including the fee. */
export function failTransfer(work: Work, transfer: Transfer, reason: string): Transfer {
  const failed = moveTransfer(work, transfer, "fail", work.at, { failureReason: reason, debited: false });
  if (transfer.debited) {
    book(work, "transfer.returned", transfer.id, [
      { account: "pending", amount: -totalOf(transfer) },
      { account: "balance", amount: totalOf(transfer) },
    ]);
  }
  return finish(work, failed, "transaction.failed");
}

function finish(work: Work, transfer: Transfer, type: "transaction.completed" | "transaction.failed"): Transfer {
  work.put(work.world.transfers, transfer);
  work.unschedule("transfer.settle", transfer.id);
  emitTransfer(work, type, transfer);
  if (transfer.batchId !== null) countDown(work, transfer.batchId);
  return transfer;
}

export function emitTransfer(work: Work, type: EventType, transfer: Transfer): void {
  const subject = { kind: "transaction", transaction: transfer } as const;
  work.emit({ type, resource: transfer.id, subject, silent: transfer.silent });
}

/** A batch ends with the last of its transactions. */
function countDown(work: Work, batchId: string): void {
  const batch = work.world.batches.get(batchId);
  if (batch === undefined) return;
  if (batch.open > 1) {
    work.put(work.world.batches, { ...batch, open: batch.open - 1, updatedAt: work.at });
    return;
  }
  const finished = work.put(work.world.batches, finishBatch(work, batch, work.at));
  work.emit({ type: "batch.completed", resource: batch.id, subject: { kind: "batch", batch: finished } });
}

/** GET /v1/transactions/<id>. Under `transfers.settlement: {polls: n}` the n-th GET finds it settled. */
export function getTransfer(work: Work, id: string): Transfer {
  const transfer = transferOrRefuse(work, id);
  return transfer.pollsLeft === null ? transfer : countPoll(work, transfer);
}

export function transferOrRefuse(work: Pick<Work, "world">, id: string): Transfer {
  return findTransfer(work, id) ?? refuse("transaction_not_found", `No transaction has the id ${quote(id)}`);
}

/** Finds a transfer by its id, with or without the prefix. */
export function findTransfer(work: Pick<Work, "world">, id: string): Transfer | undefined {
  return work.world.transfers.get(id.startsWith("txn_") ? id.slice("txn_".length) : id);
}

function countPoll(work: Work, transfer: Transfer): Transfer {
  if (transfer.pollsLeft === null || transfer.plan.outcome === "pending") return transfer;
  const pollsLeft = transfer.pollsLeft > 1 ? transfer.pollsLeft - 1 : null;
  work.put(work.world.transfers, { ...transfer, pollsLeft });
  if (pollsLeft === null && transfer.lateMs > 0) {
    work.schedule("transfer.settle", transfer.id, work.at + transfer.lateMs);
  } else if (pollsLeft === null) {
    settleTransfer(work, transfer.id);
  }
  return work.world.transfers.get(transfer.id) ?? transfer;
}
