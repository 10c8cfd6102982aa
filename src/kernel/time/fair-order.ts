import { systemClock } from "./system-clock.js";

const LONG_MS = 250;
/** Node accepts one connection in each turn of the event loop: so many that wait are accepted after a long piece of work. */
const TURNS_AFTER_LONG_WORK = 100;

/** In each turn of the event loop one piece of work begins. The clients take turns: much of one client delays another's by one piece at a time. */
export class FairOrder {
  readonly #waiting = new Map<string, (() => void)[]>();
  #isBusy = false;

  /** `isNext`: before what else of this client waits. */
  take(client: string, begin: () => void, isNext = false): void {
    const waiting = this.#waiting.get(client) ?? [];
    this.#waiting.set(client, waiting);
    if (isNext) waiting.unshift(begin);
    else waiting.push(begin);
    if (!this.#isBusy) void this.#work();
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    await systemClock.yieldToEventLoop();
    while (this.#waiting.size > 0) {
      for (const [client, waiting] of this.#waiting) {
        waiting.shift()?.();
        if (waiting.length === 0) this.#waiting.delete(client);
        await this.#yield();
      }
    }
    this.#isBusy = false;
  }

  async #yield(): Promise<void> {
    const start = systemClock.monotonic();
    await systemClock.yieldToEventLoop();
    if (systemClock.monotonic() - start < LONG_MS) return;
    for (let turn = 1; turn < TURNS_AFTER_LONG_WORK; turn++) await systemClock.yieldToEventLoop();
  }
}
