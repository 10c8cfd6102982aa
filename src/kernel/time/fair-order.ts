import { systemClock } from "./system-clock.js";

const LONG_MS = 250;
/** How many turns of the event loop follow a long piece of work. Node accepts one connection in each turn, so this many waiting clients are accepted. */
const TURNS_AFTER_LONG_WORK = 100;

/** Begins one piece of work in each turn of the event loop. Clients take turns, so a client with much work delays another only by one piece at a time. */
export class FairOrder {
  readonly #waiting = new Map<string, (() => void)[]>();
  #isBusy = false;

  /** `isNext`: begins before the other waiting work of this client. */
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
