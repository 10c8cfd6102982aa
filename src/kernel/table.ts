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
 */
export class Table<T extends Row, Index extends string = never> implements RowStore<T> {
  readonly name: string;
  readonly #rows = new Map<string, T>();
  /** By seq. May hold rows that were deleted since: they are passed over, and dropped together when they are many. */
  #order: T[] = [];
  /** Those before it were all deleted: the oldest go first where only so many are kept. */
  #first = 0;
  /** Where it was looked for last. */
  #near = 0;
  readonly #keyOf: Record<Index, (row: T) => string>;
  readonly #indexes: Record<Index, Map<string, T>>;

  constructor(name: string, keyOf?: Record<Index, (row: T) => string>) {
    this.name = name;
    this.#keyOf = keyOf ?? ({} as Record<Index, (row: T) => string>);
    const indexes = Object.keys(this.#keyOf).map((index) => [index, new Map<string, T>()]);
    this.#indexes = Object.fromEntries(indexes) as Record<Index, Map<string, T>>;
  }

  get size(): number {
    return this.#rows.size;
  }

  get(id: string): T | undefined {
    return this.#rows.get(id);
  }

  findBy(index: Index, key: string): T | undefined {
    return this.#indexes[index].get(key);
  }

  set(row: T): T | undefined {
    const before = this.#rows.get(row.id);
    this.#rows.set(row.id, row);
    if (row.seq > (this.#order.at(-1)?.seq ?? -1)) {
      this.#order.push(row);
    } else {
      const position = this.#position(row.seq);
      // Its own place, or the one that it was deleted from.
      if (this.#order[position]?.seq === row.seq) this.#order[position] = row;
      else this.#order.splice(position, 0, row);
      this.#first = Math.min(this.#first, position);
    }
    for (const index in this.#keyOf) this.#putKey(index, before, row);
    return before;
  }

  delete(id: string): void {
    const row = this.#rows.get(id);
    if (row === undefined) return;
    this.#rows.delete(id);
    if (this.#order.at(-1) === row) this.#order.pop();
    else {
      if (this.#order[this.#first] === row) this.#first++;
      if (this.#order.length > 1.25 * this.#rows.size + 64) this.#compact();
    }
    for (const index in this.#keyOf) this.#dropKey(index, row);
  }

  /** Oldest first. */
  values(): readonly T[] {
    this.trim();
    return this.#order;
  }

  /** Lets go of every row that was deleted: at once, where they are large. */
  trim(): void {
    if (this.#order.length > this.#rows.size) this.#compact();
  }

  /** Up to `limit` rows, and whether more follow in that direction. */
  page({ limit, beyond, newestFirst = false, where }: PageRequest<T>): { rows: T[]; more: boolean } {
    const step = newestFirst ? -1 : 1;
    let at = newestFirst ? this.#order.length - 1 : this.#first;
    if (beyond !== undefined) at = newestFirst ? this.#position(beyond) - 1 : this.#position(beyond + 1);
    const rows: T[] = [];
    for (; at >= 0 && at < this.#order.length; at += step) {
      const row = this.#order[at] as T;
      if (!this.#isLive(row) || (where !== undefined && !where(row))) continue;
      if (rows.length === limit) return { rows, more: true };
      rows.push(row);
    }
    return { rows, more: false };
  }

  #isLive(row: T): boolean {
    return this.#rows.get(row.id) === row;
  }

  #compact(): void {
    this.#order = this.#order.slice(this.#first);
    this.#first = 0;
    if (this.#order.length > this.#rows.size) this.#order = this.#order.filter((row) => this.#isLive(row));
  }

  /** The first place whose seq is not below `seq`. From the end in strides that double, since mostly the newest rows are looked for. */
  #position(seq: number): number {
    // Mostly the one after the last: what happens to all happens in their order. To search means to read rows that are in no cache.
    for (const near of [this.#near, this.#near + 1]) if (this.#order[near]?.seq === seq) return (this.#near = near);
    return (this.#near = this.#search(seq));
  }

  #search(seq: number): number {
    let high = this.#order.length;
    let low = high;
    for (let stride = 1; low > 0 && (this.#order[low - 1] as T).seq >= seq; stride *= 2) {
      high = low - 1;
      low = Math.max(0, low - stride);
    }
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#order[middle] as T).seq < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #putKey(index: Index, before: T | undefined, row: T): void {
    const key = this.#keyOf[index](row);
    if (before !== undefined && this.#keyOf[index](before) !== key) this.#dropKey(index, before);
    const found = this.#indexes[index].get(key);
    if (found === undefined || found.seq >= row.seq) this.#indexes[index].set(key, row);
  }

  #dropKey(index: Index, row: T): void {
    const keyOf = this.#keyOf[index];
    const key = keyOf(row);
    if (this.#indexes[index].get(key)?.id !== row.id) return;
    const next = this.#order.find((other) => this.#isLive(other) && keyOf(other) === key);
    if (next === undefined) this.#indexes[index].delete(key);
    else this.#indexes[index].set(key, next);
  }
}
