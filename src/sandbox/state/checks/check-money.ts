import { heldIn } from "../../../domain/accounts/ledger.js";
import { type AccountId, type LedgerEntry, type LedgerEntryType, accountIds } from "../../../domain/model/account.js";
import type { Charge } from "../../../domain/model/charge.js";
import { type Batch, type Transfer, totalOf } from "../../../domain/model/transfer.js";
import { MONEY_STORED_MAX, type Money, toXof } from "../../../domain/values/money.js";
import { type Complain, type Records, eachOf } from "./records.js";
import { countBy, groupBy } from "../../../kernel/collections.js";

/** Checks the money: amounts against statuses, sums against their parts, and all of it against the ledger. */
export function checkMoney(records: Records): string[] {
  const problems: string[] = [];
  const { ledger, charges, payments, transactions, batches } = records;
  const booked = checkLedger(problems, records);
  const postponed = countBy(payments, ({ chargeId }) => chargeId);
  eachOf(problems, "charges", charges, (charge, complain) => {
    checkCharge(charge, postponed.get(charge.id) ?? 0, complain);
    const inWallets = charge.refunded - charge.paid;
    if (booked.wallets(charge.id) !== inWallets) complain("paid", wantsBookings("paid less what was refunded"));
  });
  eachOf(problems, "transactions", transactions, (transfer, complain) => {
    checkTransfer(transfer, complain);
    const { id, status, debited, amount } = transfer;
    const isOpen = status === "pending" && debited;
    if (booked.pending(id) !== (isOpen ? totalOf(transfer) : 0)) complain("debited", wantsBookings("debited"));
    if (booked.wallets(id) !== (status === "completed" ? amount : 0)) complain("amount", wantsBookings("paid out"));
  });
  const owners = { charge: new Set(charges.map(({ id }) => id)), transfer: new Set(transactions.map(({ id }) => id)) };
  eachOf(problems, "ledger", ledger, ({ type, resource }, complain) => {
    const [kind] = type.split(".");
    if (kind !== "charge" && kind !== "transfer") {
      if (resource !== null) complain("resource", `must be null for ${type}`);
    } else if (resource === null || !owners[kind].has(resource)) {
      complain("resource", `must be the id of a ${kind === "charge" ? "charge" : "transaction"}`);
    }
  });
  const batchIds = new Set(batches.map(({ id }) => id));
  eachOf(problems, "transactions", transactions, ({ batchId }, complain) => {
    if (batchId !== null && !batchIds.has(batchId)) complain("batchId", "is the id of no batch");
  });
  const inBatches = groupBy(transactions, ({ batchId }) => batchId);
  eachOf(problems, "batches", batches, (batch, complain) => checkBatch(batch, inBatches.get(batch.id) ?? [], complain));
  return problems;
}

function wantsBookings(what: string): string {
  return `does not fit the ledger, whose entries of it do not say that so much was ${what}`;
}

/** The amounts that each resource moved in the entries of the ledger. */
interface Booked {
  wallets(resource: string): Money;
  pending(resource: string): Money;
}

/** Checks that the ledger adds up to the balance after each entry, and to the amount of each account. */
function checkLedger(problems: string[], { ledger, accounts }: Records): Booked {
  const sums = new Map<string, Money>(accountIds.map((account) => [account, 0]));
  const add = (key: string, amount: Money): void => void sums.set(key, (sums.get(key) ?? 0) + amount);
  eachOf(problems, "ledger", ledger, (entry, complain) => {
    for (const { account, amount } of entry.postings) {
      add(account, amount);
      if (entry.resource !== null) add(`${account} ${entry.resource}`, amount);
    }
    if (heldIn(accountIds.map((account) => sums.get(account) ?? 0)) > MONEY_STORED_MAX)
      complain("postings", `must leave the accounts with at most ${toXof(MONEY_STORED_MAX)} XOF together`);
    checkEntry(entry, sums.get("balance") ?? 0, complain);
  });
  for (const account of accountIds) {
    const total = sums.get(account) ?? 0;
    const index = accounts.findIndex(({ id }) => id === account);
    const stated = accounts[index]?.amount ?? 0;
    if (stated === total) continue;
    const place = index === -1 ? `accounts lacks ${account}; its amount` : `accounts[${index}].amount (${account})`;
    problems.push(`${place} must be ${toXof(total)}, what the ledger adds up to, got ${toXof(stated)}`);
  }
  const of = (account: AccountId) => (resource: string) => sums.get(`${account} ${resource}`) ?? 0;
  return { wallets: of("wallets"), pending: of("pending") };
}

/** The accounts between which each type of entry moves money. */
const accountsOf: Readonly<Record<LedgerEntryType, readonly AccountId[]>> = {
  opening: ["balance", "capital"],
  adjustment: ["balance", "capital"],
  "transfer.debit": ["balance", "pending"],
  "transfer.settled": ["balance", "pending", "wallets", "fees"],
  "transfer.returned": ["pending", "balance"],
  "charge.payment": ["wallets", "balance", "fees"],
  "charge.refund": ["balance", "wallets"],
};

function checkEntry({ type, postings, balance }: LedgerEntry, after: Money, complain: Complain): void {
  for (const [index, { account }] of postings.entries()) {
    const own = accountsOf[type];
    if (!own.includes(account))
      complain(`postings[${index}].account`, `must be ${own.join(" or ")} for ${type}, got ${account}`);
  }
  const total = postings.reduce((sum, { amount }) => sum + amount, 0);
  if (total !== 0) complain("postings", `must add up to 0, they add up to ${toXof(total)}`);
  if (balance !== after) complain("balance", `must be ${toXof(after)}, got ${toXof(balance)}`);
}

/** `postponed`: how many payments of the charge wait for their results. */
function checkCharge(charge: Charge, postponed: number, complain: Complain): void {
  const { status, amount, fee, paid, droppedReason, createdAt, expiresAt } = charge;
  const isPaid = status !== "due" && status !== "dropped";
  const right = isPaid ? amount : 0;
  if (paid !== right) complain("paid", `must be ${toXof(right)} when the status is ${status}, got ${toXof(paid)}`);
  checkRefunded(charge, complain);
  if (fee > amount) complain("fee", `must be at most the amount, ${toXof(amount)}, got ${toXof(fee)}`);
  if ((droppedReason !== null) !== (status === "dropped"))
    complain("droppedReason", status === "dropped" ? "must be a text" : `must be null when the status is ${status}`);
  if (expiresAt < createdAt) complain("expiresAt", "must not be before createdAt");
  checkEntries(charge, complain);
  const payments = charge.entries.filter(({ type }) => type === "payment").length + postponed;
  if (charge.attempts < payments) complain("attempts", `must be at least ${payments}, the number of its payments`);
}

function checkRefunded({ status, amount, refunded }: Charge, complain: Complain): void {
  if (status === "refunded_partially") {
    if (refunded === 0 || refunded >= amount)
      complain("refunded", `must be more than 0 and less than ${toXof(amount)} when the status is ${status}`);
    return;
  }
  const right = status === "refunded" ? amount : 0;
  if (refunded !== right)
    complain("refunded", `must be ${toXof(right)} when the status is ${status}, got ${toXof(refunded)}`);
}

function checkEntries({ entries, paid, refunded }: Charge, complain: Complain): void {
  const sums = { payment: 0, refund: 0 };
  for (const [index, { type, status, error, amount }] of entries.entries()) {
    if (status === "completed") sums[type] += amount;
    if ((error !== null) !== (status === "failed"))
      complain(`entries[${index}].error`, status === "failed" ? "must be a text" : "must be null unless it failed");
  }
  if (sums.payment !== paid)
    complain("entries", `must have payments of ${toXof(paid)}, they add up to ${toXof(sums.payment)}`);
  if (sums.refund !== refunded)
    complain("entries", `must have refunds of ${toXof(refunded)}, they add up to ${toXof(sums.refund)}`);
}

function checkTransfer({ status, failureReason, debited, pollsLeft }: Transfer, complain: Complain): void {
  if ((failureReason !== null) !== (status === "failed"))
    complain("failureReason", status === "failed" ? "must be a text" : `must be null when the status is ${status}`);
  if (status !== "pending" && debited !== (status === "completed"))
    complain("debited", `must be ${status === "completed"} when the status is ${status}`);
  if (pollsLeft !== null && (status !== "pending" || pollsLeft === 0))
    complain("pollsLeft", status === "pending" ? "must be null or at least 1" : `must be null when it is ${status}`);
}

function checkBatch(batch: Batch, transfers: readonly Transfer[], complain: Complain): void {
  const { transactionIds, open, status, totalAmount, totalFee } = batch;
  const own = new Set(transfers.map(({ id }) => id));
  if (transactionIds.length === 0) complain("transactionIds", "must have the id of a transaction");
  else if (!transactionIds.every((id) => own.has(id)))
    complain("transactionIds", "has the id of no transaction of this batch");
  else if (transactionIds.length !== own.size || new Set(transactionIds).size !== own.size)
    complain("transactionIds", `must have each of its ${own.size} transactions once`);
  const sum = (part: (transfer: Transfer) => number): number =>
    transfers.reduce((total, transfer) => total + part(transfer), 0);
  const pending = sum((transfer) => (transfer.status === "pending" ? 1 : 0));
  if (open !== pending) complain("open", `must be ${pending}, the number of its pending transactions`);
  const right = pending > 0 ? "processing" : "completed";
  if (status !== right) complain("status", `must be ${right} when ${pending} of its transactions are pending`);
  if (totalAmount !== sum(totalOf))
    complain("totalAmount", `must be ${toXof(sum(totalOf))}, the sum of its transactions`);
  const fees = sum(({ fee }) => fee);
  if (totalFee !== fees) complain("totalFee", `must be ${toXof(fees)}, the sum of its transactions`);
}
