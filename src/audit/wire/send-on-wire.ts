import { request as requestHttp, type ClientRequest, type IncomingMessage } from "node:http";
import { request as requestHttps } from "node:https";
import { connect, type LookupFunction } from "node:net";
import {
  AgentOfSmallReads,
  basicCredentials,
  INTERIM_ANSWERS_MAX,
  readStart,
  tlsKeyExchange,
  TlsAgentOfSmallReads,
} from "../../adapters/delivery/http-client.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { bareHost, parseUrl, quote, shorten } from "../../kernel/messages/text.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import { VERSION } from "../../kernel/version.js";
import type { AuditAnswer, AuditRequest, Exchange, HeaderLine } from "./check.js";

/** The pause between the pieces of a body that is sent in pieces. */
const PAUSE_MS = 150;

/** Limits on how the receiver is reached, set by the sandbox's operator. */
export interface Reach {
  /** Which addresses a name may resolve to. Default: any. */
  readonly lookup?: LookupFunction | undefined;
  /** Accepts certificates that are not trusted. Default: false. */
  readonly insecureTls?: boolean | undefined;
  /** Cancels requests under way. */
  readonly signal?: AbortSignal | undefined;
}

export interface WireOptions extends Reach {
  readonly url: URL;
  /** Real time from the first byte to the end of the answer, without the pauses between pieces. */
  readonly timeoutMs: number;
  readonly system: SystemClock;
  /** Redacted in answers. */
  readonly secret: string;
}

/**
 * Sends one request byte for byte, on a new connection. Redirects are answers, and are not followed. Never rejects: the exchange contains the
 * error.
 */
export async function sendOnWire(options: WireOptions, request: AuditRequest): Promise<Exchange> {
  const { system } = options;
  const pausesMs = (request.cuts ?? []).length * PAUSE_MS;
  const start = system.monotonic();
  const outcome = await exchange(options, request, options.timeoutMs + pausesMs);
  const latencyMs = Math.max(0, Math.round(system.monotonic() - start) - pausesMs);
  return { request, answer: null, error: null, unreachable: false, timedOut: false, ...outcome, latencyMs };
}

const UNTRUSTED =
  "its certificate is not trusted (set NODE_EXTRA_CA_CERTS to the file with the certificate of its authority)";

const unreachableErrors: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "there is no such host",
  EAI_AGAIN: "the host name could not be resolved",
  EHOSTUNREACH: "there is no route to that host",
  ENETUNREACH: "there is no route to that network",
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

const errors: Readonly<Record<string, string>> = {
  ...unreachableErrors,
  ECONNRESET: "the connection was cut",
  EPIPE: "the connection was cut",
};

const TIMED_OUT = "TIMED_OUT";

interface RequestError {
  readonly code?: string | undefined;
  readonly message: string;
}

type Outcome = Pick<Exchange, "answer"> | Pick<Exchange, "error" | "unreachable" | "timedOut">;

function describeError({ code = "", message }: RequestError, isConnected: boolean): Outcome {
  const timedOut = code === TIMED_OUT;
  const error = errors[code] ?? (timedOut || code === "" ? message : `${code}: ${message}`);
  return { error, unreachable: !isConnected || Object.hasOwn(unreachableErrors, code), timedOut };
}

function exchange(options: WireOptions, request: AuditRequest, timeoutMs: number): Promise<Outcome> {
  const { url, system, secret, lookup, insecureTls = false, signal } = options;
  return new Promise((resolve) => {
    const send = url.protocol === "https:" ? requestHttps : requestHttp;
    const outgoing = send({
      host: bareHost(url.hostname),
      port: url.port === "" ? undefined : Number(url.port),
      path: url.pathname + url.search,
      method: "POST",
      agent: url.protocol === "https:" ? new TlsAgentOfSmallReads() : new AgentOfSmallReads(),
      ...(lookup === undefined ? {} : { lookup }),
      ...(url.protocol === "https:" ? { ...tlsKeyExchange, rejectUnauthorized: !insecureTls } : {}),
      // Node sends a flat list unchanged: case, order and repetition.
      headers: headersOf(url, request).flat(),
    });
    let isConnected = false;
    const end = (outcome: Outcome): void => {
      cancelTimeout();
      signal?.removeEventListener("abort", cancel);
      resolve(outcome);
      outgoing.destroy();
    };
    const fail = (error: RequestError): void => end(describeError(error, isConnected));
    const cancel = (): void => fail({ message: "given up" });
    const cancelTimeout = system.after(timeoutMs, () => {
      fail({ code: isConnected ? TIMED_OUT : "ETIMEDOUT", message: `no complete answer within ${timeoutMs} ms` });
    });
    signal?.addEventListener("abort", cancel);
    outgoing.on("socket", (socket) => socket.once("connect", () => (isConnected = true)));
    outgoing.on("error", (error) => fail(rootOf(error)));
    let interimAnswers = 0;
    outgoing.on("information", () => {
      if (++interimAnswers > INTERIM_ANSWERS_MAX)
        fail({ message: `more than ${INTERIM_ANSWERS_MAX} interim answers came` });
    });
    outgoing.on("response", (incoming) => {
      const body: Buffer[] = [];
      readStart(incoming, body).then(() => end({ answer: answerOf(incoming, body, secret) }), fail);
    });
    // Status 101: without this listener Node closes the connection without an error; with it, the listener must close the socket.
    outgoing.on("upgrade", (incoming, socket) => {
      socket.destroy();
      end({ answer: answerOf(incoming, [], secret) });
    });
    writeBody(outgoing, request, system).catch(fail);
  });
}

/** Whether no connection can be made. Nothing is sent. */
export function isUnreachable({
  url,
  system,
  lookup,
}: Pick<WireOptions, "url" | "system" | "lookup">): Promise<boolean> {
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  const host = bareHost(url.hostname);
  return new Promise((resolve) => {
    const socket = connect({ host, port, ...(lookup === undefined ? {} : { lookup }) });
    const end = (isRefused: boolean): void => {
      cancel();
      socket.destroy();
      resolve(isRefused);
    };
    const cancel = system.after(CONNECT_MS, () => end(true));
    socket.once("connect", () => end(false));
    socket.on("error", () => end(true));
  });
}

const CONNECT_MS = 5000;

/** The report repeats the location in each check, and searches it for secrets: 16 KiB in fifty checks took 0.2 s at once. */
const LOCATION_CHARACTERS_KEPT = 2048;

function answerOf({ statusCode = 0, headers }: IncomingMessage, body: readonly Buffer[], secret: string): AuditAnswer {
  const hide = (text: string): string => (secret === "" ? text : text.replaceAll(secret, "[secret]"));
  return {
    status: statusCode,
    location: headers.location === undefined ? null : shorten(hide(headers.location), LOCATION_CHARACTERS_KEPT),
    body: hide(Buffer.concat(body).toString()),
  };
}

function headersOf(url: URL, { headers, body }: AuditRequest): HeaderLine[] {
  const credentials = basicCredentials(url);
  return [
    ["host", url.host],
    ["user-agent", `business-payments-sandbox-audit/${VERSION}`],
    ...(credentials === undefined ? [] : [["authorization", credentials] as const]),
    ...headers,
    ["content-length", String(body.length)],
    ["connection", "close"],
  ];
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

/** When a host has several addresses, the error contains one for each of them: the first is enough. */
function rootOf(error: RequestError): RequestError {
  const [first]: unknown[] = error instanceof AggregateError ? error.errors : [];
  return first instanceof Error ? first : error;
}

/** Throws UsageError("input"). */
export function parseReceiverUrl(text: string): URL {
  const url = parseUrl(text);
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  // The text before an @ may be a password.
  const shown = quote(text.replace(/^.*@/, ""), 80);
  throw new UsageError(
    "input",
    `The receiver must be an absolute http or https URL, such as http://127.0.0.1:4020/webhooks, not ${shown}.`,
  );
}

/** The URL without credentials. */
export function renderReceiverUrl(url: URL): string {
  return `${url.origin}${url.pathname}${url.search}`;
}
