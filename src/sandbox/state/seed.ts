import * as z from "zod";
import { setCustomer } from "../../domain/accounts/customers.js";
import { balanceOf } from "../../domain/accounts/ledger.js";
import { setBalance } from "../../domain/accounts/set-balance.js";
import { behaviourOf } from "../../domain/accounts/test-numbers.js";
import { createCharge } from "../../domain/charges/create-charge.js";
import { dropCharge, expireCharge } from "../../domain/charges/drop-charge.js";
import { completePayment } from "../../domain/charges/pay-charge.js";
import { refundCharge } from "../../domain/charges/refund-charge.js";
import { isReceiverAllowed } from "../../domain/deliveries/allowed-receivers.js";
import { createSubscription } from "../../domain/deliveries/subscriptions.js";
import { type Charge, type ChargeEntry, chargeTerms } from "../../domain/model/charge.js";
import { isApiProblem, refuse } from "../../domain/model/problem-codes.js";
import { Work, type WorkContext, createWorld } from "../../domain/model/work.js";
import { RULE_DEFAULTS, addRules } from "../../domain/rules/change-rules.js";
import { afterStart, planOrder, startTransfer } from "../../domain/transfers/create-transfer.js";
import { completeTransfer, failTransfer } from "../../domain/transfers/settle-transfer.js";
import { type Money, fromXof } from "../../domain/values/money.js";
import { digitsOf } from "../../domain/values/msisdn.js";
import type { IdSource } from "../../kernel/records/ids.js";
import type { Instant } from "../../kernel/time/instant.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { quote } from "../../kernel/messages/text.js";
import type { FixtureTime } from "./file-fields.js";
import type { ChargeFixture, CompanySetup, SubscriptionFixture, TransactionFixture, WorldFixture } from "./fixture.js";

/** `at` is the time at which the company begins. */
export interface SeedContext extends WorkContext {
  /** The URL of payment pages. */
  readonly checkoutUrl: string;
}

/**
 * Creates the records of a company's fixtures in the order of their times. Each is created by the operation that clients would use, so the ledger is right.
 * Fixtures cause no events and no webhooks. The given balance is the balance afterwards.
 *
 * Throws UsageError("input") for anything that the company's profile does not allow, such as a receiver.
 */
export function seedCompany(context: SeedContext, setup: Pick<CompanySetup, "balance" | "fixtures" | "rules">): void {
  const { at } = context;
  const records = recordsOf(at, setup.fixtures);
  const opening = openingBalance(context, records, setup.balance);
  inWork(context, Math.min(at, records[0]?.at ?? at), (work) => setBalance(work, opening));
  for (const { customers, subscriptions } of setup.fixtures) {
    inWork(context, at, (work) => {
      for (const { msisdn, ...person } of customers) setCustomer(work, msisdn, person);
    });
    for (const subscription of subscriptions) seedSubscription(context, subscription);
  }
  for (const record of records) seedRecord(context, record);
  inWork(context, at, (work) => setBalance(work, setup.balance));
  // Rules come last, because they do not apply to fixtures.
  const rules = (setup.rules ?? []).map((rule) => ({ ...RULE_DEFAULTS, ...rule }));
  inWork(context, at, (work) => addRules(work, rules));
}

function seedSubscription(context: SeedContext, subscription: SubscriptionFixture): void {
  const { topic, url } = subscription;
  explainRefusal(`subscription of ${topic} to ${quote(url)}`, () => {
    if (!isReceiverAllowed(context.profile.webhooks.allow, url)) {
      refuse("invalid_request", "webhooks.allow does not permit its host");
    }
    inWork(context, context.at, (work) => createSubscription(work, subscription));
  });
}

interface SeedRecord {
  readonly name: string;
  readonly at: Instant;
  readonly create: (context: SeedContext) => void;
}

/** The records by time, earliest first. At the same time charges come before transactions, each in the order of the files. */
function recordsOf(start: Instant, fixtures: readonly WorldFixture[]): SeedRecord[] {
  const charges = fixtures.flatMap((fixture) =>
    fixture.charges.map((charge): SeedRecord => {
      const at = instantOf(start, charge.createdAt);
      return { name: `charge ${quote(charge.externalId)}`, at, create: (context) => seedCharge(context, charge, at) };
    }),
  );
  const transactions = fixtures.flatMap((fixture) =>
    fixture.transactions.map((transaction): SeedRecord => {
      const at = instantOf(start, transaction.createdAt);
      const name = `transaction ${quote(transaction.reference)}`;
      return { name, at, create: (context) => seedTransaction(context, transaction, at) };
    }),
  );
  return [...charges, ...transactions].sort((a, b) => a.at - b.at);
}

function instantOf(start: Instant, time: FixtureTime | undefined): Instant {
  if (time === undefined) return start;
  return typeof time === "number" ? time : Math.max(0, start - time.beforeStartMs);
}

/** The balance of a trial run, which is enough for everything, and how far the records may move it, in XOF. */
const TRIAL_XOF = 100_000_000_000;
const MOVED_XOF_MAX = TRIAL_XOF / 2;

/**
 * The balance to begin with, so that the company ends with `balance`: found by creating the records in a world that is discarded. It is high enough for
 * every record; what is left over is taken out at the end.
 */
function openingBalance(context: SeedContext, records: readonly SeedRecord[], balance: Money): Money {
  if (records.length === 0) return balance;
  const start = fromXof(TRIAL_XOF);
  let seq = 0;
  const trial: SeedContext = { ...context, world: createWorld(), nextSeq: () => ++seq };
  const moved = (): Money => balanceOf(trial) - start;
  inWork(trial, trial.at, (work) => setBalance(work, start));
  for (const record of records) {
    seedRecord(trial, record);
    if (Math.abs(moved()) > fromXof(MOVED_XOF_MAX)) {
      const why = `with those before it, it moves the balance by more than ${MOVED_XOF_MAX} XOF`;
      explainRefusal(record.name, () => refuse("invalid_request", why));
    }
  }
  const lowest = trial.world.ledger.values().reduce((least, entry) => Math.min(least, entry.balance), start);
  return Math.max(balance - moved(), start - lowest);
}

function seedRecord(context: SeedContext, { name, create }: SeedRecord): void {
  explainRefusal(name, () => create(context));
}

/** Reports a refusal of the API as a mistake in the fixture. */
function explainRefusal(name: string, seed: () => void): void {
  try {
    seed();
  } catch (error) {
    if (!isApiProblem(error)) throw error;
    throw new UsageError("input", `Failed to seed the ${name}: ${error.messages.join("; ")}.`, { cause: error });
  }
}

function inWork<T>(context: SeedContext, at: Instant, change: (work: Work) => T): T {
  const work = new Work({ ...context, at });
  const result = change(work);
  for (const event of work.events) work.remove(context.world.events, event.id);
  work.commit();
  return result;
}

/** The members of a fixture that the creation of its charge takes. */
const chargeOrder = z.object({ amount: z.number(), ...chargeTerms });

function seedCharge(context: SeedContext, fixture: ChargeFixture, at: Instant): void {
  const { world, ids, checkoutUrl } = context;
  if (fixture.id !== undefined) assertIdFree(world.charges.get(fixture.id));
  const charge = inWork({ ...context, ids: startingWith(fixture.id, ids) }, at, (work) => {
    const created = createCharge(work, { ...chargeOrder.parse(fixture), checkoutUrl });
    const { status } = fixture;
    if (status === "dropped") dropCharge(work, created.id, fixture.droppedReason);
    if (status === "paid" || status === "refunded" || status === "refunded_partially") pay(work, created, fixture);
    if (status === "refunded" || status === "refunded_partially") {
      refundCharge(work, { chargeId: created.id, amount: fixture.refunded });
    }
    return created;
  });
  // A due charge that expired before the company begins is dropped.
  if (fixture.status === "due" && charge.expiresAt <= context.at) {
    inWork(context, charge.expiresAt, (work) => expireCharge(work, charge.id));
  }
}

/** Pays the charge at the first attempt, from any number: test numbers decline only the payments of an application. */
function pay(work: Work, charge: Charge, { msisdn = work.profile.testNumbers.success }: ChargeFixture): void {
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

function seedTransaction(context: SeedContext, fixture: TransactionFixture, at: Instant): void {
  const { amount, msisdn, reference, description, status, failureReason } = fixture;
  const { world, profile, ids } = context;
  if (fixture.id !== undefined) assertIdFree(world.transfers.get(fixture.id));
  const conflicts = profile.transfers.duplicateReference === "conflict";
  if (conflicts && world.transfers.findBy("reference", reference) !== undefined) {
    refuse("reference_taken", "its reference was used by an earlier one");
  }
  const transfer = inWork({ ...context, ids: startingWith(fixture.id, ids) }, at, (work) => {
    const started = startTransfer(work, planOrder(work, { amount, msisdn, reference, description }), null);
    const { plan } = started;
    if (status === "completed") completeTransfer(work, started);
    if (status === "failed") {
      const planned = plan.outcome === "failed" ? plan.reason : "recipient_unreachable";
      failTransfer(work, started, failureReason ?? planned);
    }
    return started;
  });
  // Where transfers settle at once, a pending fixture stays pending until the user settles it.
  if (status === "pending" && (transfer.settleAfterMs !== null || profile.transfers.settlement.kind !== "immediate")) {
    inWork(context, Math.max(at, context.at), (work) => afterStart(work, transfer));
  }
}

function assertIdFree(holder: object | undefined): void {
  if (holder !== undefined) refuse("invalid_request", "its id is that of an earlier one");
}

/** Ids of which the first UUID is the given one, for the record itself. All others are generated. */
function startingWith(first: string | undefined, ids: IdSource): IdSource {
  let given = first;
  return {
    ...ids,
    uuid: () => {
      const id = given ?? ids.uuid();
      given = undefined;
      return id;
    },
  };
}
