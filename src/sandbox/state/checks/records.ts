import type { Account, LedgerEntry } from "../../../domain/model/account.js";
import type { Charge, PendingPayment } from "../../../domain/model/charge.js";
import type { Customer } from "../../../domain/model/customer.js";
import type { Delivery, Hold } from "../../../domain/model/delivery.js";
import type { DomainEvent } from "../../../domain/model/events.js";
import type { Rule } from "../../../domain/model/rule.js";
import type { Subscription } from "../../../domain/model/subscription.js";
import type { Batch, Transfer } from "../../../domain/model/transfer.js";
import type { DueKind, World } from "../../../domain/model/work.js";
import { PROBLEMS_MAX } from "../../../kernel/fields.js";
import type { DueItem } from "../../../kernel/records/due-work.js";
import type { Instant } from "../../../kernel/time/instant.js";

/** All records of a company in their order, under the names that they have in a state. */
export interface Records {
  /** The company's time. */
  readonly now: Instant;
  /** The `seq` of the newest record. */
  readonly seq: number;
  readonly accounts: readonly Account[];
  readonly ledger: readonly LedgerEntry[];
  readonly customers: readonly Customer[];
  readonly charges: readonly Charge[];
  readonly transactions: readonly Transfer[];
  readonly batches: readonly Batch[];
  readonly subscriptions: readonly Subscription[];
  readonly deliveries: readonly Delivery[];
  readonly events: readonly DomainEvent[];
  readonly rules: readonly Rule[];
  readonly payments: readonly PendingPayment[];
  readonly holds: readonly Hold[];
  readonly due: readonly DueItem<DueKind>[];
}

export function recordsOf({ transfers, ...world }: World, seq: number, now: Instant): Records {
  return {
    now,
    seq,
    accounts: world.accounts.values(),
    ledger: world.ledger.values(),
    customers: world.customers.values(),
    charges: world.charges.values(),
    transactions: transfers.values(),
    batches: world.batches.values(),
    subscriptions: world.subscriptions.values(),
    deliveries: world.deliveries.values(),
    events: world.events.values(),
    rules: world.rules.values(),
    payments: world.payments.values(),
    holds: world.holds.values(),
    due: world.due.values(),
  };
}

/** Collects the problems of one record, each as `charges[3].paid must be 100, because …`. */
export type Complain = (field: string, right: string) => void;

/** Calls `check` with each record until there are enough problems. */
export function eachOf<Row>(
  problems: string[],
  name: string,
  rows: readonly Row[],
  check: (row: Row, complain: Complain) => void,
): void {
  for (const [index, row] of rows.entries()) {
    if (problems.length > PROBLEMS_MAX) return;
    check(row, (field, right) => problems.push(`${name}[${index}].${field} ${right}`));
  }
}
