/** The members of every stored record: an id, and the record's place in the order in which the company's records were created. */
export interface Row {
  readonly id: string;
  readonly seq: number;
}

/** A set of records that a unit of work can change, and change back. */
export interface RowStore<T extends Row> {
  readonly name: string;
  get(id: string): T | undefined;
  /** Returns the row that this one replaces. */
  set(row: T): T | undefined;
  delete(id: string): void;
}

export interface PageRequest<T> {
  readonly limit: number;
  /** Rows strictly beyond this seq, in the direction of reading. */
  readonly beyond?: number | undefined;
  readonly newestFirst?: boolean;
  readonly where?: ((row: T) => boolean) | undefined;
}

/**
 * Records by id, in order of creation, with indexes, which find the oldest row with a key. Rows are immutable and replaced as a whole, so a reader may keep
 * one.
 */
export class Table<T extends Row, Index extends string = never> implements RowStore<T> {
  readonly name: string;
  readonly #byId = new Map<string, T>();
  /** The rows by seq. Deleted rows stay until there are many. */
  #rows: T[] = [];
  readonly #keyOf: Record<Index, (row: T) => string>;
  /** The id of the oldest row with a key. */
  readonly #indexes: Record<Index, Map<string, string>>;

  constructor(name: string, keyOf?: Record<Index, (row: T) => string>) {
    this.name = name;
    this.#keyOf = keyOf ?? ({} as Record<Index, (row: T) => string>);
    const indexes = Object.keys(this.#keyOf).map((index) => [index, new Map<string, string>()]);
    this.#indexes = Object.fromEntries(indexes) as Record<Index, Map<string, string>>;
  }

  get size(): number {
    return this.#byId.size;
  }

  get(id: string): T | undefined {
    return this.#byId.get(id);
  }

  findBy(index: Index, key: string): T | undefined {
    const id = this.#indexes[index].get(key);
    return id === undefined ? undefined : this.get(id);
  }

  set(row: T): T | undefined {
    const before = this.#byId.get(row.id);
    if (before !== undefined && before.seq !== row.seq) this.delete(row.id);
    this.#place(row);
    this.#byId.set(row.id, row);
    for (const index in this.#keyOf) this.#updateIndex(index, before, row);
    return before;
  }

  delete(id: string): void {
    const row = this.#byId.get(id);
    if (row === undefined) return;
    this.#byId.delete(id);
    for (const index in this.#keyOf) this.#updateIndex(index, row, undefined);
    if (this.#rows.length > 2 * this.size + 64) this.#compact();
  }

  /** Oldest first. */
  values(): readonly T[] {
    if (this.#rows.length > this.size) this.#compact();
    return this.#rows;
  }

  /** Up to `limit` rows, and whether more follow in that direction. */
  page({ where, ...request }: PageRequest<T>): { rows: T[]; more: boolean } {
    const isWanted = (row: T): boolean => this.#isLive(row) && (where === undefined || where(row));
    return pageOf(this.#rows, { ...request, where: isWanted });
  }

  /** The rows that were created after the one with the seq `from`, up to the one with `to`, oldest first. */
  within(from: number, to: number): readonly T[] {
    const rows = this.#rows.slice(placeOf(this.#rows, from + 1), placeOf(this.#rows, to + 1));
    return rows.filter((row) => this.#isLive(row));
  }

  #isLive(row: T): boolean {
    return this.#byId.get(row.id) === row;
  }

  #compact(): void {
    this.#rows = this.#rows.filter((row) => this.#isLive(row));
  }

  /** Inserts a row by its seq, or replaces the row with the same seq. */
  #place(row: T): void {
    const last = this.#rows.at(-1);
    const at = last === undefined || row.seq > last.seq ? this.#rows.length : placeOf(this.#rows, row.seq);
    const isTaken = this.#rows[at]?.seq === row.seq;
    if (at === this.#rows.length) this.#rows.push(row);
    else if (isTaken) this.#rows[at] = row;
    else this.#rows.splice(at, 0, row);
  }

  #updateIndex(index: Index, before: T | undefined, after: T | undefined): void {
    const keyOf = this.#keyOf[index];
    const ids = this.#indexes[index];
    const oldKey = before && keyOf(before);
    const newKey = after && keyOf(after);
    if (before !== undefined && oldKey !== undefined && oldKey !== newKey && ids.get(oldKey) === before.id) {
      // The one that left was the oldest.
      const [next] = this.page({ limit: 1, beyond: before.seq, where: (row) => keyOf(row) === oldKey }).rows;
      if (next === undefined) ids.delete(oldKey);
      else ids.set(oldKey, next.id);
    }
    if (after === undefined || newKey === undefined) return;
    const found = this.findBy(index, newKey);
    if (found === undefined || found.seq > after.seq) ids.set(newKey, after.id);
  }
}

/** Like `Table.page`, for rows that are sorted by their seq. */
export function pageOf<T extends Row>(
  sorted: readonly T[],
  { limit, beyond, newestFirst = false, where = () => true }: PageRequest<T>,
): { rows: T[]; more: boolean } {
  const step = newestFirst ? -1 : 1;
  let at = newestFirst ? sorted.length - 1 : 0;
  if (beyond !== undefined) at = newestFirst ? placeOf(sorted, beyond) - 1 : placeOf(sorted, beyond + 1);
  const rows: T[] = [];
  for (let row = sorted[at]; row !== undefined; row = sorted[(at += step)]) {
    if (!where(row)) continue;
    if (rows.length === limit) return { rows, more: true };
    rows.push(row);
  }
  return { rows, more: false };
}

/** The index of the first row whose seq is not below `seq`. */
function placeOf(sorted: readonly Row[], seq: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]!.seq < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}
