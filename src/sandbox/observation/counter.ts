/** How often what came. */
export class Counter {
  readonly #counts = new Map<string, number>();

  add(key: string, by = 1): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + by);
  }

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
}
