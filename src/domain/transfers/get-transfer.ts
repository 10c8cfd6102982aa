import { quote } from "../../kernel/quote.js";
import { refuse } from "../problem-codes.js";
import type { Work } from "../work.js";
import { settleTransfer } from "./settle-transfer.js";
import type { Transfer } from "./transfer.js";

/** GET /v1/transactions/<id>. Under `transfers.settlement: {polls: n}` the n-th GET finds it settled. */
export function getTransfer(work: Work, id: string): Transfer {
  const transfer = findTransfer(work, id) ?? refuse("transaction_not_found", `No transaction has the id ${quote(id)}`);
  return transfer.pollsLeft === null ? transfer : countPoll(work, transfer);
}

/** By the id with or without its prefix. */
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
