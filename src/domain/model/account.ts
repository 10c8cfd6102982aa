import type * as z from "zod";
import { count, id, listOf, object, storedAs, storedInstant, word } from "../../kernel/fields.js";
import { storedMoney } from "../values/fields.js";
import { plainId, transactionId } from "../values/ids.js";

/**
 * The accounts in the ledger of one company.
 * - `balance`: what GET /v1/balance shows.
 * - `pending`: debited for transfers that are not final yet.
 * - `wallets`: the customers' side: what they received less what they paid.
 * - `fees`: what the service earned.
 * - `capital`: where opening balances and adjustments come from.
 */
export const accountIds = ["balance", "pending", "wallets", "fees", "capital"] as const;

export type AccountId = (typeof accountIds)[number];

export const accountRow = object({ id: word(accountIds), seq: count, amount: storedMoney("any") });

export type Account = Readonly<z.output<typeof accountRow>>;

const ledgerEntryTypes = [
  "opening",
  "adjustment",
  "transfer.debit",
  "transfer.settled",
  "transfer.returned",
  "charge.payment",
  "charge.refund",
] as const;

export type LedgerEntryType = (typeof ledgerEntryTypes)[number];

const postingRow = object({ account: word(accountIds), amount: storedMoney("any") });

export type Posting = Readonly<z.output<typeof postingRow>>;

/** One movement of money. Its postings add up to zero, so no money appears or vanishes. */
const entryRow = object({
  id,
  seq: count,
  at: storedInstant,
  type: word(ledgerEntryTypes),
  /** The id of the transaction or charge that moved the money; null for an opening or an adjustment. */
  resource: id.nullable(),
  postings: listOf(postingRow),
  /** The account `balance` after this entry. */
  balance: storedMoney("any"),
});

export type LedgerEntry = Readonly<z.output<typeof entryRow>>;

export const ledgerRow: z.ZodType<LedgerEntry> = storedAs<LedgerEntry>(entryRow, {
  decode: (entry) => ({
    ...entry,
    resource: entry.resource && isOfTransfer(entry) ? plainId(entry.resource) : entry.resource,
  }),
  encode: (entry) => ({ ...entry, resource: shownEntryResource(entry) }),
});

/** The id that the API shows. */
export function shownEntryResource(entry: Pick<LedgerEntry, "resource" | "type">): string | null {
  return entry.resource !== null && isOfTransfer(entry) ? transactionId(entry.resource) : entry.resource;
}

function isOfTransfer({ type }: Pick<LedgerEntry, "type">): boolean {
  return type.startsWith("transfer.");
}
