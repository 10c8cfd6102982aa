import type { Agent, Dispatcher } from "undici";
import type { Headers } from "../../domain/deliveries/delivery.js";
import type { SystemClock } from "../../kernel/system-clock.js";
import type { Target } from "./target.js";
import type { TransportRequest, TransportResult } from "./transport.js";

/** "answer (cut at 4 KiB)". */
const RESPONSE_BYTES_KEPT = 4096;
/** An answer that goes on beyond this is not read to its end. */
const RESPONSE_BYTES_READ_MAX = 1024 * 1024;

export type Outcome = Omit<TransportResult, "latencyMs">;

/**
 * One request and what came of it. By undici's lowest interface: a stream for each answer, of which the start is kept at most, takes as long as all
 * the rest. Rejects when the request is none that can be sent.
 */
export function exchange(
  agent: Agent,
  { origin, path, authorization }: Target,
  { headers, body, timeoutMs, signal }: TransportRequest,
  system: SystemClock,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const start: Buffer[] = [];
    let status: number | null = null;
    let received: Headers = {};
    let size = 0;
    let controller: Dispatcher.DispatchController | undefined;
    let isOver = false;

    const end = (error: string | null): void => {
      if (isOver) return;
      isOver = true;
      cancelTimeout();
      signal.removeEventListener("abort", giveUp);
      // Half an answer confirms nothing; what had come of it is kept.
      const text = Buffer.concat(start).toString("utf8");
      resolve(
        status === null
          ? failure(error ?? "no answer")
          : { status, error, response: { headers: received, body: text } },
      );
    };
    const stop = (why: string): void => {
      end(why);
      controller?.abort(new Error(why));
    };
    const giveUp = (): void => stop("given up: the company was reset or closed");
    const cancelTimeout = system.after(timeoutMs, () => stop(`timeout: no complete answer within ${timeoutMs} ms`));
    signal.addEventListener("abort", giveUp);
    if (signal.aborted) {
      giveUp();
      return;
    }
    const sent = authorization === undefined ? headers : { authorization, ...headers };
    agent.dispatch(
      { origin, path, method: "POST", headers: sent, body },
      {
        onRequestStart(given) {
          controller = given;
          // It was given up while it waited for its connection.
          if (isOver) given.abort(new Error("given up"));
        },
        onResponseStart(_, code, given) {
          // What comes before the answer (100, 103).
          if (code < 200) return;
          status = code;
          received = flatten(given);
        },
        onResponseData(_, chunk) {
          if (size < RESPONSE_BYTES_KEPT) start.push(chunk.subarray(0, RESPONSE_BYTES_KEPT - size));
          size += chunk.length;
          if (size <= RESPONSE_BYTES_READ_MAX) return;
          end(errorOfStatus(status));
          controller?.abort(new Error("the rest is not read"));
        },
        onResponseEnd: () => end(errorOfStatus(status)),
        onResponseError: (_, error) => end(describeError(error)),
      },
    );
  });
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

function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Headers {
  const flat: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return flat;
}
