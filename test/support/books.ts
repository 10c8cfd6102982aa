import { expect } from "vitest";
import type { LedgerEntry } from "../../src/domain/model/account.js";
import { effectOnBalance } from "../../src/domain/accounts/ledger.js";
import { toXof } from "../../src/domain/values/money.js";
import type { TestWorld } from "./world.js";

/**
 * Checks a company's ledger: each entry adds up to zero, the entries add up to every account, and the API shows the sum of their effects as the
 * balance.
 */
export async function assertBooksAreRight({ api, sandbox }: TestWorld): Promise<void> {
  const { ledger, accounts } = sandbox.defaultCompany.world;
  const sums = new Map<string, number>();
  const wrong: LedgerEntry[] = [];
  let balance = 0;
  for (const entry of ledger.values()) {
    let sum = 0;
    for (const { account, amount } of entry.postings) {
      sum += amount;
      sums.set(account, (sums.get(account) ?? 0) + amount);
    }
    balance += effectOnBalance(entry);
    if (sum !== 0 || entry.balance !== balance) wrong.push(entry);
  }
  expect(wrong).toEqual([]);
  expect(Object.fromEntries(accounts.values().map(({ id, amount }) => [id, amount]))).toEqual(Object.fromEntries(sums));
  expect((await api("GET", "/v1/balance")).body.balance).toBe(toXof(balance));
}
