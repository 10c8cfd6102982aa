import { request as requestHttp, type ClientRequest, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import type { SystemClock } from "../kernel/system-clock.js";
import { VERSION } from "../kernel/version.js";
import type { AuditRequest, Exchange, HeaderLine } from "./check.js";

/** An answer that goes on beyond this is cut off. */
const ANSWER_BYTES_MAX = 1024 * 1024;
/** What is kept of it. */
const ANSWER_BYTES_KEPT = 4096;
/** Between the pieces of a body that is sent in pieces. */
const PAUSE_MS = 150;

export interface WireOptions {
  readonly url: URL;
  /** Real time from the first byte to the end of the answer; pauses of our own come on top. */
  readonly timeoutMs: number;
  readonly system: SystemClock;
}

/**
 * Sends one request exactly as it is, on a connection of its own, to the one address that was named. A redirect is an answer like any other and is not
 * followed. Never rejects: what went wrong is in the exchange.
 */
export async function sendOnWire(options: WireOptions, request: AuditRequest): Promise<Exchange> {
  const { system, url } = options;
  const cuts = request.cuts ?? [];
  const timeoutMs = options.timeoutMs + cuts.length * PAUSE_MS;
  const start = system.monotonic();
  const outcome = await exchange(options, request, timeoutMs);
  const latencyMs = Math.max(0, Math.round(system.monotonic() - start) - cuts.length * PAUSE_MS);
  if ("answer" in outcome) return { request, answer: outcome.answer, error: null, unreachable: false, latencyMs };
  const { code, message } = outcome.failure;
  const unreachable = UNREACHABLE.has(code ?? "");
  const error = code !== undefined && !message.includes(code) ? `${code}: ${message}` : message;
  return { request, answer: null, error: error === "" ? `no answer from ${url.host}` : error, unreachable, latencyMs };
}

const UNREACHABLE = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "EPROTO",
]);

type Outcome =
  | { readonly answer: { readonly status: number; readonly body: string } }
  | { readonly failure: { readonly code?: string | undefined; readonly message: string } };

function exchange({ url, system }: WireOptions, request: AuditRequest, timeoutMs: number): Promise<Outcome> {
  return new Promise((resolve) => {
    const send = url.protocol === "https:" ? requestHttps : requestHttp;
    const outgoing = send({
      host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: url.port === "" ? undefined : Number(url.port),
      path: url.pathname + url.search,
      method: "POST",
      agent: false,
      // A flat list goes out as it is: its case, its order, and what is in it twice.
      headers: [...headersOf(url, request)].flat(),
    });
    const end = (outcome: Outcome): void => {
      cancelTimeout();
      resolve(outcome);
      outgoing.destroy();
    };
    const cancelTimeout = system.after(timeoutMs, () =>
      end({ failure: { message: `no complete answer within ${timeoutMs} ms` } }),
    );
    outgoing.on("error", (error: NodeJS.ErrnoException) => end({ failure: rootOf(error) }));
    outgoing.on("response", (incoming) => {
      readAnswer(incoming).then(
        (body) => end({ answer: { status: incoming.statusCode ?? 0, body } }),
        (error: NodeJS.ErrnoException) => end({ failure: error }),
      );
    });
    writeBody(outgoing, request, system).catch((error: Error) => end({ failure: error }));
  });
}

function* headersOf(url: URL, { headers, body }: AuditRequest): Generator<HeaderLine> {
  yield ["host", url.host];
  yield ["user-agent", `business-payments-sandbox-audit/${VERSION}`];
  if (url.username !== "" || url.password !== "") {
    const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
    yield ["authorization", `Basic ${Buffer.from(credentials).toString("base64")}`];
  }
  yield* headers;
  yield ["content-length", String(body.length)];
  yield ["connection", "close"];
}

async function writeBody(outgoing: ClientRequest, { body, cuts = [] }: AuditRequest, system: SystemClock) {
  outgoing.setNoDelay(true);
  let from = 0;
  for (const to of cuts) {
    await new Promise<void>((resolve) => outgoing.write(body.subarray(from, to), () => resolve()));
    await system.sleep(PAUSE_MS);
    if (outgoing.destroyed) return;
    from = to;
  }
  outgoing.end(body.subarray(from));
}

async function readAnswer(incoming: IncomingMessage): Promise<string> {
  const kept: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    if (size < ANSWER_BYTES_KEPT) kept.push(chunk.subarray(0, ANSWER_BYTES_KEPT - size));
    size += chunk.length;
    if (size > ANSWER_BYTES_MAX) break;
  }
  return Buffer.concat(kept).toString("utf8");
}

/** A happy-eyeballs failure carries one error for each address. */
function rootOf(error: NodeJS.ErrnoException): { code?: string | undefined; message: string } {
  const [first] = error instanceof AggregateError ? (error.errors as NodeJS.ErrnoException[]) : [];
  return first ?? error;
}
