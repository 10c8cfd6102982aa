import type { Instant } from "../../kernel/instant.js";
import type { Row } from "../../kernel/table.js";
import type { Money } from "../values/money.js";

/**
 * The accounts of one company's books.
 * - `balance`: what GET /v1/balance shows.
 * - `pending`: debited for transfers that are not final yet.
 * - `wallets`: the customers' side: what they received less what they paid.
 * - `fees`: what the service earned.
 * - `capital`: where opening balances and adjustments come from.
 */
export const accountIds = ["balance", "pending", "wallets", "fees", "capital"] as const;

export type AccountId = (typeof accountIds)[number];

export interface Account extends Row {
  readonly id: AccountId;
  readonly amount: Money;
}

export const ledgerEntryTypes = [
  "opening",
  "adjustment",
  "transfer.debit",
  "transfer.settled",
  "transfer.returned",
  "charge.payment",
  "charge.refund",
] as const;

export type LedgerEntryType = (typeof ledgerEntryTypes)[number];

export interface Posting {
  readonly account: AccountId;
  readonly amount: Money;
}

/** One movement of money. Its postings add up to zero: nothing appears and nothing vanishes. */
export interface LedgerEntry extends Row {
  readonly at: Instant;
  readonly type: LedgerEntryType;
  /** The id of the transaction or charge that moved the money; null for an opening or an adjustment. */
  readonly resource: string | null;
  readonly postings: readonly Posting[];
  /** The account `balance` after this entry. */
  readonly balance: Money;
}
