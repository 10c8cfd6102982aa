/**
 * What is made of records of texts, such as headers, of which most are as the one before was: then it is not made anew, and kept once. The order of the
 * members does not count.
 */
export class LastMade<Value, Made> {
  readonly #make: (record: Readonly<Record<string, Value>>) => Made;
  #record: Readonly<Record<string, Value>> = {};
  /** Members of it. */
  #count = 0;
  #made: Made;

  constructor(make: (record: Readonly<Record<string, Value>>) => Made) {
    this.#make = make;
    this.#made = make(this.#record);
  }

  of(record: Readonly<Record<string, Value>>): Made {
    if (!this.#isLast(record)) {
      this.#made = this.#make(record);
      this.#record = record;
      this.#count = Object.keys(record).length;
    }
    return this.#made;
  }

  #isLast(record: Readonly<Record<string, Value>>): boolean {
    let count = 0;
    for (const name in record) {
      if (!Object.hasOwn(this.#record, name) || record[name] !== this.#record[name]) return false;
      count++;
    }
    return count === this.#count;
  }
}
