import * as z from "zod";
import { id, uuid } from "../../kernel/fields.js";

/** Ids as the API shows them: a transaction's with `txn_`, a batch's with `bat_`, all others as they are stored. */

export function transactionId(plain: string): string {
  return `txn_${plain}`;
}

export function batchId(plain: string): string {
  return `bat_${plain}`;
}

/** The stored id. An id is accepted with or without its prefix. */
export function plainId(shown: string): string {
  return shown.replace(/^(?:txn|bat)_/, "");
}

/** An id in a stored state, which is written with its prefix. */
export const storedTransactionId: z.ZodType<string, string> = z.codec(id, uuid, {
  decode: plainId,
  encode: transactionId,
});

export const storedBatchId: z.ZodType<string, string> = z.codec(id, uuid, { decode: plainId, encode: batchId });
