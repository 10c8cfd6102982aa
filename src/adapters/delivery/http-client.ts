import { setMaxListeners } from "node:events";
import type { IncomingHttpHeaders } from "node:http";
import { Agent, request } from "undici";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import { lookupAllowed } from "./lookup-allowed.js";
import type { AllowedHosts } from "../../domain/profile/setting-kinds.js";
import type { TransportRequest, TransportResult } from "./transport.js";
import type { Headers } from "../../domain/model/delivery.js";

/** "answer (cut at 4 KiB)". */
const RESPONSE_BYTES_KEPT = 4096;
/** An answer is not read beyond this. */
const RESPONSE_BYTES_READ_MAX = 1024 * 1024;

/** The outcome of an attempt, but for its duration. */
export type Outcome = Omit<TransportResult, "latencyMs">;

export function createAgent(insecureTls: boolean, allow: AllowedHosts): Agent {
  return new Agent({
    // Each company's dispatcher decides how many sockets there are, so that no company waits behind another's hanging receiver.
    connections: null,
    // One request on a socket at a time: an attempt must not wait behind a receiver's slow answer to another.
    pipelining: 1,
    keepAliveTimeout: 4_000,
    // An attempt has its own time-out; undici's would cut a longer `webhooks.timeout` short.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { rejectUnauthorized: !insecureTls, timeout: 0, lookup: lookupAllowed(allow) },
  });
}

/** Sends one request. A redirect is an answer like any other and is not followed. */
export async function post(
  agent: Agent,
  { url, headers, body, timeoutMs, signal }: TransportRequest,
  system: SystemClock,
): Promise<Outcome> {
  const { origin, pathname, search, username, password } = new URL(url);
  const authorization = username === "" && password === "" ? {} : { authorization: basic(username, password) };
  // Not AbortSignal.any: in Node 20 a long-lived signal keeps every signal that was made from it.
  const attempt = new AbortController();
  let stopped: string | undefined;
  const stop = (reason: string): void => {
    stopped ??= reason;
    attempt.abort();
  };
  const cancel = (): void => stop("given up: the company was reset or closed");
  const cancelTimeout = system.after(timeoutMs, () => stop(`timeout: no complete answer within ${timeoutMs} ms`));
  setMaxListeners(0, signal);
  signal.addEventListener("abort", cancel);
  if (signal.aborted) cancel();
  let answer: ReadAnswer | undefined;
  try {
    const response = await request(origin + pathname + search, {
      dispatcher: agent,
      method: "POST",
      headers: { ...authorization, ...headers },
      body,
      signal: attempt.signal,
    });
    answer = { status: response.statusCode, headers: flatten(response.headers), chunks: [] };
    await readStart(response.body, answer.chunks);
    return outcomeOf(answer, stopped ?? errorOfStatus(answer.status));
  } catch (error) {
    return outcomeOf(answer, stopped ?? describeError(error));
  } finally {
    cancelTimeout();
    signal.removeEventListener("abort", cancel);
  }
}

interface ReadAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly chunks: Buffer[];
}

/** Keeps the start of the body and reads on to its end, within bounds. */
async function readStart(body: AsyncIterable<Buffer>, chunks: Buffer[]): Promise<void> {
  let size = 0;
  for await (const chunk of body) {
    if (size < RESPONSE_BYTES_KEPT) chunks.push(chunk.subarray(0, RESPONSE_BYTES_KEPT - size));
    size += chunk.length;
    if (size > RESPONSE_BYTES_READ_MAX) return;
  }
}

/** An incomplete answer does not confirm the delivery, but its start is kept. */
function outcomeOf(answer: ReadAnswer | undefined, error: string | null): Outcome {
  if (answer === undefined) return { status: null, error, response: null };
  const { status, headers, chunks } = answer;
  return { status, error, response: { headers, body: Buffer.concat(chunks).toString("utf8") } };
}

function flatten(headers: IncomingHttpHeaders): Headers {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : String(value)]),
  );
}

/** `https://user:password@host/` is HTTP basic authentication. */
function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${decode(username)}:${decode(password)}`).toString("base64")}`;
}

/** A percent sign that begins no escape is taken literally. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The network's code (`ECONNREFUSED`) and message; when each address of a name failed, those of the first. */
function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return describeError(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" ? `${error.code}: ${error.message}` : error.message;
}

/** "The receiver answers with a 2xx status to confirm receipt." */
function errorOfStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? `redirect: status ${status} is not followed` : `status ${status} is not 2xx`;
}
