import * as z from "zod";
import { id, uuid } from "../../kernel/fields.js";

/** Ids as the API shows them: `txn_` before a transaction's, `bat_` before a batch's, everything else as it is stored. */

export function transactionId(plain: string): string {
  return `txn_${plain}`;
}

export function batchId(plain: string): string {
  return `bat_${plain}`;
}

/** "ids are taken with or without their prefix". */
export function plainId(shown: string): string {
  return shown.replace(/^(?:txn|bat)_/, "");
}

/** In a stored state, written with its prefix. */
export const storedTransactionId: z.ZodType<string, string> = z.codec(id, uuid, {
  decode: plainId,
  encode: transactionId,
});

export const storedBatchId: z.ZodType<string, string> = z.codec(id, uuid, { decode: plainId, encode: batchId });
