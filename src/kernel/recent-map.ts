/**
 * A map that holds the `max` entries that were set last, and at most as many older ones. It forgets a generation at a time: to look for the one oldest
 * of a `Map` takes longer the more were deleted from its front.
 */
export class RecentMap<Key, Value> {
  readonly #max: number;
  #older = new Map<Key, Value>();
  #newer = new Map<Key, Value>();

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#older.size + this.#newer.size;
  }

  get(key: Key): Value | undefined {
    return this.#newer.get(key) ?? this.#older.get(key);
  }

  /** The newest from now on, also when it was there before. */
  set(key: Key, value: Value): Value {
    this.delete(key);
    if (this.#newer.size === this.#max) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(key, value);
    return value;
  }

  delete(key: Key): void {
    if (!this.#newer.delete(key)) this.#older.delete(key);
  }

  /** In the order in which they were set. */
  *values(): Generator<Value, void, undefined> {
    yield* this.#older.values();
    yield* this.#newer.values();
  }
}
