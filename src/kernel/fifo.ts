/** First in, first out, in constant time however long it grows: an array's `shift` moves everything that is left. */
export class Fifo<T> {
  #in: T[] = [];
  /** The oldest last. */
  #out: T[] = [];

  get size(): number {
    return this.#in.length + this.#out.length;
  }

  push(item: T): void {
    this.#in.push(item);
  }

  shift(): T | undefined {
    if (this.#out.length === 0) {
      this.#out = this.#in.reverse();
      this.#in = [];
    }
    return this.#out.pop();
  }

  /** Takes out those for which `goes`, oldest first. */
  remove(goes: (item: T) => boolean): readonly T[] {
    const all = [...this.#out.reverse(), ...this.#in];
    const removed = all.filter(goes);
    const gone = new Set(removed);
    this.#out = all.filter((item) => !gone.has(item)).reverse();
    this.#in = [];
    return removed;
  }
}
