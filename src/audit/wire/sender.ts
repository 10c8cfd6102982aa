import { Bug } from "../../kernel/messages/problem.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import { Abandoned, type AuditRequest, type Exchange, type Stage } from "./check.js";

/** An audit of all checks never sends more requests than this, each up to three times. */
export const REQUESTS_MAX = 2500;
/** After this many requests without an answer in time nothing more is sent, because each costs a whole timeout. */
const TIMEOUTS_MAX = 3;

/** How long to wait for a receiver that has stopped listening: it may be restarting by itself, as under a file watcher. */
export const RESTART_MS = 3000;
export const RESTART_POLL_MS = 100;
/** The most times that a request is sent. A request that ends the receiver does so each time. */
const TRIES_MAX = 3;

/** Stack traces of Node, Python, PHP, Java and the like. A receiver may send any text, so each pattern takes linear time. */
const STACK_TRACES: readonly RegExp[] = [
  /^[ \t]+at [^\n:(]+[:(][^\n\d]*\d/m,
  /\bat [^\n(]{1,200}\([^\n()]{1,200}:\d+\)/,
  /Traceback \(most recent call last\)|Stack trace:|Uncaught \w*(?:Error|Exception)/,
  /^[ \t]*File "[^\n"]+", line \d/m,
  /#0 [^\n]{1,200}?\(\d{1,9}\)/,
];

/** Sends the requests of all checks, a limited number at a time. */
export class Sender {
  readonly #send: Stage["send"];
  readonly #isAway: () => Promise<boolean>;
  readonly #system: Pick<SystemClock, "sleep">;
  readonly #signal: AbortSignal | undefined;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;
  #return: Promise<boolean> | undefined;
  #timeouts = 0;
  /** How many requests may be under way at a time. */
  parallel = 1;
  /** How many requests have been sent. */
  count = 0;
  /** The last exchange for which a connection was made, and the check that made it. */
  last: { readonly check: string; readonly exchange: Exchange } | undefined;
  /** The first exchange whose answer shows a stack trace. */
  trace: Exchange | undefined;
  /** The first exchange that got an answer only when the request was sent again, because the connection had been cut. */
  cut: Exchange | undefined;

  /** `isAway` resolves to whether no connection can be made. Once `signal` is aborted, each request rejects with its reason. */
  constructor(
    send: Stage["send"],
    isAway: () => Promise<boolean>,
    system: Pick<SystemClock, "sleep">,
    signal?: AbortSignal,
  ) {
    this.#send = send;
    this.#isAway = isAway;
    this.#system = system;
    this.#signal = signal;
  }

  /** Returns the function that sends the requests of one check. It rejects with Abandoned when another request would be useless. */
  forCheck(check: string): Stage["send"] {
    let sent = 0;
    return async (request) => {
      const wasReached = sent++ === 0 && this.count > 0;
      let exchange = await this.#inTurn(request);
      const wasCut = isCut(exchange);
      for (let tries = 1; tries < TRIES_MAX && (await this.#isBackAfter(exchange)); tries++)
        exchange = await this.#inTurn(request);
      if (wasCut && exchange.answer !== null) this.cut ??= exchange;
      if (!exchange.unreachable) this.last = { check, exchange };
      const { answer } = exchange;
      if (answer !== null && STACK_TRACES.some((trace) => trace.test(answer.body))) this.trace ??= exchange;
      if (answer === null && exchange.unreachable && wasReached) throw new Gone(exchange.error ?? "");
      if (exchange.timedOut) this.#timeouts++;
      return exchange;
    };
  }

  /** Whether a receiver that stopped listening after an answer comes back. The last request is sent again: if it ended the receiver, it does so again. */
  returns(): Promise<boolean> {
    this.#return ??= this.#waitForReturn().finally(() => (this.#return = undefined));
    return this.#return;
  }

  async #waitForReturn(): Promise<boolean> {
    const { answer, request } = this.last?.exchange ?? { answer: null };
    if (answer === null) return false;
    for (let waitedMs = 0; waitedMs < RESTART_MS; waitedMs += RESTART_POLL_MS) {
      await this.#system.sleep(RESTART_POLL_MS);
      this.#signal?.throwIfAborted();
      if ((await this.#send(request)).unreachable) continue;
      this.count++;
      await this.#system.sleep(RESTART_POLL_MS);
      return true;
    }
    return false;
  }

  /** Whether a receiver that cut the connection or did not listen comes back: it may restart by itself. */
  async #isBackAfter(exchange: Exchange): Promise<boolean> {
    if (exchange.unreachable) return this.returns();
    if (!isCut(exchange)) return false;
    for (let waitedMs = 0; waitedMs < RESTART_MS; waitedMs += RESTART_POLL_MS) {
      await this.#system.sleep(RESTART_POLL_MS);
      this.#signal?.throwIfAborted();
      if (!(await this.#isAway())) return true;
    }
    return false;
  }

  async #inTurn(request: AuditRequest): Promise<Exchange> {
    if (this.#underWay >= this.parallel) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#underWay++;
    try {
      this.#signal?.throwIfAborted();
      if (this.#timeouts >= TIMEOUTS_MAX) {
        throw new Abandoned(`not tried: ${TIMEOUTS_MAX} requests had got no answer in time`);
      }
      if (this.count++ >= REQUESTS_MAX * TRIES_MAX)
        throw new Bug(`An audit wants to send more than ${REQUESTS_MAX} requests.`);
      const exchange = await this.#send(request);
      this.#signal?.throwIfAborted();
      return exchange;
    } finally {
      this.#underWay--;
      this.#waiting.shift()?.();
    }
  }
}

function isCut({ answer, unreachable, timedOut }: Exchange): boolean {
  return answer === null && !unreachable && !timedOut;
}

/** Thrown when the receiver has stopped listening, and not because of this check. */
export class Gone extends Abandoned {
  constructor(error: string) {
    super(`not tried: the receiver could not be reached any more (${error})`);
  }
}
