import * as z from "zod";
import type { Instant } from "../../kernel/instant.js";
import type { Company } from "../company/company.js";
import { type State, STATE_VERSION, stateSchema } from "./state-schema.js";

/**
 * A company's whole state as JSON: resources, ledger, subscriptions, rules, profile, clock, due work and what is owed to receivers. Not who it is: ids, tokens and
 * secret key stay with the company that a state is put into.
 */
export function dumpState(company: Company, now: Instant = company.now()): unknown {
  const { world, record } = company;
  const state: State = {
    schemaVersion: STATE_VERSION,
    companyId: company.id,
    clock: { mode: company.clock.mode, now },
    profile: record.overrides,
    seq: record.seq,
    idPosition: company.ids().position,
    accounts: world.accounts.values(),
    ledger: world.ledger.values(),
    customers: world.customers.values(),
    charges: world.charges.values(),
    transactions: world.transfers.values(),
    batches: world.batches.values(),
    subscriptions: world.subscriptions.values(),
    deliveries: world.deliveries.values(),
    events: world.events.values(),
    rules: world.rules.values(),
    payments: world.payments.values(),
    holds: world.holds.values(),
    due: world.due.values(),
  };
  return z.encode(stateSchema, state);
}
