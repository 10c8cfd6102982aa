import type { StoreFormat } from "../../adapters/store/store.js";
import { type World, createWorld } from "../../domain/model/work.js";
import { notBefore } from "../../kernel/time/clock.js";
import type { Instant } from "../../kernel/time/instant.js";
import { RULE_DEFAULTS } from "../../domain/rules/change-rules.js";
import { isObject } from "../../kernel/messages/json.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import { type Row, type RowStore, Table } from "../../kernel/records/table.js";
import type { Change } from "../../kernel/records/unit-of-work.js";
import type { CompanyRecord, Snapshot, StoredSandbox } from "./company-record.js";
import type { CompanySetup } from "./fixture.js";

/**
 * The entries that a store keeps. Each has whole rows, so the last entry with a row counts, and applying an entry twice has the same effect as applying it
 * once.
 */

type Head = Pick<CompanyRecord, "identity" | "clock" | "overrides" | "seq" | "idPosition" | "moving" | "closings">;
type TableName = keyof World;

type SandboxEntry =
  /** A company is opened, or its record is replaced. It then has no rows, and no snapshots unless `keepsSnapshots`. */
  | readonly ["company", id: string, head: Head & { setup: CompanySetup }, keepsSnapshots: boolean]
  /** One row, because several may together be longer than a text can be. Older stores have up to 20 in one entry. */
  | readonly ["rows", id: string, table: TableName, rows: readonly Row[]]
  | readonly [
      "commit",
      id: string,
      head: { readonly seq: number; readonly idPosition: number; readonly at: Instant },
      puts: readonly (readonly [TableName, Row])[],
      gone: readonly (readonly [TableName, string])[],
    ]
  | readonly ["head", id: string, Partial<Head>]
  | readonly ["snapshot", id: string, Snapshot]
  | readonly ["snapshot-gone", id: string, name: string]
  /** `configured`: the store must remember that it is gone, or the configuration would open it again. */
  | readonly ["gone", id: string, configured: boolean];

export function createStoreFormat(system: Pick<SystemClock, "now">): StoreFormat<StoredSandbox> {
  return {
    createEmpty: createStoredSandbox,
    // An entry with a valid checksum was written by this code.
    apply: (data, entry) => applyEntry(data, entry as SandboxEntry, system),
    dump({ companies, gone }) {
      // Made at once, because companies change while the entries are being written.
      const entries = [...companies.values()].flatMap(({ record, setup }) => companyEntries(record, setup, false));
      return [...entries, ...[...gone].map((id): SandboxEntry => ["gone", id, true])];
    },
  };
}

export function createStoredSandbox(): StoredSandbox {
  return { companies: new Map(), gone: new Set() };
}

export function companyEntries(
  { identity, clock, overrides, seq, idPosition, moving, closings, world, snapshots }: CompanyRecord,
  setup: CompanySetup,
  keepsSnapshots: boolean,
): readonly SandboxEntry[] {
  const { id } = identity;
  const head = { identity, clock, overrides, seq, idPosition, moving, closings, setup };
  const begin: SandboxEntry = ["company", id, head, keepsSnapshots];
  const rows = tableNames(world).flatMap((name) =>
    world[name].values().map((row): SandboxEntry => ["rows", id, name, [row]]),
  );
  const saved = keepsSnapshots ? [] : snapshots.values().map((snapshot): SandboxEntry => ["snapshot", id, snapshot]);
  return [begin, ...rows, ...saved];
}

/** The changes of a unit of work, with each row once, in its final form. */
export function commitEntry(
  { identity, seq, idPosition }: CompanyRecord,
  changes: readonly Change[],
  at: Instant,
): SandboxEntry {
  const puts = new Map<string, readonly [TableName, Row]>();
  const gone = new Map<string, readonly [TableName, string]>();
  for (const { store, before, after } of changes) {
    const id = after?.id ?? before?.id ?? "";
    const name = store.name as TableName;
    const key = `${name} ${id}`;
    puts.delete(key);
    gone.delete(key);
    if (after === undefined) gone.set(key, [name, id]);
    else puts.set(key, [name, after]);
  }
  return ["commit", identity.id, { seq, idPosition, at }, [...puts.values()], [...gone.values()]];
}

export function headEntry(id: string, head: Partial<Head>): SandboxEntry {
  return ["head", id, head];
}

function applyEntry(data: StoredSandbox, entry: SandboxEntry, system: Pick<SystemClock, "now">): void {
  switch (entry[0]) {
    case "company":
      beginCompany(data, entry);
      return;
    case "gone":
      data.companies.delete(entry[1]);
      if (entry[2]) data.gone.add(entry[1]);
      return;
    case "rows":
      for (const row of entry[3]) tableOf(recordOf(data, entry[1]).world, entry[2]).set(completeRow(entry[2], row));
      return;
    case "commit": {
      const [, id, { seq, idPosition, at }, puts, gone] = entry;
      const record = recordOf(data, id);
      Object.assign(record, { seq, idPosition, clock: notBefore(record.clock, at, system) });
      for (const [name, row] of puts) tableOf(record.world, name).set(completeRow(name, row));
      for (const [name, rowId] of gone) tableOf(record.world, name).delete(rowId);
      return;
    }
    case "head":
      Object.assign(recordOf(data, entry[1]), entry[2]);
      return;
    case "snapshot":
      recordOf(data, entry[1]).snapshots.set(entry[2]);
      return;
    case "snapshot-gone":
      recordOf(data, entry[1]).snapshots.delete(entry[2]);
      return;
    default:
      throw new Error(`there is no entry of the kind "${String(entry[0])}"`);
  }
}

function beginCompany(
  { companies, gone }: StoredSandbox,
  [, id, { setup, ...head }, keepsSnapshots]: Extract<SandboxEntry, readonly ["company", ...unknown[]]>,
): void {
  const before = keepsSnapshots ? companies.get(id)?.record.snapshots : undefined;
  const snapshots = before ?? new Table<Snapshot>("snapshots");
  gone.delete(id);
  companies.set(id, { record: { ...head, world: createWorld(), snapshots }, setup });
}

function recordOf({ companies }: StoredSandbox, id: string): CompanyRecord {
  const record = companies.get(id)?.record;
  if (record === undefined) throw new Error(`there is no company "${id}" by then`);
  return record;
}

/** Members that rows and effects of version 0.1 lack, and those that a user may leave out of a rule. */
const ADDED: { readonly [Name in TableName]?: object } = {
  rules: { ...RULE_DEFAULTS, matched: 0 },
  holds: { eventId: null, left: null },
};
const ADDED_TO_EFFECT = { loseAnswers: 0, attempts: null };

function completeRow(table: TableName, row: Row): Row {
  return complete({ ...ADDED[table], ...row });
}

/** Adds the members that version 0.1 lacks, and those that JSON leaves out as undefined: only transfers, also within events, have one. */
function complete<T extends object>(row: T): T {
  if ("batchId" in row) return { description: undefined, ...row };
  if ("effect" in row && isObject(row.effect)) return { ...row, effect: { ...ADDED_TO_EFFECT, ...row.effect } };
  if (!("subject" in row) || !isObject(row.subject)) return row;
  const { transaction } = row.subject;
  return isObject(transaction) ? { ...row, subject: { ...row.subject, transaction: complete(transaction) } } : row;
}

function tableNames(world: World): TableName[] {
  return Object.keys(world) as TableName[];
}

function tableOf(world: World, name: TableName): RowStore<Row> {
  const table: unknown = world[name];
  if (table === undefined) throw new Error(`there is no table "${name}"`);
  return table as RowStore<Row>;
}
