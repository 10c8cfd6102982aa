import type { Work } from "../model/work.js";
import { completeTransfer, failTransfer, transferOrRefuse } from "./settle-transfer.js";
import type { Transfer } from "../model/transfer.js";
import { DEFAULT_REASON } from "./create-transfer.js";

export interface TransferFailure {
  /** With or without the prefix `txn_`. */
  readonly id: string;
  readonly reason: string | undefined;
}

/** Completes a pending transfer by hand, whatever was planned for it and before its time. This is not a GET of the API, so it does not count as a poll. */
export function completeByHand(work: Work, id: string): Transfer {
  return completeTransfer(work, transferOrRefuse(work, id));
}

/** Fails a pending transfer by hand, whatever was planned for it and before its time. */
export function failByHand(work: Work, { id, reason = DEFAULT_REASON }: TransferFailure): Transfer {
  return failTransfer(work, transferOrRefuse(work, id), reason);
}
