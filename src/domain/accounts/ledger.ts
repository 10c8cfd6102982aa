import { Bug } from "../../kernel/messages/problem.js";
import type { Work } from "../model/work.js";
import type { AccountId, LedgerEntry, LedgerEntryType, Posting } from "../model/account.js";
import type { Money } from "../values/money.js";

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
