/** How often what came. */
export class Counter {
  readonly #counts = new Map<string, { count: number }>();

  add(key: string, by = 1): void {
    const counted = this.#counts.get(key);
    if (counted === undefined) this.#counts.set(key, { count: by });
    else counted.count += by;
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  of(key: string): number {
    return this.#counts.get(key)?.count ?? 0;
  }
}
