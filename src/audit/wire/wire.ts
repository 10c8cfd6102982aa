import { request as requestHttp, type ClientRequest, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import type { LookupFunction } from "node:net";
import { UsageError } from "../../kernel/problem.js";
import type { SystemClock } from "../../kernel/system-clock.js";
import { VERSION } from "../../kernel/version.js";
import type { AuditAnswer, AuditRequest, Exchange, HeaderLine } from "./check.js";

/** An answer that goes on beyond this is cut off. */
const ANSWER_BYTES_MAX = 1024 * 1024;
/** What is kept of it. */
const ANSWER_BYTES_KEPT = 4096;
/** Between the pieces of a body that is sent in pieces. */
const PAUSE_MS = 150;

/** How the receiver may be reached, where that is not for the one who asks to decide. */
export interface Reach {
  /** Which addresses a name may stand for. Default: any. */
  readonly lookup?: LookupFunction | undefined;
  /** Default: a certificate has to be trusted. */
  readonly insecureTls?: boolean | undefined;
  /** Ends what is under way. */
  readonly signal?: AbortSignal | undefined;
}

export interface WireOptions extends Reach {
  readonly url: URL;
  /** Real time from the first byte to the end of the answer; pauses of our own come on top. */
  readonly timeoutMs: number;
  readonly system: SystemClock;
  /** Kept out of what is kept of answers. */
  readonly secret: string;
}

/**
 * Sends one request exactly as it is, on a connection of its own, to the one address that was named. A redirect is an answer like any other and is not
 * followed. Never rejects: what went wrong is in the exchange.
 */
export async function sendOnWire(options: WireOptions, request: AuditRequest): Promise<Exchange> {
  const { system } = options;
  const cuts = request.cuts ?? [];
  const timeoutMs = options.timeoutMs + cuts.length * PAUSE_MS;
  const start = system.monotonic();
  const outcome = await exchange(options, request, timeoutMs);
  const latencyMs = Math.max(0, Math.round(system.monotonic() - start) - cuts.length * PAUSE_MS);
  if ("answer" in outcome) {
    return { request, answer: outcome.answer, error: null, unreachable: false, timedOut: false, latencyMs };
  }
  const { isConnected, failure } = outcome;
  const { code = "", message } = failure;
  const unreachable = !isConnected || Object.hasOwn(UNREACHABLE, code);
  const error =
    UNREACHABLE[code] ??
    BROKEN[code] ??
    [code === TIMED_OUT ? "" : code, message].filter((part) => part !== "").join(": ");
  return { request, answer: null, error, unreachable, timedOut: code === TIMED_OUT, latencyMs };
}

const UNTRUSTED =
  "its certificate is not trusted (set NODE_EXTRA_CA_CERTS to the file with the certificate of its authority)";

/** No connection was made. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the name could not be looked up",
  EHOSTUNREACH: "there is no way to that host",
  ENETUNREACH: "there is no way to that network",
  EADDRNOTAVAIL: "there is no such address",
  ETIMEDOUT: "no connection could be made in time",
  EPROTO: "it does not speak TLS (is it http, and not https?)",
  ERR_SSL_WRONG_VERSION_NUMBER: "it does not speak TLS (is it http, and not https?)",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is that of another host",
  CERT_HAS_EXPIRED: "its certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
};

/** A connection was made, and no answer came of it. */
const BROKEN: Readonly<Record<string, string>> = {
  ECONNRESET: "the connection was cut",
  EPIPE: "the connection was cut",
};

const TIMED_OUT = "TIMED_OUT";

type Outcome =
  | { readonly answer: AuditAnswer }
  | {
      readonly failure: { readonly code?: string | undefined; readonly message: string };
      readonly isConnected: boolean;
    };

function exchange(options: WireOptions, request: AuditRequest, timeoutMs: number): Promise<Outcome> {
  const { url, system, secret, lookup, insecureTls = false, signal } = options;
  return new Promise((resolve) => {
    const send = url.protocol === "https:" ? requestHttps : requestHttp;
    const outgoing = send({
      host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: url.port === "" ? undefined : Number(url.port),
      path: url.pathname + url.search,
      method: "POST",
      agent: false,
      ...(lookup === undefined ? {} : { lookup }),
      ...(url.protocol === "https:" ? { rejectUnauthorized: !insecureTls } : {}),
      // A flat list goes out as it is: its case, its order, and what is in it twice.
      headers: [...headersOf(url, request)].flat(),
    });
    const end = (outcome: Outcome): void => {
      cancelTimeout();
      signal?.removeEventListener("abort", giveUp);
      resolve(outcome);
      outgoing.destroy();
    };
    let isConnected = false;
    const fail = (failure: NodeJS.ErrnoException): void => end({ failure, isConnected });
    const giveUp = (): void => fail(new Error("given up"));
    outgoing.on("socket", (socket) => socket.once("connect", () => (isConnected = true)));
    const cancelTimeout = system.after(timeoutMs, () => {
      const message = `no complete answer within ${timeoutMs} ms`;
      end({ failure: { code: isConnected ? TIMED_OUT : "ETIMEDOUT", message }, isConnected });
    });
    signal?.addEventListener("abort", giveUp);
    outgoing.on("error", (error: NodeJS.ErrnoException) => end({ failure: rootOf(error), isConnected }));
    outgoing.on("response", (incoming) => {
      readAnswer(incoming).then((body) => end({ answer: answerOf(incoming, body, secret) }), fail);
    });
    // 101: without a listener Node cuts the connection, and tells nobody.
    outgoing.on("upgrade", (incoming) => end({ answer: answerOf(incoming, "", secret) }));
    writeBody(outgoing, request, system).catch(fail);
  });
}

function answerOf({ statusCode = 0, headers }: IncomingMessage, body: string, secret: string): AuditAnswer {
  const hide = (text: string): string => (secret === "" ? text : text.replaceAll(secret, "[secret]"));
  return {
    status: statusCode,
    location: headers.location === undefined ? null : hide(headers.location),
    body: hide(body),
  };
}

function* headersOf(url: URL, { headers, body }: AuditRequest): Generator<HeaderLine> {
  yield ["host", url.host];
  yield ["user-agent", `business-payments-sandbox-audit/${VERSION}`];
  const credentials = basicCredentials(url);
  if (credentials !== undefined) yield ["authorization", credentials];
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
  const [first]: unknown[] = error instanceof AggregateError ? error.errors : [];
  return first instanceof Error ? first : error;
}

/** The Authorization header for the credentials of a URL; undefined when it has none. */
export function basicCredentials({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  return `Basic ${Buffer.from(`${decode(username)}:${decode(password)}`).toString("base64")}`;
}

/** A `%` that encodes nothing stands for itself. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The one address that an audit talks to. Throws UsageError("input"). */
export function parseReceiverUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  // What stands before an @ may be a password.
  const shown = JSON.stringify(text.replace(/^.*@/, "").slice(0, SHOWN_MAX));
  throw new UsageError(
    "input",
    `The receiver must be an absolute http or https URL, such as http://127.0.0.1:4020/webhooks, not ${shown}.`,
  );
}

const SHOWN_MAX = 80;

/** As it may be shown: without credentials. */
export function renderReceiverUrl(url: URL): string {
  return `${url.origin}${url.pathname}${url.search}`;
}
