import { Bug } from "../../kernel/problem.js";
import type { AuditRequest, Check, Exchange } from "./check.js";
import { Abandoned, type Stage } from "./stage.js";

/** An audit of all checks sends no more requests than this, whatever comes back. */
export const REQUESTS_MAX = 800;
/** After so many requests that got no answer in time nothing more is sent: each costs a whole time-out. */
const TIMEOUTS_MAX = 3;

/** Sends for all checks of an audit, and keeps count of what came back. */
export class Sender {
  readonly #send: Stage["send"];
  readonly #signal: AbortSignal | undefined;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;
  #parallel = 1;
  #count = 0;
  #timeouts = 0;
  #last: Exchange | undefined;

  /** Once `signal` is aborted, each request rejects with its reason. */
  constructor(send: Stage["send"], signal?: AbortSignal) {
    this.#send = send;
    this.#signal = signal;
  }

  /** How many requests have been sent. */
  get count(): number {
    return this.#count;
  }

  /** The last exchange that brought an answer. */
  get last(): Exchange | undefined {
    return this.#last;
  }

  /** How many requests may be under way at a time, from now on. */
  allow(parallel: number): void {
    this.#parallel = parallel;
  }

  /** For the requests of one check. Rejects with Abandoned when there is no point in another one, with Bug when there are more than it has announced. */
  for(check: Pick<Check, "id" | "requests">): Stage["send"] {
    let sent = 0;
    return async (request: AuditRequest) => {
      if (sent >= check.requests || this.#count >= REQUESTS_MAX) {
        throw new Bug(`The check ${check.id} wants to send more requests than its ${check.requests}.`);
      }
      sent++;
      const isFirst = sent === 1;
      const exchange = await this.#inTurn(request);
      if (exchange.answer !== null) this.#last = exchange;
      else if (exchange.unreachable && isFirst && this.#count > 1) throw new Gone(exchange.error ?? "");
      else if (exchange.timedOut) this.#timeouts++;
      return exchange;
    };
  }

  async #inTurn(request: AuditRequest): Promise<Exchange> {
    if (this.#underWay >= this.#parallel) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#underWay++;
    try {
      this.#signal?.throwIfAborted();
      if (this.#timeouts >= TIMEOUTS_MAX) {
        throw new Abandoned(`not tried: ${TIMEOUTS_MAX} requests had got no answer in time`);
      }
      this.#count++;
      const exchange = await this.#send(request);
      // It was cut off: nothing is to be made of what came back.
      this.#signal?.throwIfAborted();
      return exchange;
    } finally {
      this.#underWay--;
      this.#waiting.shift()?.();
    }
  }
}

/** Nobody listens any more, and that is not this check's doing. */
export class Gone extends Abandoned {
  constructor(error: string) {
    super(`not tried: the receiver could not be reached any more (${error})`);
  }
}
