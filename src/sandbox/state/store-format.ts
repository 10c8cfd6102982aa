import type { StoreEntry, StoreFormat } from "../../adapters/store/store.js";
import { createWorld } from "../../domain/model/world.js";
import type { DomainEvent } from "../../domain/model/events.js";
import type { Transfer } from "../../domain/model/transfer.js";
import type { World } from "../../domain/model/work.js";
import { notBefore } from "../../kernel/clock.js";
import type { Instant } from "../../kernel/instant.js";
import type { SystemClock } from "../../kernel/system-clock.js";
import { type Row, type RowStore, Table } from "../../kernel/table.js";
import type { Change } from "../../kernel/unit-of-work.js";
import type { CompanyRecord, Snapshot, StoredSandbox } from "./company-record.js";
import type { CompanySetup } from "./fixture.js";

/**
 * What a store is told, entry by entry. A row is written whole as it stands in memory, so what was written last is what holds: to read an entry twice
 * changes nothing.
 */

type Head = Pick<CompanyRecord, "identity" | "clock" | "overrides" | "seq" | "idPosition">;
type TableName = keyof World;

/** A company begins, or another record takes the place of its own: empty, but for its snapshots where they stay. */
type CompanyEntry = readonly ["company", id: string, head: Head & { setup: CompanySetup }, keepsSnapshots: boolean];
type RowsEntry = readonly ["rows", id: string, table: TableName, rows: readonly Row[]];
/** One unit of work, at the company's time. */
type CommitEntry = readonly [
  "commit",
  id: string,
  head: { readonly seq: number; readonly idPosition: number; readonly at: Instant },
  puts: readonly (readonly [TableName, Row])[],
  gone: readonly (readonly [TableName, string])[],
];
type HeadEntry = readonly ["head", id: string, Partial<Head>];
type SnapshotEntry = readonly ["snapshot", id: string, Snapshot];
type SnapshotGoneEntry = readonly ["snapshot-gone", id: string, name: string];
/** `remembered`: the configuration would bring it back. */
type GoneEntry = readonly ["gone", id: string, remembered: boolean];

type SandboxEntry = CompanyEntry | RowsEntry | CommitEntry | HeadEntry | SnapshotEntry | SnapshotGoneEntry | GoneEntry;

/** Rows in one entry: so many are made into JSON without a pause, and each may have as much metadata as a body may hold. */
const ROWS_MAX = 20;

export function createStoreFormat(system: Pick<SystemClock, "now">): StoreFormat<StoredSandbox> {
  return {
    createEmpty: createStoredSandbox,
    apply: (data, entry) => applyEntry(data, asSandboxEntry(entry), system),
    dump({ companies, gone }) {
      // As it is now: what changes while the entries are written goes elsewhere.
      const entries = [...companies.values()].map(({ record, setup }) => companyEntries(record, setup, false));
      const removed = [...gone].map((id): StoreEntry => ["gone", id, true]);
      return chain([...entries, removed]);
    },
  };
}

export function createStoredSandbox(): StoredSandbox {
  return { companies: new Map(), gone: new Set() };
}

/** All of a company. */
export function companyEntries(
  record: CompanyRecord,
  setup: CompanySetup,
  keepsSnapshots: boolean,
): Iterable<StoreEntry> {
  const { identity, clock, overrides, seq, idPosition, world } = record;
  const begin: CompanyEntry = [
    "company",
    identity.id,
    { identity, clock, overrides, seq, idPosition, setup },
    keepsSnapshots,
  ];
  const tables = tableNames(world).map((name) => [name, [...world[name].values()]] as const);
  const snapshots = keepsSnapshots ? [] : [...record.snapshots.values()];
  return chain([[begin], rowEntries(identity.id, tables), snapshotEntries(identity.id, snapshots)]);
}

function* rowEntries(id: string, tables: readonly (readonly [TableName, readonly Row[]])[]): Iterable<RowsEntry> {
  for (const [name, rows] of tables) {
    for (let at = 0; at < rows.length; at += ROWS_MAX) yield ["rows", id, name, rows.slice(at, at + ROWS_MAX)];
  }
}

function* snapshotEntries(id: string, snapshots: readonly Snapshot[]): Iterable<SnapshotEntry> {
  for (const snapshot of snapshots) yield ["snapshot", id, snapshot];
}

function* chain(parts: readonly Iterable<StoreEntry>[]): Iterable<StoreEntry> {
  for (const part of parts) yield* part;
}

/** What a unit of work has changed: of a row that changed more than once, how it stands. */
export function commitEntry(
  { identity, seq, idPosition }: CompanyRecord,
  changes: readonly Change[],
  at: Instant,
): CommitEntry {
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

export function headEntry(id: string, head: Partial<Head>): HeadEntry {
  return ["head", id, head];
}

const kinds = [
  "company",
  "rows",
  "commit",
  "head",
  "snapshot",
  "snapshot-gone",
  "gone",
] as const satisfies readonly SandboxEntry[0][];

/** What has its checksum was written by this code. */
function asSandboxEntry(entry: StoreEntry): SandboxEntry {
  if (kinds.some((kind) => kind === entry[0])) return entry as SandboxEntry;
  throw new Error(`there is no entry of the kind "${entry[0]}"`);
}

function applyEntry(data: StoredSandbox, entry: SandboxEntry, system: Pick<SystemClock, "now">): void {
  const [kind, id] = entry;
  if (kind === "gone") {
    data.companies.delete(id);
    if (entry[2]) data.gone.add(id);
    return;
  }
  if (kind === "company") {
    beginCompany(data, entry);
    return;
  }
  const record = data.companies.get(id)?.record;
  if (record === undefined) throw new Error(`there is no company "${id}" by then`);
  switch (kind) {
    case "rows":
      for (const row of entry[3]) tableOf(record.world, entry[2]).set(revive(entry[2], row));
      return;
    case "commit": {
      const [, , { seq, idPosition, at }, puts, gone] = entry;
      Object.assign(record, { seq, idPosition, clock: notBefore(record.clock, at, system) });
      for (const [name, row] of puts) tableOf(record.world, name).set(revive(name, row));
      for (const [name, rowId] of gone) tableOf(record.world, name).delete(rowId);
      return;
    }
    case "head":
      Object.assign(record, entry[2]);
      return;
    case "snapshot":
      record.snapshots.set(entry[2]);
      return;
    case "snapshot-gone":
      record.snapshots.delete(entry[2]);
  }
}

function beginCompany(
  { companies, gone }: StoredSandbox,
  [, id, { setup, ...head }, keepsSnapshots]: CompanyEntry,
): void {
  const before = keepsSnapshots ? companies.get(id)?.record.snapshots : undefined;
  const snapshots = before ?? new Table<Snapshot>("snapshots");
  gone.delete(id);
  companies.set(id, { record: { ...head, world: createWorld(), snapshots }, setup });
}

/** JSON leaves out what is undefined; a record has all of its members. */
function revive(name: TableName, row: Row): Row {
  if (name === "transfers") return withDescription(row as Transfer);
  if (name !== "events") return row;
  const event = row as DomainEvent;
  const { subject } = event;
  if (subject.kind !== "transaction") return event;
  const whole: DomainEvent = { ...event, subject: { ...subject, transaction: withDescription(subject.transaction) } };
  return whole;
}

function withDescription(transfer: Transfer): Transfer {
  return { ...transfer, description: transfer.description };
}

function tableNames(world: World): TableName[] {
  return Object.keys(world) as TableName[];
}

function tableOf(world: World, name: TableName): RowStore<Row> {
  const table: unknown = world[name];
  if (table === undefined) throw new Error(`there is no table "${name}"`);
  return table as RowStore<Row>;
}
