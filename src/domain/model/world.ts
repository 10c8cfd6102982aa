import { DueQueue } from "../../kernel/records/due-work.js";
import { Table } from "../../kernel/records/table.js";
import type { Account, LedgerEntry } from "./account.js";
import type { Charge, PendingPayment } from "./charge.js";
import type { Customer } from "./customer.js";
import type { Delivery, Hold } from "./delivery.js";
import type { DomainEvent } from "./events.js";
import type { Rule } from "./rule.js";
import type { Subscription } from "./subscription.js";
import type { Batch, Transfer } from "./transfer.js";
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
