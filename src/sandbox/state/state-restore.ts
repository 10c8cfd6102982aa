import { createWorld } from "../../domain/model/world.js";
import { messagesOf } from "../../contract/parse.js";
import { UsageError } from "../../kernel/problem.js";
import type { Row, RowStore } from "../../kernel/table.js";
import type { ClockState } from "../../kernel/clock.js";
import type { SystemClock } from "../../kernel/system-clock.js";
import type { Company } from "../company/company.js";
import type { CompanyRecord } from "./company-record.js";
import { checkState } from "./state-checks.js";
import { type State, STATE_VERSION, stateSchema } from "./state-schema.js";

/** Nobody reads more of one list. */
const MESSAGES_MAX = 100;

/**
 * The record that `dumped` makes of a company, under that company's own identity. Nothing is changed: `Sandbox.replace` puts it in its place.
 *
 * Throws UsageError("input") with everything that is wrong: a newer version, what does not fit the schema, books that do not add up.
 */
export function restoreState(company: Company, dumped: unknown): CompanyRecord {
  assertReadable(dumped);
  const parsed = stateSchema.safeDecode(dumped);
  if (!parsed.success) refuseState(messagesOf(parsed.error.issues, dumped, "body"));
  const state = parsed.data;
  const problems = checkState(state);
  if (problems.length > 0) refuseState(problems);
  return {
    identity: company.record.identity,
    world: fillWorld(state),
    clock: clockOf(state, company.deps.system),
    overrides: state.profile,
    seq: state.seq,
    idPosition: state.idPosition,
    snapshots: company.record.snapshots,
  };
}

/** Before anything else of it is looked at: what a newer version says cannot be judged by this one. */
function assertReadable(dumped: unknown): void {
  const version: unknown =
    typeof dumped === "object" && dumped !== null ? Reflect.get(dumped, "schemaVersion") : undefined;
  if (typeof version !== "number" || version <= STATE_VERSION) return;
  const newer = `Failed to put the state: it is of version ${version}, and this sandbox reads ${STATE_VERSION}`;
  throw new UsageError(
    "input",
    `${newer}. A newer business-payments-sandbox wrote it; put it into one of that release.`,
  );
}

function refuseState(problems: readonly string[]): never {
  const more = problems.length - MESSAGES_MAX;
  throw new UsageError("input", [...problems.slice(0, MESSAGES_MAX), ...(more > 0 ? [`${more} more problems`] : [])]);
}

function fillWorld(state: State): CompanyRecord["world"] {
  const world = createWorld();
  fill(world.accounts, state.accounts);
  fill(world.ledger, state.ledger);
  fill(world.customers, state.customers);
  fill(world.charges, state.charges);
  fill(world.transfers, state.transactions);
  fill(world.batches, state.batches);
  fill(world.subscriptions, state.subscriptions);
  fill(world.deliveries, state.deliveries);
  fill(world.events, state.events);
  fill(world.rules, state.rules);
  fill(world.payments, state.payments);
  fill(world.holds, state.holds);
  fill(world.due, state.due);
  return world;
}

function fill<T extends Row>(store: RowStore<T>, rows: readonly T[]): void {
  for (const row of rows) store.set(row);
}

/** A running clock runs on from the time at which it was taken. */
function clockOf({ clock: { mode, now } }: State, system: SystemClock): ClockState {
  return mode === "frozen" ? { mode, at: now } : { mode, offsetMs: now - system.now() };
}
