import type { Work } from "../model/work.js";
import { balanceOf, book } from "./ledger.js";
import type { Money } from "../values/money.js";

/** Sets the balance to `amount` by an entry of its own. Books nothing when the balance is `amount` already. */
export function setBalance(work: Work, amount: Money): void {
  const difference = amount - balanceOf(work);
  if (difference === 0) return;
  const opening = work.world.ledger.size === 0;
  book(work, opening ? "opening" : "adjustment", null, [
    { account: "balance", amount: difference },
    { account: "capital", amount: -difference },
  ]);
  if (!opening) work.emit({ type: "balance.adjusted", resource: null, subject: { kind: "account", balance: amount } });
}
