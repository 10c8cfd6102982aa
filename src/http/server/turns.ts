import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { systemClock } from "../../kernel/time/system-clock.js";

/**
 * Lets the requests that a client sends without waiting for answers take turns: one begins when the client has received the answer to the one before.
 * So requests of other connections get their turns, and a client that does not read holds only one answer.
 */
export class Turns {
  #isBusy = false;
  readonly #waiting: (() => void)[] = [];

  /** Calls `begin` when it is the request's turn; never if the connection is closed before that. */
  take(socket: Socket, outgoing: ServerResponse, begin: () => void): void {
    const start = (): void => {
      this.#isBusy = true;
      outgoing.once("close", () => void systemClock.yieldToEventLoop().then(() => this.#end(socket)));
      begin();
    };
    if (!this.#isBusy) return start();
    this.#waiting.push(start);
  }

  /**
   * Whether no more requests should be read: each may hold 120 KB of headers in memory, and Node's parser fails if it is given more while an answer waits
   * to be read. The server then notices only when the waiting request begins that the client has left.
   */
  get isFull(): boolean {
    return this.#waiting.length > 0;
  }

  #end(socket: Socket): void {
    this.#isBusy = false;
    if (socket.destroyed) this.#waiting.length = 0;
    this.#waiting.shift()?.();
    if (!this.isFull && socket.isPaused()) socket.resume();
  }
}
