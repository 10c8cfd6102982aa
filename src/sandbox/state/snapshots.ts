import { UsageError } from "../../kernel/messages/problem.js";
import { quote } from "../../kernel/messages/text.js";
import { didYouMean } from "../../kernel/messages/suggest.js";
import type { StoreEntry } from "../../adapters/store/store.js";
import type { Snapshot } from "./company-record.js";
import { type StateOwner, assertStateFits, dumpState } from "./state.js";

/** The part of a company that saving and removing snapshots needs. */
interface SnapshotOwner extends StateOwner {
  note(entry: StoreEntry): void;
  emitChanged(): void;
}

const MIB = 1024 * 1024;
export const SNAPSHOT_LIMITS = {
  count: 100,
  /** All snapshots of one company together. */
  bytes: 512 * MIB,
  /** One snapshot. A store writes it as JSON in JSON, which is up to twice as long, and a string can have at most 512 MiB. */
  bytesOfOne: 255 * MIB,
};

/**
 * Saves the company's state under `name`, and replaces a snapshot of that name. The company itself does not change.
 *
 * Throws UsageError("input") for an invalid name, UsageError("state") when a limit is reached.
 */
export function saveSnapshot(company: SnapshotOwner, name: string, limits = SNAPSHOT_LIMITS): Snapshot {
  assertName(name);
  const { snapshots } = company.record;
  assertStateFits(company.record, `Failed to save the snapshot ${quote(name)}`, undefined, limits.bytesOfOne);
  const now = company.now();
  const json = JSON.stringify(dumpState(company, now));
  const bytes = Buffer.byteLength(json);
  if (bytes > limits.bytesOfOne)
    refuseMore(name, `it has ${bytes} bytes; one may have ${limits.bytesOfOne}`, "Reset the company now and then.");
  assertRoom(company, { id: name, bytes }, limits);
  const saved: Snapshot = { id: name, seq: nextPlace(snapshots), savedAt: company.deps.system.now(), now, json, bytes };
  snapshots.set(saved);
  company.note(["snapshot", company.record.identity.id, saved]);
  company.emitChanged();
  return saved;
}

/**
 * The saved state, as `dumpState` returned it. Throws UsageError("input") for an invalid name, ("not-found") for an unknown one, ("state") for a damaged one.
 */
export function readSnapshot(company: Pick<SnapshotOwner, "record">, name: string): unknown {
  const { json } = getSnapshot(company, name);
  try {
    return JSON.parse(json);
  } catch (error) {
    // Found only here, because reading every snapshot of a store at the start would take long.
    const why = `Failed to read the snapshot ${quote(name)}: it is damaged in the store`;
    throw new UsageError("state", `${why}. Remove it with DELETE /_sandbox/snapshots/${name}.`, { cause: error });
  }
}

export function removeSnapshot(company: SnapshotOwner, name: string): void {
  company.record.snapshots.delete(getSnapshot(company, name).id);
  company.note(["snapshot-gone", company.record.identity.id, name]);
  company.emitChanged();
}

/**
 * Undoes a removal. If another snapshot was saved in its place since then, it becomes the last.
 *
 * Throws UsageError("state") when a limit is reached.
 */
export function putBackSnapshot(company: SnapshotOwner, removed: Snapshot): void {
  const { snapshots, identity } = company.record;
  assertRoom(company, removed, SNAPSHOT_LIMITS);
  const isTaken = snapshots.values().some(({ seq }) => seq === removed.seq);
  const putBack = isTaken ? { ...removed, seq: nextPlace(snapshots) } : removed;
  snapshots.set(putBack);
  company.note(["snapshot", identity.id, putBack]);
  company.emitChanged();
}

function assertRoom(
  { record }: Pick<SnapshotOwner, "record">,
  { id, bytes }: Pick<Snapshot, "id" | "bytes">,
  limits: typeof SNAPSHOT_LIMITS,
): void {
  const others = record.snapshots.values().filter((other) => other.id !== id);
  if (others.length >= limits.count) refuseMore(id, `${limits.count} snapshots are kept, and there are as many`);
  const kept = others.reduce((sum, other) => sum + other.bytes, 0);
  if (kept + bytes <= limits.bytes) return;
  const room = `${limits.bytes} bytes of snapshots are kept, there are ${kept} of others`;
  refuseMore(id, `it has ${bytes} bytes; ${room}`);
}

function nextPlace(snapshots: SnapshotOwner["record"]["snapshots"]): number {
  return (snapshots.values().at(-1)?.seq ?? 0) + 1;
}

function getSnapshot({ record: { snapshots } }: Pick<SnapshotOwner, "record">, name: string): Snapshot {
  assertName(name);
  const found = snapshots.get(name);
  if (found !== undefined) return found;
  const meant = didYouMean(
    name,
    snapshots.values().map(({ id }) => id),
  );
  throw new UsageError("not-found", `There is no snapshot ${quote(name)}.${meant} POST saves one.`);
}

/** Needs no escaping: the name is also the last part of a path and the name of a file. */
const NAME = /^(?!\.)[A-Za-z0-9._-]{1,64}$/;

function assertName(name: string): void {
  if (NAME.test(name)) return;
  const right = "1 to 64 of A-Z, a-z, 0-9, dot, _ and -, not a dot first";
  throw new UsageError("input", `The name of a snapshot must be ${right}, got ${quote(name, 80)}`);
}

const REMOVE_ONE = "Remove one with DELETE /_sandbox/snapshots/:name, or save over one that is there.";

function refuseMore(name: string, why: string, what = REMOVE_ONE): never {
  throw new UsageError("state", `Failed to save the snapshot ${quote(name)}: ${why}. ${what}`);
}
