import { balanceOf } from "../domain/accounts/ledger.js";
import { fromXof, type Money } from "../domain/accounts/money.js";
import { setBalance } from "../domain/accounts/set-balance.js";
import type { Charge, ChargeEntry } from "../domain/charges/charge.js";
import { createCharge } from "../domain/charges/create-charge.js";
import { dropCharge } from "../domain/charges/drop-charge.js";
import { completePayment } from "../domain/charges/pay-charge.js";
import { refundCharge } from "../domain/charges/refund-charge.js";
import { setCustomer } from "../domain/customers/check-customer.js";
import { digitsOf } from "../domain/msisdn.js";
import type { Profile } from "../domain/profile/profile.js";
import { createSubscription } from "../domain/subscriptions/create-subscription.js";
import { afterStart, startTransfer } from "../domain/transfers/create-transfer.js";
import { completeTransfer, failTransfer } from "../domain/transfers/settle-transfer.js";
import { Work, type World } from "../domain/work.js";
import type { IdSource } from "../kernel/ids.js";
import type { Instant } from "../kernel/instant.js";
import { createWorld } from "./company-state.js";
import type { ChargeFixture, CompanySetup, SubscriptionFixture, TransactionFixture, WorldFixture } from "./fixture.js";

export interface SeedContext {
  readonly world: World;
  readonly profile: Profile;
  readonly ids: IdSource;
  /** When the company begins. */
  readonly at: Instant;
  readonly nextSeq: () => number;
  /** Where payment pages stand. */
  readonly checkoutUrl: string;
}

/**
 * Fills a company with what it begins with. Every record goes through the operation that makes it in use, so its books are right; nothing of it
 * is an event or a webhook, since nobody has seen it happen. The given balance is the balance afterwards.
 */
export function seedCompany(context: SeedContext, setup: Pick<CompanySetup, "balance" | "fixtures">): void {
  const opening = setup.balance - effectOf(context, setup.fixtures);
  inWork(context, context.at, (work) => setBalance(work, opening));
  for (const fixture of setup.fixtures) seedFixture(context, fixture);
}

/** What the fixtures themselves move the balance by: found by playing them in a world that is thrown away. */
function effectOf(context: SeedContext, fixtures: readonly WorldFixture[]): Money {
  if (fixtures.every((fixture) => fixture.charges.length + fixture.transactions.length === 0)) return 0;
  let seq = 0;
  const scratch: SeedContext = { ...context, world: createWorld(), nextSeq: () => ++seq };
  const plenty = fromXof(1e11);
  inWork(scratch, scratch.at, (work) => setBalance(work, plenty));
  for (const fixture of fixtures) seedFixture(scratch, { ...fixture, subscriptions: [], customers: [] });
  return balanceOf(scratch) - plenty;
}

function seedFixture(context: SeedContext, fixture: WorldFixture): void {
  inWork(context, context.at, (work) => {
    for (const { msisdn, ...person } of fixture.customers) setCustomer(work, msisdn, person);
  });
  for (const charge of fixture.charges) seedCharge(context, charge);
  for (const transaction of fixture.transactions) seedTransaction(context, transaction);
  seedSubscriptions(context, fixture.subscriptions);
}

export function seedSubscriptions(context: SeedContext, subscriptions: readonly SubscriptionFixture[]): void {
  inWork(context, context.at, (work) => {
    for (const subscription of subscriptions) createSubscription(work, subscription);
  });
}

function seedCharge(context: SeedContext, fixture: ChargeFixture): void {
  const at = fixture.createdAt ?? context.at;
  const ids = fixture.id === undefined ? context.ids : withFirstUuid(context.ids, fixture.id);
  const created = inWork({ ...context, ids }, at, (work) => createCharge(work, { ...fixture, checkoutUrl: context.checkoutUrl }));
  inWork(context, at, (work) => bringToStatus(work, created, fixture));
}

function bringToStatus(work: Work, charge: Charge, fixture: ChargeFixture): void {
  if (fixture.status === "due") return;
  if (fixture.status === "dropped") {
    dropCharge(work, charge.id, fixture.droppedReason);
    return;
  }
  const entry: ChargeEntry = {
    id: work.ids.uuid(),
    recipientMsisdn: digitsOf(fixture.msisdn ?? work.profile.testNumbers.success),
    amount: charge.amount,
    service: work.profile.charges.service,
    status: "completed",
    type: "payment",
    error: null,
  };
  completePayment(work, { ...charge, attempts: 1 }, entry);
  if (fixture.status === "refunded") refundCharge(work, { chargeId: charge.id, amount: undefined });
  if (fixture.status === "refunded_partially") refundCharge(work, { chargeId: charge.id, amount: fixture.refunded });
}

function seedTransaction(context: SeedContext, fixture: TransactionFixture): void {
  const at = fixture.createdAt ?? context.at;
  const ids = fixture.id === undefined ? context.ids : withFirstUuid(context.ids, fixture.id);
  inWork({ ...context, ids }, at, (work) => {
    const { amount, msisdn, reference, description } = fixture;
    const transfer = startTransfer(work, { amount, msisdn, reference, description }, null);
    if (fixture.status === "completed") completeTransfer(work, transfer);
    else if (fixture.status === "failed") failTransfer(work, transfer, fixture.failureReason ?? "recipient_unreachable");
    else afterStart(work, transfer);
  });
}

/** A unit of work whose events nobody hears of. */
function inWork<T>(context: SeedContext, at: Instant, change: (work: Work) => T): T {
  const work = new Work({ ...context, at });
  const result = change(work);
  for (const event of work.events) work.remove(context.world.events, event.id);
  work.commit();
  return result;
}

function withFirstUuid(ids: IdSource, first: string): IdSource {
  let given = false;
  return {
    uuid: () => {
      if (given) return ids.uuid();
      given = true;
      return first;
    },
    short: (prefix) => ids.short(prefix),
    hex32: () => ids.hex32(),
    get position() {
      return ids.position;
    },
  };
}
