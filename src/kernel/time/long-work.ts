import { FairOrder } from "./fair-order.js";
import type { SystemClock } from "./system-clock.js";

/** Other requests get their turn as often. */
const TURN_MS = 10;

/** Work of over 10 ms, such as comparisons with thousands of requests. Of several long works one goes on in each turn of the event loop. */
export class LongWork {
  readonly #system: SystemClock;
  readonly #order = new FairOrder();

  constructor(system: SystemClock) {
    this.#system = system;
  }

  /**
   * Await what it returns often during the work: it lets the event loop run now and then. The works of one company delay another's by one turn at a time.
   * `inOneGo`: each of them is done before the next of this company begins, since it holds memory until it is done.
   */
  begin(companyId: string, { inOneGo = false } = {}): () => Promise<void> | undefined {
    let start = -Infinity;
    const next = async (): Promise<void> => {
      const hasBegun = start !== -Infinity;
      await new Promise<void>((resolve) => this.#order.take(companyId, resolve, inOneGo && hasBegun));
      start = this.#system.monotonic();
    };
    return () => (this.#system.monotonic() - start < TURN_MS ? undefined : next());
  }
}
