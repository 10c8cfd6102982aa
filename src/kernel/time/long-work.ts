import type { SystemClock } from "./system-clock.js";

/** Other requests get their turn as often. */
const TURN_MS = 10;

/** Work of over 10 ms, such as comparisons with thousands of requests. Of several long works one goes on in each turn of the event loop. */
export class LongWork {
  readonly system: SystemClock;
  #lastTurn = Promise.resolve();

  constructor(system: SystemClock) {
    this.system = system;
  }

  /** Await what it returns often during the work: it lets the event loop run now and then. */
  begin(): () => Promise<void> | undefined {
    let start = -Infinity;
    const next = async (): Promise<void> => {
      this.#lastTurn = this.#lastTurn.then(() => this.system.yieldToEventLoop());
      await this.#lastTurn;
      start = this.system.monotonic();
    };
    return () => (this.system.monotonic() - start < TURN_MS ? undefined : next());
  }
}
