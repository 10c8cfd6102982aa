import type { StoreEntry } from "./store.js";

/** How an older version's entries become those of the one after it. */
export type Migrations = Readonly<Record<number, (entry: StoreEntry) => StoreEntry>>;

export const migrations: Migrations = {};

/** Makes entries of `version` those of today. */
export function migrationFrom(version: number, given: Migrations): (entry: StoreEntry) => StoreEntry {
  const steps = Object.entries(given)
    .map(([from, step]) => ({ from: Number(from), step }))
    .filter(({ from }) => from >= version)
    .toSorted((a, b) => a.from - b.from);
  return (entry) => steps.reduce((migrated, { step }) => step(migrated), entry);
}
