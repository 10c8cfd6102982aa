import * as z from "zod";
import { messagesOf } from "../../contract/parse.js";
import { chargeLifecycle } from "../../domain/model/charge.js";
import { transferLifecycle } from "../../domain/model/transfer.js";
import { type World, createWorld } from "../../domain/model/work.js";
import { anyText, count, keptInstant, listOf, numberWhere, object, word } from "../../kernel/fields.js";
import { quote } from "../../kernel/messages/text.js";
import { statusesOf } from "../../kernel/records/lifecycle.js";
import { createIdSource } from "../../kernel/records/ids.js";
import type { Row, Table } from "../../kernel/records/table.js";
import type { ClockState } from "../../kernel/time/clock.js";
import { LATEST, LATEST_TIMER } from "../../kernel/time/instant.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import { checkCounts, checkRecords } from "./checks/check-records.js";
import { recordsOf } from "./checks/records.js";
import type { CompanyRecord, Snapshot, StoredCompany } from "./company-record.js";
import type { CompanySetup } from "./fixture.js";
import { acceptProfile } from "./profile.js";
import { seedCompany } from "./seed.js";
import { STATE_BYTES_MAX } from "./state.js";
import { checkHead, checkRows } from "./state-schema.js";
import { messageOf } from "../../kernel/messages/problem.js";

/** What is wrong with a company that is to be adopted: its state, checked like one that is put in, its snapshots, and the company after a reset. */
export function checkCompany(
  id: string,
  { record, setup }: StoredCompany,
  system: Pick<SystemClock, "now">,
): readonly string[] {
  return problemsOf(
    () => checkId(id, record),
    () => [...Object.values(record.world), record.snapshots].flatMap(checkPlaces),
    () => checkState(record),
    () => [...record.snapshots.values()].flatMap(checkSnapshot),
    () => checkSetup(id, setup, system).map((problem) => `a reset is not possible: ${problem}`),
  );
}

/** The problems of the first check that finds any: later checks rely on the earlier ones. */
function problemsOf(...checks: readonly (() => readonly string[])[]): readonly string[] {
  try {
    for (const check of checks) {
      const problems = check();
      if (problems.length > 0) return problems;
    }
    return [];
  } catch (error) {
    // The company lacks a part that a check reads, or an operation refuses a fixture.
    return [messageOf(error)];
  }
}

function checkId(id: string, { identity }: { readonly identity?: { readonly id?: unknown } }): readonly string[] {
  return identity?.id === id ? [] : [`identity.id must be ${quote(id)}`];
}

/** A record that another one with the same `seq` hides is found by its id, but it is not among the records that are checked and stored. */
function checkPlaces(table: Pick<Table<Row>, "name" | "size" | "get" | "values">): readonly string[] {
  const rows = table.values();
  const isWhole = rows.length === table.size && rows.every((row) => table.get(row.id) === row);
  return isWhole ? [] : [`${table.name}: several records have the same seq`];
}

/** Compares no time with the machine's clock, which may have been set back. */
function checkState(record: CompanyRecord): readonly string[] {
  const { clock, world, seq, idPosition } = record;
  return problemsOf(
    () => checkClock(clock),
    () => checkHead(record),
    () => checkCounts({ ...recordsOf(world, seq, LATEST_TIMER), idPosition }),
    () => checkWorld(world, seq),
  );
}

function checkWorld(world: World, seq: number): readonly string[] {
  const records = recordsOf(world, seq, LATEST_TIMER);
  return problemsOf(
    () => checkRows(records),
    () => checkRecords(records),
  );
}

function checkClock(clock: ClockState | null): readonly string[] {
  if (clock?.mode === "running")
    return isTime(Math.abs(clock.offsetMs)) ? [] : [`its clock cannot be at ${clock.offsetMs}`];
  if (clock?.mode === "frozen") return isTime(clock.at) ? [] : [`its clock cannot be at ${clock.at}`];
  return ["its clock must be running or frozen"];
}

function isTime(at: number): boolean {
  return Number.isSafeInteger(at) && at >= 0 && at <= LATEST;
}

const snapshotRow = object({
  id: anyText(),
  seq: count,
  savedAt: keptInstant,
  now: keptInstant,
  json: anyText(STATE_BYTES_MAX),
  bytes: count,
});

function checkSnapshot(snapshot: Snapshot): string[] {
  const issues = snapshotRow.safeParse(snapshot).error?.issues ?? [];
  return messagesOf(issues, snapshot, "it").map((problem) => `snapshot ${JSON.stringify(snapshot.id)}: ${problem}`);
}

/** The instant at which a company begins; optional. */
const time = numberWhere(isTime, "a time").optional();
const money = numberWhere(Number.isSafeInteger, "a whole number of ten-thousandths of XOF");
const fixture = z.object({
  charges: listOf(z.object({ amount: money, status: word(statusesOf(chargeLifecycle)) })),
  transactions: listOf(z.object({ amount: money, status: word(statusesOf(transferLifecycle)) })),
});
/** The parts of a setup that its records do not show to be right. */
const setupFields = z.object({
  name: anyText().optional(),
  balance: money,
  frozenAt: time,
  runsFrom: time,
  fixtures: listOf(fixture),
});

function checkSetup(id: string, setup: CompanySetup, system: Pick<SystemClock, "now">): readonly string[] {
  const { tokens, secretKey, profile: overrides } = setup;
  const head = { identity: { id: setup.id, tokens, secretKey }, overrides, seq: 0, idPosition: 0 };
  return problemsOf(
    () => checkId(id, head),
    () => checkHead(head),
    () => messagesOf(setupFields.safeParse(setup).error?.issues ?? [], setup, "it"),
    () => trySetup(setup, Math.min(system.now(), LATEST)),
  );
}

/** Creates the records of the setup and checks those, because there is no schema for fixtures in the store. */
function trySetup(setup: CompanySetup, now: number): readonly string[] {
  const world = createWorld();
  const { profile } = acceptProfile(setup.profile);
  const at = setup.frozenAt ?? setup.runsFrom ?? now;
  const ids = createIdSource(undefined, setup.id);
  let seq = 0;
  const nextSeq = (): number => ++seq;
  seedCompany({ world, profile, ids, at, nextSeq, checkoutUrl: "http://localhost/checkout/" }, setup);
  return checkWorld(world, seq);
}
