import * as z from "zod";
import { chargeTerms } from "../../domain/model/charge.js";
import type { ChargeEntry } from "../../domain/model/charge.js";
import { createCharge, getCharge } from "../../domain/charges/create-charge.js";
import { dropCharge, expireCharge } from "../../domain/charges/drop-charge.js";
import { completePayment } from "../../domain/charges/pay-charge.js";
import { refundCharge } from "../../domain/charges/refund-charge.js";
import { digitsOf } from "../../domain/values/msisdn.js";
import { isApiProblem, refuse } from "../../domain/model/problem-codes.js";
import type { Profile } from "../../domain/profile/profile.js";
import { behaviourOf } from "../../domain/accounts/test-numbers.js";
import { afterStart, planOrder, startTransfer } from "../../domain/transfers/create-transfer.js";
import { completeTransfer, failTransfer } from "../../domain/transfers/settle-transfer.js";
import type { Transfer } from "../../domain/model/transfer.js";
import { Work, type World } from "../../domain/model/work.js";
import type { IdSource } from "../../kernel/ids.js";
import type { Instant } from "../../kernel/instant.js";
import type {
  ChargeFixture,
  CompanySetup,
  CustomerFixture,
  SubscriptionFixture,
  TransactionFixture,
  WorldFixture,
} from "./fixture.js";
import { createWorld } from "../../domain/model/world.js";
import { balanceOf } from "../../domain/accounts/ledger.js";
import { setBalance } from "../../domain/accounts/set-balance.js";
import { addRule } from "../../domain/rules/change-rules.js";
import { UsageError } from "../../kernel/problem.js";
import { quote } from "../../kernel/text.js";
import type { FixtureTime } from "./file-fields.js";
import { type Money, fromXof } from "../../domain/values/money.js";
import { setCustomer } from "../../domain/accounts/customers.js";
import { isReceiverAllowed } from "../../domain/deliveries/allowed-receivers.js";
import { createSubscription } from "../../domain/deliveries/subscriptions.js";

/**
 * Fills a company with what it begins with, in the order in which it was created. Every record goes through the operation that makes it in use,
 * so its books are right; nothing of it is an event or a webhook, since nobody has seen it happen. The given balance is the balance afterwards.
 *
 * Throws UsageError("input") for what the company's profile does not let it have, such as a receiver that is not allowed.
 */
export function seedCompany(context: SeedContext, setup: Pick<CompanySetup, "balance" | "fixtures" | "rules">): void {
  const { at } = context;
  const story = storyOf(at, setup.fixtures);
  const opening = openingFor(context, story, setup.balance);
  inWork(context, Math.min(at, story[0]?.at ?? at), (work) => setBalance(work, opening));
  for (const { customers, subscriptions } of setup.fixtures) {
    seedCustomers(context, customers);
    seedSubscriptions(context, subscriptions);
  }
  play(context, story);
  inWork(context, at, (work) => setBalance(work, setup.balance));
  // Last: what a company begins with has happened in a world that behaves.
  inWork(context, at, (work) => {
    for (const rule of setup.rules ?? []) addRule(work, rule);
  });
}

function seedCustomers(context: SeedContext, customers: readonly CustomerFixture[]): void {
  inWork(context, context.at, (work) => {
    for (const { msisdn, ...person } of customers) setCustomer(work, msisdn, person);
  });
}

function seedSubscriptions(context: SeedContext, subscriptions: readonly SubscriptionFixture[]): void {
  for (const subscription of subscriptions) {
    const { topic, url } = subscription;
    explain(`subscription of ${topic} to ${quote(url)}`, () => {
      if (!isReceiverAllowed(context.profile.webhooks.allow, url)) {
        refuse("invalid_request", "webhooks.allow does not permit its host");
      }
      inWork(context, context.at, (work) => createSubscription(work, subscription));
    });
  }
}

/** One record of a fixture, from its creation to its status. */
interface Chapter {
  /** What a message calls it. */
  readonly name: string;
  readonly at: Instant;
  readonly seed: (context: SeedContext) => void;
}

/** Earliest first; what was created at the same instant as it was written, charges before transactions. */
function storyOf(start: Instant, fixtures: readonly WorldFixture[]): Chapter[] {
  const charges = fixtures.flatMap((fixture) =>
    fixture.charges.map((charge): Chapter => {
      const at = instantOf(start, charge.createdAt);
      return { name: `charge ${quote(charge.externalId)}`, at, seed: (context) => seedCharge(context, charge, at) };
    }),
  );
  const transactions = fixtures.flatMap((fixture) =>
    fixture.transactions.map((transaction): Chapter => {
      const at = instantOf(start, transaction.createdAt);
      const name = `transaction ${quote(transaction.reference)}`;
      return { name, at, seed: (context) => seedTransaction(context, transaction, at) };
    }),
  );
  return [...charges, ...transactions].sort((a, b) => a.at - b.at);
}

function instantOf(start: Instant, time: FixtureTime | undefined): Instant {
  if (time === undefined) return start;
  return typeof time === "number" ? time : Math.max(0, start - time.beforeStartMs);
}

/** What a rehearsal begins with, so that nothing fails for want of money; and how far its records may move that, in XOF. */
const PLENTY_XOF = 100_000_000_000;
const MOVED_XOF_MAX = PLENTY_XOF / 2;

/**
 * What the company must begin with to end at the given balance: found by playing the story in a world that is thrown away. It is never so little
 * that money is short on the way; what is too much then is taken out at the end.
 */
function openingFor(context: SeedContext, story: readonly Chapter[], balance: Money): Money {
  if (story.length === 0) return balance;
  const plenty = fromXof(PLENTY_XOF);
  let seq = 0;
  const rehearsal: SeedContext = { ...context, world: createWorld(), nextSeq: () => ++seq };
  const moved = (): Money => balanceOf(rehearsal) - plenty;
  inWork(rehearsal, rehearsal.at, (work) => setBalance(work, plenty));
  play(rehearsal, story, () => {
    if (Math.abs(moved()) <= fromXof(MOVED_XOF_MAX)) return;
    refuse("invalid_request", `with those before it, it moves the balance by more than ${MOVED_XOF_MAX} XOF`);
  });
  const ebb = rehearsal.world.ledger.values().reduce((least, entry) => Math.min(least, entry.balance), plenty);
  return Math.max(balance - moved(), plenty - ebb);
}

function play(context: SeedContext, story: readonly Chapter[], afterEach = (): void => undefined): void {
  for (const { name, seed } of story) {
    explain(name, () => {
      seed(context);
      afterEach();
    });
  }
}

/** What the API would refuse is, in a fixture, a mistake of whoever wrote it. */
function explain(name: string, seed: () => void): void {
  try {
    seed();
  } catch (error) {
    if (!isApiProblem(error)) throw error;
    throw new UsageError("input", `Failed to seed the ${name}: ${error.messages.join("; ")}.`, { cause: error });
  }
}

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

/** A unit of work whose events nobody hears of. */
export function inWork<T>(context: SeedContext, at: Instant, change: (work: Work) => T): T {
  const work = new Work({ ...context, at });
  const result = change(work);
  for (const event of work.events) work.remove(context.world.events, event.id);
  work.commit();
  return result;
}

/** Of a fixture, what the charge's creation is given. */
const chargeOrder = z.object({ amount: z.number(), ...chargeTerms });

/** A charge, created at `at` and brought to the status that its fixture gives it. */
export function seedCharge(context: SeedContext, fixture: ChargeFixture, at: Instant): void {
  if (fixture.id !== undefined) assertIdFree(context.world.charges.get(fixture.id));
  const charge = inWork({ ...context, ids: idsFrom(context.ids, fixture.id) }, at, (work) =>
    createCharge(work, { ...chargeOrder.parse(fixture), checkoutUrl: context.checkoutUrl }),
  );
  switch (fixture.status) {
    case "due":
      // What would have happened before the company begins has happened, and nobody has heard of it.
      if (charge.expiresAt <= context.at) inWork(context, charge.expiresAt, (work) => expireCharge(work, charge.id));
      return;
    case "dropped":
      inWork(context, at, (work) => dropCharge(work, charge.id, fixture.droppedReason));
      return;
    case "paid":
      inWork(context, at, (work) => pay(work, charge.id, fixture));
      return;
    case "refunded":
    case "refunded_partially":
      inWork(context, at, (work) => {
        pay(work, charge.id, fixture);
        refundCharge(work, { chargeId: charge.id, amount: fixture.refunded });
      });
  }
}

/** Paid at the first attempt, by whichever number: that the reserved ones decline is for payments of an application. */
function pay(work: Work, chargeId: string, { msisdn = work.profile.testNumbers.success }: ChargeFixture): void {
  const charge = getCharge(work, chargeId);
  const entry: ChargeEntry = {
    id: work.ids.uuid(),
    recipientMsisdn: digitsOf(msisdn),
    amount: charge.amount,
    service: work.profile.charges.service,
    status: "completed",
    type: "payment",
    error: null,
  };
  completePayment(work, { ...charge, attempts: 1, silent: behaviourOf(work.profile, msisdn).silent }, entry);
}

/** A transaction, created at `at` and brought to the status that its fixture gives it. */
export function seedTransaction(context: SeedContext, fixture: TransactionFixture, at: Instant): void {
  const { amount, msisdn, reference, description } = fixture;
  const { transfers } = context.world;
  if (fixture.id !== undefined) assertIdFree(transfers.get(fixture.id));
  const conflicts = context.profile.transfers.duplicateReference === "conflict";
  if (conflicts && transfers.findBy("reference", reference) !== undefined) {
    refuse("reference_taken", "its reference was used by an earlier one");
  }
  const transfer = inWork({ ...context, ids: idsFrom(context.ids, fixture.id) }, at, (work) =>
    startTransfer(work, planOrder(work, { amount, msisdn, reference, description }), null),
  );
  switch (fixture.status) {
    case "completed":
      inWork(context, at, (work) => completeTransfer(work, transfer));
      return;
    case "failed":
      inWork(context, at, (work) => failTransfer(work, transfer, fixture.failureReason ?? plannedReason(transfer)));
      return;
    case "pending":
      // Where transfers settle at once, a fixture that is pending stays so until it is brought to an end by hand.
      if (context.profile.transfers.settlement.kind === "immediate") return;
      inWork(context, Math.max(at, context.at), (work) => afterStart(work, transfer));
  }
}

function plannedReason({ plan }: Transfer): string {
  return plan.outcome === "failed" ? plan.reason : "recipient_unreachable";
}

function assertIdFree(holder: object | undefined): void {
  if (holder !== undefined) refuse("invalid_request", "its id is that of an earlier one");
}

/** The given id for the record itself, which is the first to be made; made-up ones for all that belongs to it. */
function idsFrom(ids: IdSource, first: string | undefined): IdSource {
  let given = first;
  return {
    uuid: () => {
      const id = given ?? ids.uuid();
      given = undefined;
      return id;
    },
    short: (prefix) => ids.short(prefix),
    hex32: () => ids.hex32(),
    get position() {
      return ids.position;
    },
  };
}
