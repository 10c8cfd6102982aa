/** A map that keeps the `max` entries that were set last. */
export class RecentMap<Key, Value> {
  readonly #max: number;
  readonly #entries = new Map<Key, Value>();

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key);
  }

  /** The entry is the newest from now on, also when it was there before. */
  set(key: Key, value: Value): Value {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size > this.#max) {
      const [oldest] = this.#entries.keys();
      this.#entries.delete(oldest!);
    }
    return value;
  }

  delete(key: Key): void {
    this.#entries.delete(key);
  }

  /** In the order in which they were set. */
  values(): IterableIterator<Value> {
    return this.#entries.values();
  }
}
