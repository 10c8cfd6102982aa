import { systemClock } from "./system-clock.js";

/** In each turn of the event loop one piece of work begins. The clients take turns: much of one client delays another's by one piece at a time. */
export class FairOrder {
  readonly #waiting = new Map<string, (() => void)[]>();

  /** `isNext`: before what else of this client waits. */
  take(client: string, begin: () => void, isNext = false): void {
    const waiting = this.#waiting.get(client);
    if (waiting !== undefined) return void (isNext ? waiting.unshift(begin) : waiting.push(begin));
    this.#waiting.set(client, [begin]);
    if (this.#waiting.size === 1) void this.#work();
  }

  async #work(): Promise<void> {
    while (this.#waiting.size > 0) {
      for (const [client, waiting] of this.#waiting) {
        await systemClock.yieldToEventLoop();
        waiting.shift()?.();
        if (waiting.length === 0) this.#waiting.delete(client);
      }
    }
  }
}
