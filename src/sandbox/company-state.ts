import type { Account, LedgerEntry } from "../domain/accounts/account.js";
import type { Charge } from "../domain/charges/charge.js";
import type { Customer } from "../domain/customers/customer.js";
import type { Delivery } from "../domain/deliveries/delivery.js";
import type { DomainEvent } from "../domain/events.js";
import type { ProfileOverrides } from "../domain/profile/setting.js";
import type { Subscription } from "../domain/subscriptions/subscription.js";
import type { Batch, Transfer } from "../domain/transfers/transfer.js";
import type { DueKind, World } from "../domain/work.js";
import type { ClockState } from "../kernel/clock.js";
import { DueQueue } from "../kernel/due-work.js";
import type { Instant } from "../kernel/instant.js";
import { Table } from "../kernel/table.js";

export interface AccessToken {
  readonly token: string;
  /** On the company's clock; null: never. */
  readonly expiresAt: Instant | null;
}

/** Who a company is: what its clients hold. Not part of its state, so a state can be put into another company. */
export interface Identity {
  readonly id: string;
  readonly tokens: readonly AccessToken[];
  readonly secretKey: string;
}

/** The one to use: that never expires, or else the first. Empty when a company has none. */
export function usableToken({ tokens }: Pick<Identity, "tokens">): string {
  return (tokens.find(({ expiresAt }) => expiresAt === null) ?? tokens[0])?.token ?? "";
}

/** Everything of one company that is stored. */
export interface CompanyRecord {
  identity: Identity;
  readonly world: World;
  clock: ClockState;
  /** Its own settings, as they were written; the rest is the sandbox's. */
  overrides: ProfileOverrides;
  /** The last place given in the order of its records. */
  seq: number;
  /** Where its seeded stream of ids stands. */
  idPosition: number;
}

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
    due: new DueQueue<DueKind>(),
  };
}
