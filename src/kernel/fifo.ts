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
}
