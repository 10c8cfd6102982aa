import type { IncomingHttpHeaders } from "node:http";
import type { Agent, Dispatcher } from "undici";
import type { Headers } from "../../domain/model/delivery.js";
import type { Flight, Flights } from "./flights.js";
import type { ReceiverHeaders } from "./receiver-headers.js";
import type { Target } from "./target.js";
import type { TransportRequest, TransportResult } from "./transport.js";

/** "answer (cut at 4 KiB)". */
const RESPONSE_BYTES_KEPT = 4096;
/** An answer that goes on beyond this is not read to its end. */
const RESPONSE_BYTES_READ_MAX = 1024 * 1024;

export type Outcome = Omit<TransportResult, "latencyMs">;

/**
 * One request and what came of it. By undici's lowest interface: a stream for each answer, of which the start is kept at most, takes as long as all
 * the rest.
 */
export function exchange(
  agent: Agent,
  target: Target,
  request: TransportRequest,
  flights: Flights,
  startedAt: number,
): Promise<Outcome> {
  return new Promise((resolve) => {
    if (request.signal.aborted) resolve(failure(GIVEN_UP));
    else new Exchange(request, target.receiverHeaders, flights, startedAt, resolve).begin(agent, target);
  });
}

const GIVEN_UP = "given up: the company was reset or closed";

/** A class, as each of half a dozen closures would be made anew for every webhook. */
class Exchange implements Dispatcher.DispatchHandler, Flight {
  readonly deadline: number;
  place = 0;
  readonly #request: TransportRequest;
  readonly #receiverHeaders: ReceiverHeaders;
  readonly #flights: Flights;
  readonly #resolve: (outcome: Outcome) => void;
  #start: Buffer[] | undefined;
  #status: number | null = null;
  #received: Headers = {};
  #size = 0;
  #controller: Dispatcher.DispatchController | undefined;
  #isOver = false;

  constructor(
    request: TransportRequest,
    receiverHeaders: ReceiverHeaders,
    flights: Flights,
    startedAt: number,
    resolve: (outcome: Outcome) => void,
  ) {
    this.deadline = startedAt + request.timeoutMs;
    this.#request = request;
    this.#receiverHeaders = receiverHeaders;
    this.#flights = flights;
    this.#resolve = resolve;
  }

  begin(agent: Agent, { origin, path, authorization }: Target): void {
    const { headers, body } = this.#request;
    const sent = authorization === undefined ? headers : { authorization, ...headers };
    this.#flights.begin(this);
    try {
      agent.dispatch({ origin, path, method: "POST", headers: sent, body }, this);
    } catch (error) {
      // It is none that can be sent.
      this.#end(describeError(error));
    }
  }

  timeOut(): void {
    this.#stop(`timeout: no complete answer within ${this.#request.timeoutMs} ms`);
  }

  giveUp(): void {
    this.#stop(GIVEN_UP);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It was given up while it waited for its connection.
    if (this.#isOver) controller.abort(new Error("given up"));
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // What comes before the answer (100, 103).
    if (status < 200) return;
    this.#status = status;
    this.#received = this.#receiverHeaders.of(headers);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#size < RESPONSE_BYTES_KEPT) {
      this.#start ??= [];
      this.#start.push(chunk.subarray(0, RESPONSE_BYTES_KEPT - this.#size));
    }
    this.#size += chunk.length;
    if (this.#size <= RESPONSE_BYTES_READ_MAX) return;
    this.#end(errorOfStatus(this.#status));
    this.#controller?.abort(new Error("the rest is not read"));
  }

  onResponseEnd(): void {
    this.#end(errorOfStatus(this.#status));
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end(describeError(error));
  }

  #stop(why: string): void {
    this.#end(why);
    this.#controller?.abort(new Error(why));
  }

  #end(error: string | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#flights.end(this);
    this.#resolve(this.#outcome(error));
  }

  /** Half an answer confirms nothing; what had come of it is kept. */
  #outcome(error: string | null): Outcome {
    if (this.#status === null) return failure(error ?? "no answer");
    const body = this.#start === undefined ? "" : Buffer.concat(this.#start).toString("utf8");
    return { status: this.#status, error, response: { headers: this.#received, body } };
  }
}

/** No answer came. */
export function failure(error: string): Outcome {
  return { status: null, error, response: null };
}

/** The code of the network (`ECONNREFUSED`) and what it says; a happy-eyeballs failure carries one error per address. */
export function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return describeError(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" ? `${error.code}: ${error.message}` : error.message;
}

/** "The receiver answers with a 2xx status to confirm receipt." */
function errorOfStatus(status: number | null): string | null {
  if (status === null) return "no answer";
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? `redirect: status ${status} is not followed` : `status ${status} is not 2xx`;
}
