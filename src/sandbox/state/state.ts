import * as z from "zod";
import { messagesOf } from "../../contract/parse.js";
import { type World, createWorld } from "../../domain/model/work.js";
import { firstProblems } from "../../kernel/fields.js";
import type { ClockMode } from "../../kernel/time/clock.js";
import type { Instant } from "../../kernel/time/instant.js";
import { jsonBytes, memberOf } from "../../kernel/messages/json.js";
import { UsageError } from "../../kernel/messages/problem.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import type { Row, RowStore } from "../../kernel/records/table.js";
import type { CompanyRecord } from "./company-record.js";
import { checkCounts, checkRecords } from "./checks/check-records.js";
import { STATE_VERSION, type State, type StateTable, stateSchema, stateTables } from "./state-schema.js";

/** The part of a company that dumping and restoring need. */
export interface StateOwner {
  readonly record: CompanyRecord;
  readonly clock: { readonly mode: ClockMode };
  readonly deps: { readonly system: Pick<SystemClock, "now"> };
  now(): Instant;
  ids(): { readonly position: number };
}

/**
 * A company's whole state as JSON: resources, ledger, subscriptions, rules, profile, clock, due work and pending deliveries. Ids, tokens and secret key of
 * the company itself are not included, so a state can be put into another company.
 */
export function dumpState(company: StateOwner, now: Instant = company.now()): unknown {
  const { world, identity, overrides, seq } = company.record;
  const rows = Object.fromEntries(stateTables.map((name) => [name, tableOf(world, name).values()]));
  return z.encode(stateSchema, {
    ...(rows as Pick<State, StateTable>),
    schemaVersion: STATE_VERSION,
    companyId: identity.id,
    clock: { mode: company.clock.mode, now },
    profile: overrides,
    seq,
    idPosition: company.ids().position,
  });
}

/** The largest state as JSON. It may be larger than any request, since it holds every record of a company. */
export const STATE_BYTES_MAX = 256 * 1024 * 1024;

/** The most memory that the values of a state may take. A state within its size takes more only if it has tens of megabytes of short values in metadata. */
export const STATE_VALUE_BYTES_MAX = 3 * STATE_BYTES_MAX;

/**
 * Throws UsageError("state") if the company's state would be too large to be put in again. Counts the records, which are smaller than the state.
 * `advice` says what to do about it.
 */
export function assertStateFits(
  { world }: Pick<CompanyRecord, "world">,
  failed: string,
  advice = "Reset the company now and then.",
  max = STATE_BYTES_MAX,
): void {
  let left = max;
  for (const name of stateTables) {
    for (const row of tableOf(world, name).values()) {
      left -= jsonBytes(row, left);
      if (left >= 0) continue;
      throw new UsageError("state", `${failed}: it has more than ${max} bytes. ${advice}`);
    }
  }
}

/**
 * The record of the state `dumped`, with the company's own identity and snapshots. The company itself does not change.
 *
 * Throws UsageError("input") with everything that is wrong: a newer version, what does not fit the schema, a ledger that does not add up.
 * Throws UsageError("state") when the state would be too large to be read again.
 */
export function restoreState(company: StateOwner, dumped: unknown): CompanyRecord {
  assertReadable(dumped);
  const parsed = stateSchema.safeDecode(dumped);
  if (!parsed.success) throw new UsageError("input", messagesOf(parsed.error.issues, dumped, "body"));
  const { schemaVersion: _, companyId: __, clock, profile, idPosition, ...records } = parsed.data;
  const { mode, now } = clock;
  const problems = [...checkCounts(parsed.data), ...checkRecords({ ...records, now })];
  if (problems.length > 0) throw new UsageError("input", firstProblems(problems));
  const world = fillWorld(parsed.data);
  // The request is shorter if it has numbers such as 1e20.
  const advice = "Remove records from it. A number such as 1e20 counts with all its digits.";
  assertStateFits({ world }, "Failed to put the state", advice);
  return {
    identity: company.record.identity,
    world,
    // A running clock continues from the time of the dump.
    clock: mode === "frozen" ? { mode, at: now } : { mode, offsetMs: now - company.deps.system.now() },
    overrides: profile,
    seq: records.seq,
    idPosition,
    snapshots: company.record.snapshots,
    closings: company.record.closings,
  };
}

/** Refuses a newer version first, because the rest of such a state cannot be checked. */
function assertReadable(dumped: unknown): void {
  const version = memberOf(dumped, "schemaVersion");
  if (typeof version !== "number" || version <= STATE_VERSION) return;
  const newer = `Failed to put the state: it is of version ${version}, and this sandbox reads ${STATE_VERSION}`;
  throw new UsageError(
    "input",
    `${newer}. A newer business-payments-sandbox wrote it; put it into one of that release.`,
  );
}

function fillWorld(state: State): World {
  const world = createWorld();
  for (const name of stateTables) {
    for (const row of state[name]) tableOf(world, name).set(row);
  }
  return world;
}

/** The records of a table of the state. Those of `transactions` are the company's transfers. */
function tableOf(world: World, name: StateTable): RowStore<Row> & { values(): readonly Row[] } {
  const table: unknown = world[name === "transactions" ? "transfers" : name];
  return table as ReturnType<typeof tableOf>;
}
