import { IllegalTransition, canMove } from "../../kernel/records/lifecycle.js";
import type { Work } from "../model/work.js";
import { completeTransfer, failTransfer, transferOrRefuse } from "./settle-transfer.js";
import { type Transfer, type TransferAction, type TransferStatus, transferLifecycle } from "../model/transfer.js";
import { DEFAULT_REASON } from "./create-transfer.js";

export interface TransferFailure {
  /** With or without the prefix `txn_`. */
  readonly id: string;
  readonly reason: string | undefined;
}

/** Completes a pending transfer by hand, whatever was planned for it and before its time. */
export function completeByHand(work: Work, id: string): Transfer {
  return completeTransfer(work, getPending(work, id, "complete"));
}

/** Fails a pending transfer by hand, whatever was planned for it and before its time. */
export function failByHand(work: Work, { id, reason = DEFAULT_REASON }: TransferFailure): Transfer {
  return failTransfer(work, getPending(work, id, "fail"), reason);
}

/** This is not a GET of the API, so it does not count as a poll. */
function getPending(work: Work, id: string, action: TransferAction): Transfer {
  const transfer = transferOrRefuse(work, id);
  if (!canMove<TransferStatus, TransferAction>(transferLifecycle, transfer.status, action)) {
    throw new IllegalTransition(
      "transaction",
      transfer.status,
      action,
      Object.keys(transferLifecycle[transfer.status]),
    );
  }
  return transfer;
}
