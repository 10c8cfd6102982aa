/** Wakes everybody who waits for something to change. Carries nothing: who wakes looks for themselves. */
export class Signal {
  #waiting: (() => void)[] = [];

  /** Resolves at the next `raise`. */
  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  raise(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
