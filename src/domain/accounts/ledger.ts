import { Bug } from "../../kernel/problem.js";
import type { Row } from "../../kernel/table.js";
import type { Instant } from "../../kernel/instant.js";
import type { Work } from "../work.js";
import type { Money } from "./money.js";

/**
 * The accounts of one company's books.
 * - `balance`: what GET /v1/balance shows.
 * - `pending`: debited for transfers that are not final yet.
 * - `wallets`: the customers' side: what they received less what they paid.
 * - `fees`: what the service earned.
 * - `capital`: where opening balances and adjustments come from.
 */
export type AccountId = "balance" | "pending" | "wallets" | "fees" | "capital";

export interface Account extends Row {
  readonly id: AccountId;
  readonly amount: Money;
}

export type LedgerEntryType =
  | "opening"
  | "adjustment"
  | "transfer.debit"
  | "transfer.settled"
  | "transfer.returned"
  | "charge.payment"
  | "charge.refund";

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

export function balanceOf(work: Pick<Work, "world">, account: AccountId = "balance"): Money {
  return work.world.accounts.get(account)?.amount ?? 0;
}

/** Books one movement: the accounts change with it, in the same unit of work. */
export function book(work: Work, type: LedgerEntryType, resource: string | null, postings: readonly Posting[]): void {
  let sum = 0;
  for (const posting of postings) {
    sum += posting.amount;
    const account = work.world.accounts.get(posting.account);
    const seq = account?.seq ?? work.nextSeq();
    work.put(work.world.accounts, {
      id: posting.account,
      seq,
      amount: (account?.amount ?? 0) + posting.amount,
    });
  }
  if (sum !== 0) throw new Bug(`Failed to book ${type}: its postings add up to ${sum}, not to zero.`);
  work.put(work.world.ledger, {
    id: work.ids.short("led"),
    seq: work.nextSeq(),
    at: work.at,
    type,
    resource,
    postings,
    balance: balanceOf(work),
  });
}

/** What an entry did to the balance, in minor units; negative is a debit. */
export function effectOnBalance(entry: LedgerEntry): Money {
  return entry.postings.reduce((sum, posting) => sum + (posting.account === "balance" ? posting.amount : 0), 0);
}
