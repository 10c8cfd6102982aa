/** What every stored record has: an id, and its place in the order in which the company's records came to be. */
export interface Row {
  readonly id: string;
  readonly seq: number;
}

/** Anything a unit of work can change and take back. */
export interface RowStore<T extends Row> {
  readonly name: string;
  get(id: string): T | undefined;
  /** Returns the row that this one takes the place of. */
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
 * Records by id, in order of creation, with look-ups by key beside: of rows that share a key the oldest is found. Rows are immutable and replaced
 * whole, so a reader may keep one: it never changes under their hands.
 *
 * A row that takes another's place changes one cell of one array: its id still leads to that cell, and its key to its id. What is looked up or
 * written of a large table is mostly in no cache.
 */
export class Table<T extends Row, Index extends string = never> implements RowStore<T> {
  readonly name: string;
  /** Where the row of an id is: its place in `#rows`, counted from a first that is gone since. */
  readonly #cells = new Map<string, number>();
  /** The count of rows that stood before those of `#rows`; less than none once older ones came in. */
  #gone = 0;
  /** By seq. Undefined where one was deleted: dropped together when they are many. */
  #rows: (T | undefined)[] = [];
  /** Of each cell, also of one whose row was deleted. */
  #seqs: number[] = [];
  /** Those before it were all deleted: the oldest go first where only so many are kept. */
  #first = 0;
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
    return this.#cells.size;
  }

  get(id: string): T | undefined {
    const cell = this.#cells.get(id);
    return cell === undefined ? undefined : this.#rows[cell - this.#gone];
  }

  findBy(index: Index, key: string): T | undefined {
    const id = this.#indexes[index].get(key);
    return id === undefined ? undefined : this.get(id);
  }

  set(row: T): T | undefined {
    const cell = this.#cells.get(row.id);
    if (cell === undefined) {
      this.#insert(row);
      return undefined;
    }
    const at = cell - this.#gone;
    const before = this.#rows[at] as T;
    if (before.seq === row.seq) {
      this.#rows[at] = row;
      for (const index in this.#keyOf) this.#moveKey(index, before, row);
    } else {
      this.delete(row.id);
      this.#insert(row);
    }
    return before;
  }

  delete(id: string): void {
    const cell = this.#cells.get(id);
    if (cell === undefined) return;
    const at = cell - this.#gone;
    const row = this.#rows[at] as T;
    this.#cells.delete(id);
    this.#rows[at] = undefined;
    if (at === this.#first) this.#first++;
    for (const index in this.#keyOf) this.#dropKey(index, row);
    if (at === this.#rows.length - 1) this.#pop();
    else if (this.#rows.length > 1.25 * this.size + 64) this.#compact();
  }

  /** Oldest first. */
  values(): readonly T[] {
    this.trim();
    return this.#rows as T[];
  }

  /** Lets go of what is left of rows that were deleted. */
  trim(): void {
    if (this.#rows.length > this.size) this.#compact();
  }

  /** Up to `limit` rows, and whether more follow in that direction. */
  page({ limit, beyond, newestFirst = false, where }: PageRequest<T>): { rows: T[]; more: boolean } {
    const step = newestFirst ? -1 : 1;
    let at = newestFirst ? this.#rows.length - 1 : this.#first;
    if (beyond !== undefined) at = newestFirst ? this.#placeOf(beyond) - 1 : this.#placeOf(beyond + 1);
    const rows: T[] = [];
    for (; at >= 0 && at < this.#rows.length; at += step) {
      const row = this.#rows[at];
      if (row === undefined || (where !== undefined && !where(row))) continue;
      if (rows.length === limit) return { rows, more: true };
      rows.push(row);
    }
    return { rows, more: false };
  }

  #insert(row: T): void {
    const at = row.seq > (this.#seqs.at(-1) ?? -1) ? this.#rows.length : this.#placeOf(row.seq);
    if (at === this.#rows.length) {
      this.#rows.push(row);
      this.#seqs.push(row.seq);
    } else if (this.#seqs[at] === row.seq) {
      // Where it was deleted from.
      this.#rows[at] = row;
    } else {
      this.#rows.splice(at, 0, row);
      this.#seqs.splice(at, 0, row.seq);
      if (at === 0) this.#gone--;
      else this.#countFrom(at + 1);
    }
    this.#first = Math.min(this.#first, at);
    this.#cells.set(row.id, at + this.#gone);
    for (const index in this.#keyOf) this.#putKey(index, row);
  }

  #pop(): void {
    this.#rows.pop();
    this.#seqs.pop();
    this.#first = Math.min(this.#first, this.#rows.length);
  }

  #compact(): void {
    this.#rows = this.#rows.slice(this.#first);
    this.#seqs = this.#seqs.slice(this.#first);
    this.#gone += this.#first;
    this.#first = 0;
    if (this.#rows.length === this.size) return;
    this.#seqs = this.#seqs.filter((_, at) => this.#rows[at] !== undefined);
    this.#rows = this.#rows.filter((row) => row !== undefined);
    this.#countFrom(0);
  }

  /** Those from that place on have moved. */
  #countFrom(start: number): void {
    for (let at = start; at < this.#rows.length; at++) {
      const row = this.#rows[at];
      if (row !== undefined) this.#cells.set(row.id, at + this.#gone);
    }
  }

  /** The first place whose seq is not below `seq`. From the end in strides that double, since mostly the newest rows are looked for. */
  #placeOf(seq: number): number {
    let high = this.#seqs.length;
    let low = high;
    for (let stride = 1; low > 0 && this.#seqs[low - 1]! >= seq; stride *= 2) {
      high = low - 1;
      low = Math.max(0, low - stride);
    }
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#seqs[middle]! < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #moveKey(index: Index, before: T, row: T): void {
    const keyOf = this.#keyOf[index];
    if (keyOf(before) === keyOf(row)) return;
    this.#dropKey(index, before);
    this.#putKey(index, row);
  }

  #putKey(index: Index, row: T): void {
    const key = this.#keyOf[index](row);
    const found = this.findBy(index, key);
    if (found === undefined || found.seq > row.seq) this.#indexes[index].set(key, row.id);
  }

  /** Of a row that is in the table no more. */
  #dropKey(index: Index, row: T): void {
    const keyOf = this.#keyOf[index];
    const key = keyOf(row);
    if (this.#indexes[index].get(key) !== row.id) return;
    const next = this.#rows.find((other) => other !== undefined && other.id !== row.id && keyOf(other) === key);
    if (next === undefined) this.#indexes[index].delete(key);
    else this.#indexes[index].set(key, next.id);
  }
}
