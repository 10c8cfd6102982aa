import { FairOrder } from "./fair-order.js";
import type { SystemClock } from "./system-clock.js";

/** How long a piece of work runs before others get their turn, ms. */
const TURN_MS = 10;

/** Schedules work of over 10 ms, such as comparisons with thousands of requests. In each turn of the event loop one of several such works continues. */
export class LongWork {
  readonly #system: SystemClock;
  readonly #order = new FairOrder();

  constructor(system: SystemClock) {
    this.#system = system;
  }

  /**
   * Call the returned function often during the work, and await its result: that lets the event loop run. The work of one company delays that of another
   * by one turn at a time. `inOneGo`: the work is finished before other work of this company begins, because it holds memory until then.
   */
  begin(companyId: string, { inOneGo = false } = {}): () => Promise<void> | undefined {
    let start = -Infinity;
    const next = async (): Promise<void> => {
      const hasBegun = start !== -Infinity;
      await this.takeTurn(companyId, inOneGo && hasBegun);
      start = this.#system.monotonic();
    };
    return () => (this.#system.monotonic() - start < TURN_MS ? undefined : next());
  }

  /** Resolves in a turn of the event loop that belongs to this company. `isNext`: before its other work. */
  takeTurn(companyId: string, isNext = false): Promise<void> {
    return new Promise((resolve) => this.#order.take(companyId, resolve, isNext));
  }
}
