import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { systemClock } from "../../kernel/time/system-clock.js";

/**
 * While more wait, no more are read, since each may hold 120 KB of headers in memory. A client that leaves is then noticed only when one of them begins.
 */
const WAITING_MAX = 10;

/**
 * The requests that a client sends without waiting for answers: one is worked on when the client has taken the answer before it, so that they take
 * turns with those of other connections, and a client that does not read holds one answer.
 */
export class Turns {
  #isBusy = false;
  readonly #waiting: (() => void)[] = [];

  /** Calls `begin` when it is the request's turn; never when the connection is closed before. */
  take(socket: Socket, outgoing: ServerResponse, begin: () => void): void {
    const start = (): void => {
      this.#isBusy = true;
      outgoing.once("close", () => void systemClock.yieldToEventLoop().then(() => this.#end(socket)));
      begin();
    };
    if (!this.#isBusy) return start();
    this.#waiting.push(start);
    // Node goes on reading at the end of each request: this pauses it after that, and before it reads more.
    if (this.#waiting.length > WAITING_MAX) queueMicrotask(() => this.#waiting.length > WAITING_MAX && socket.pause());
  }

  #end(socket: Socket): void {
    this.#isBusy = false;
    if (socket.destroyed) this.#waiting.length = 0;
    this.#waiting.shift()?.();
    if (this.#waiting.length <= WAITING_MAX && socket.isPaused()) socket.resume();
  }
}
