import { DueQueue } from "../kernel/due-work.js";
import { Table } from "../kernel/table.js";
import type { Account, LedgerEntry } from "./accounts/account.js";
import type { Charge } from "./charges/charge.js";
import type { Customer } from "./customers/customer.js";
import type { PendingPayment } from "./charges/pending-payment.js";
import type { Delivery } from "./deliveries/delivery.js";
import type { Hold } from "./deliveries/hold.js";
import type { DomainEvent } from "./events.js";
import type { Rule } from "./rules/rule.js";
import type { Subscription } from "./subscriptions/subscription.js";
import type { Batch, Transfer } from "./transfers/transfer.js";
import type { DueKind, World } from "./work.js";

/** A company's records before its first. */
export function createWorld(): World {
  return {
    accounts: new Table<Account>("accounts"),
    ledger: new Table<LedgerEntry>("ledger"),
    customers: new Table<Customer>("customers"),
    charges: new Table<Charge, "externalId">("charges", { externalId: (charge) => charge.externalId }),
    transfers: new Table<Transfer, "reference">("transfers", { reference: (transfer) => transfer.reference }),
    batches: new Table<Batch>("batches"),
    subscriptions: new Table<Subscription>("subscriptions"),
    deliveries: new Table<Delivery>("deliveries"),
    events: new Table<DomainEvent>("events"),
    rules: new Table<Rule>("rules"),
    payments: new Table<PendingPayment>("payments"),
    holds: new Table<Hold>("holds"),
    due: new DueQueue<DueKind>(),
  };
}
