/** A map that keeps the `max` entries that were added last. */
export class RecentMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  /** Makes the entry the newest, even when the key was there before. */
  add(key: Key, value: Value): Value {
    this.delete(key);
    this.set(key, value);
    if (this.size > this.#max) {
      const [oldest] = this.keys();
      this.delete(oldest!);
    }
    return value;
  }
}
