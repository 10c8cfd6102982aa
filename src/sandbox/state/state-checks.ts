import { type AccountId, type LedgerEntry, accountIds } from "../../domain/model/account.js";
import { toXof } from "../../domain/values/money.js";
import type { DueKind } from "../../domain/model/work.js";
import type { Row } from "../../kernel/records/table.js";
import { type State, stateTables } from "./state-schema.js";
import { quote } from "../../kernel/messages/text.js";

export function checkState(state: State): string[] {
  return [...checkOrder(state), ...checkReferences(state), ...checkBooks(state), ...checkTimers(state)];
}

/** Each id and each `seq` is given once, and no `seq` is above the last one of the state. */
function checkOrder(state: State): string[] {
  return stateTables.flatMap((name) => {
    const rows: readonly Row[] = state[name];
    return [
      ...repeatsOf(rows, ({ id }) => id).map((index) => `${name}[${index}].id is given twice`),
      ...repeatsOf(rows, ({ seq }) => seq).map((index) => `${name}[${index}].seq is given twice`),
      ...rows.flatMap(({ seq }, index) =>
        seq > state.seq ? [`${name}[${index}].seq must be at most seq, ${state.seq}`] : [],
      ),
    ];
  });
}

function checkReferences({ charges, transactions, batches, payments, holds, deliveries }: State): string[] {
  const transfers = new Map(transactions.map((transfer) => [transfer.id, transfer]));
  const batchIds = new Set(batches.map(({ id }) => id));
  const chargeIds = new Set(charges.map(({ id }) => id));
  const deliveryIds = new Set(deliveries.map(({ id }) => id));
  return [
    ...repeatsOf(charges, ({ externalId }) => externalId).map((index) => `charges[${index}].externalId is given twice`),
    ...transactions.flatMap(({ batchId }, index) =>
      batchId === null || batchIds.has(batchId) ? [] : [`transactions[${index}].batchId is the id of no batch`],
    ),
    ...payments.flatMap(({ chargeId }, index) =>
      chargeIds.has(chargeId) ? [] : [`payments[${index}].chargeId is the id of no charge`],
    ),
    ...holds.flatMap((hold, index) =>
      hold.deliveryIds.every((id) => deliveryIds.has(id))
        ? []
        : [`holds[${index}].deliveryIds has the id of no delivery`],
    ),
    ...batches.flatMap(({ transactionIds, open }, index) => {
      const items = transactionIds.flatMap((id) => transfers.get(id) ?? []);
      if (items.length < transactionIds.length)
        return [`batches[${index}].transactionIds has the id of no transaction`];
      const pending = items.filter(({ status }) => status === "pending").length;
      return pending === open
        ? []
        : [`batches[${index}].open must be ${pending}, the number of its pending transactions`];
    }),
  ];
}

/** "the sum always equals the balance": entry by entry, and account by account. */
function checkBooks({ ledger, accounts }: State): string[] {
  const sums = new Map<AccountId, number>(accountIds.map((account) => [account, 0]));
  const problems = ledger.flatMap((entry, index) => checkEntry(sums, entry, index));
  for (const account of accountIds) {
    const booked = sums.get(account) ?? 0;
    const index = accounts.findIndex(({ id }) => id === account);
    const stated = accounts[index]?.amount ?? 0;
    if (stated === booked) continue;
    const place = index === -1 ? `accounts lacks ${account}; its amount` : `accounts[${index}].amount (${account})`;
    problems.push(`${place} must be ${toXof(booked)}, what the ledger adds up to, got ${toXof(stated)}`);
  }
  return problems;
}

function checkEntry(sums: Map<AccountId, number>, { postings, balance }: LedgerEntry, index: number): string[] {
  for (const { account, amount } of postings) sums.set(account, (sums.get(account) ?? 0) + amount);
  const total = postings.reduce((sum, { amount }) => sum + amount, 0);
  const after = sums.get("balance") ?? 0;
  return [
    ...(total === 0 ? [] : [`ledger[${index}].postings must add up to 0, they add up to ${toXof(total)}`]),
    ...(balance === after ? [] : [`ledger[${index}].balance must be ${toXof(after)}, got ${toXof(balance)}`]),
  ];
}

function checkTimers({ due, charges, transactions, payments, deliveries }: State): string[] {
  const known: Readonly<Record<DueKind, ReadonlySet<string>>> = {
    "charge.expire": new Set(charges.map(({ id }) => id)),
    "transfer.settle": new Set(transactions.map(({ id }) => id)),
    "payment.settle": new Set(payments.map(({ id }) => id)),
    "delivery.attempt": new Set(deliveries.map(({ id }) => id)),
  };
  return due.flatMap(({ kind, subject }, index) =>
    known[kind].has(subject) ? [] : [`due[${index}].subject must be what ${kind} is about, got ${quote(subject)}`],
  );
}

function repeatsOf<T>(rows: readonly T[], keyOf: (row: T) => string | number): number[] {
  const seen = new Set<string | number>();
  return rows.flatMap((row, index) => {
    const key = keyOf(row);
    if (seen.has(key)) return [index];
    seen.add(key);
    return [];
  });
}
