import { createWorld } from "../../domain/model/world.js";
import { balanceOf } from "../../domain/accounts/ledger.js";
import { setBalance } from "../../domain/accounts/set-balance.js";
import { addRule } from "../../domain/rules/change-rules.js";
import type { Instant } from "../../kernel/instant.js";
import { UsageError } from "../../kernel/problem.js";
import { quote } from "../../kernel/text.js";
import type { CompanySetup, CustomerFixture, SubscriptionFixture, WorldFixture } from "./fixture.js";
import { type SeedContext, inWork, seedCharge, seedTransaction } from "./seed-records.js";
import type { FixtureTime } from "./file-fields.js";
import { type Money, fromXof } from "../../domain/values/money.js";
import { setCustomer } from "../../domain/accounts/customers.js";
import { isApiProblem, refuse } from "../../domain/model/problem-codes.js";
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
