import { Bug } from "../../kernel/messages/problem.js";
import type { Work } from "../model/work.js";
import { type AccountId, type LedgerEntry, type LedgerEntryType, type Posting, accountIds } from "../model/account.js";
import { refuse } from "../model/problem-codes.js";
import { MONEY_STORED_MAX, type Money, toXof } from "../values/money.js";

export function balanceOf(work: Pick<Work, "world">, account: AccountId = "balance"): Money {
  return work.world.accounts.get(account)?.amount ?? 0;
}

/** The sum of all accounts above zero. No account is further from zero, since all accounts add up to zero. */
export function heldIn(amounts: readonly Money[]): Money {
  return amounts.reduce((sum, amount) => sum + Math.max(0, amount), 0);
}

/**
 * Whether the accounts hold no more than can be kept exactly. Only payments, refunds and adjustments can exceed this: every other entry moves what an
 * account holds already.
 */
export function hasRoom(work: Pick<Work, "world">, postings: readonly Posting[]): boolean {
  const after = accountIds.map((id) =>
    postings.reduce((sum, { account, amount }) => sum + (account === id ? amount : 0), balanceOf(work, id)),
  );
  return heldIn(after) <= MONEY_STORED_MAX;
}

/** Books one movement: changes the accounts and adds the entry in the same unit of work. */
export function book(work: Work, type: LedgerEntryType, resource: string | null, postings: readonly Posting[]): void {
  if (!hasRoom(work, postings))
    refuse("invalid_request", `The accounts of a company hold at most ${toXof(MONEY_STORED_MAX)} XOF together`);
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

/** How an entry changed the balance, in minor units; negative for a debit. */
export function effectOnBalance(entry: LedgerEntry): Money {
  return entry.postings.reduce((sum, posting) => sum + (posting.account === "balance" ? posting.amount : 0), 0);
}
