import { setMaxListeners } from "node:events";
import {
  type ClientRequest,
  type ClientRequestArgs,
  Agent,
  type AgentOptions,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
} from "node:http";
import { Agent as TlsAgent, type RequestOptions } from "node:https";
import { connect, type NetConnectOpts, type OnReadOpts, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { DEFAULT_CIPHERS } from "node:tls";
import { type SystemClock, systemClock } from "../../kernel/time/system-clock.js";
import { lookupAllowed } from "./lookup-allowed.js";
import type { TransportRequest, TransportResult } from "./transport.js";
import type { Headers } from "../../domain/model/delivery.js";
import { bareHost, decodePart } from "../../kernel/messages/text.js";

/** How much of the body of an answer is kept. */
const RESPONSE_BYTES_KEPT = 4096;
/** How much of the headers of an answer is kept, names and values together. */
const HEADER_BYTES_KEPT = 4096;
/** How much of an error is kept. It may list the thousand names of a certificate, for each of thousands of attempts. */
const ERROR_BYTES_KEPT = 500;
/** The most pieces of an answer that are read, each of a few KiB at most. Pieces are counted because one of a single byte costs as much. */
const RESPONSE_PIECES_READ_MAX = 100;
/** The most headers of an answer that are read: a thousand receivers may send a thousand each at the same instant. */
const HEADERS_MAX = 100;
/** The most interim answers, such as 100 and 103, before the answer. */
export const INTERIM_ANSWERS_MAX = 20;
const KEEP_ALIVE_MS = 4_000;

/** Diffie-Hellman over curves only: over finite fields a receiver can choose parameters with which each handshake blocks the event loop for a second. */
export const tlsKeyExchange = {
  ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
  ecdhCurve: "X25519:prime256v1:X448:secp521r1:secp384r1",
} as const;

/** The outcome of an attempt, without its duration. */
export type Outcome = Omit<TransportResult, "latencyMs">;

/** Sets no limit to its sockets: each company's dispatcher decides how many there are, so that no company waits behind another's hanging receiver. */
export function createAgent({ url, insecureTls, allow }: TransportRequest): Agent {
  const options: AgentOptions = { keepAlive: true, timeout: KEEP_ALIVE_MS, lookup: lookupAllowed(allow) };
  const agent =
    new URL(url).protocol === "https:"
      ? new TlsAgentOfSmallReads({ ...options, ...tlsKeyExchange, rejectUnauthorized: !insecureTls })
      : new AgentOfSmallReads(options);
  agent.on("free", (socket: Duplex) => socket.on("data", closeUnasked));
  return agent;
}

/**
 * Between two requests Node drops incoming bytes, but takes them for a sign of life: a receiver that goes on sending would keep the connection for
 * ever.
 */
function closeUnasked(this: Duplex): void {
  this.destroy();
}

/** Node processes all bytes of one read, even when its consumer has had enough: 64 KiB of chunks of one byte take it milliseconds. */
const READ_BYTES = 1024;

export class AgentOfSmallReads extends Agent {
  override createConnection(options: ClientRequestArgs): Socket {
    return connectForSmallReads(options);
  }
}

/** Also decrypts in small reads, one in each turn of the event loop. */
export class TlsAgentOfSmallReads extends TlsAgent {
  override createConnection(options: ClientRequestArgs): Socket {
    const encrypted = oneReadPerTurn(connectForSmallReads(options));
    const socket = super.createConnection({ ...options, socket: encrypted } as RequestOptions) as Socket;
    ignoreErrors(socket);
    encrypted.once("connect", () => socket.emit("connect"));
    const push = socket.push.bind(socket);
    // A TLS record has up to 16 KiB.
    socket.push = (bytes: Buffer | null): boolean => {
      if (bytes === null) return push(null);
      let isWanted = true;
      for (let at = 0; at < bytes.length && !socket.destroyed; at += READ_BYTES)
        isWanted = push(bytes.subarray(at, at + READ_BYTES));
      return isWanted;
    };
    return socket;
  }
}

function connectForSmallReads(options: ClientRequestArgs): Socket {
  const take = (size: number, buffer: Uint8Array): boolean => {
    socket.emit("data", Buffer.from(buffer.subarray(0, size)));
    return !socket.destroyed;
  };
  const onread: OnReadOpts = { buffer: Buffer.alloc(READ_BYTES), callback: take };
  const socket = connect({ ...(options as NetConnectOpts), onread });
  ignoreErrors(socket);
  return socket;
}

/**
 * Node reports errors of a connection through its request. It stops listening when the answer has ended and writing the body fails: the error of the
 * connection would then end the process.
 */
function ignoreErrors(socket: Duplex): void {
  socket.on("error", () => undefined);
}

/** In one turn of the event loop TLS takes megabytes from a socket of Node, and each key update of 27 bytes costs 3 µs. */
function oneReadPerTurn(socket: Socket): Duplex {
  const duplex = new Duplex({
    read: () => void systemClock.yieldToEventLoop().then(() => socket.resume()),
    write: (chunk, _, done) => void socket.write(chunk, done),
    final: (done) => void socket.end(done),
    destroy(error, done) {
      socket.destroy();
      done(error);
    },
  });
  socket.on("connect", () => duplex.emit("connect"));
  socket.on("data", (bytes: Buffer) => {
    socket.pause();
    duplex.push(bytes);
  });
  socket.on("end", () => duplex.push(null));
  socket.on("error", (error) => duplex.destroy(error));
  socket.on("close", () => duplex.destroy());
  return duplex;
}

/** Sends one request. A redirect is an answer like any other and is not followed. */
export async function post(
  agent: Agent,
  { url, headers, body, timeoutMs, signal }: TransportRequest,
  system: SystemClock,
): Promise<Outcome> {
  const target = new URL(url);
  const credentials = basicCredentials(target);
  const outgoing = request({
    agent,
    protocol: target.protocol,
    host: bareHost(target.hostname),
    port: target.port,
    path: target.pathname + target.search,
    method: "POST",
    headers: { ...(credentials === undefined ? {} : { authorization: credentials }), ...headers },
  });
  outgoing.maxHeadersCount = HEADERS_MAX;
  outgoing.on("socket", (socket) => socket.off("data", closeUnasked));
  let stopped: string | undefined;
  const stop = (reason: string): void => {
    stopped ??= reason;
    outgoing.destroy();
  };
  const cancel = (): void => stop("given up: the company was reset or closed");
  const cancelTimeout = system.after(timeoutMs, () => stop(`timeout: no complete answer within ${timeoutMs} ms`));
  setMaxListeners(0, signal);
  signal.addEventListener("abort", cancel);
  if (signal.aborted) cancel();
  let interimAnswers = 0;
  outgoing.on("information", () => {
    if (++interimAnswers > INTERIM_ANSWERS_MAX) stop(`more than ${INTERIM_ANSWERS_MAX} interim answers came`);
  });
  // This error comes before the one of the answer and says more: that one is only "aborted".
  let failure: Error | undefined;
  outgoing.on("error", (error) => (failure ??= error));
  let answer: ReadAnswer | undefined;
  try {
    const incoming = await answerTo(outgoing, body);
    const status = incoming.statusCode ?? 0;
    if (status < 200) throw new Error(`status ${status} cannot be that of an answer`);
    answer = { status, headers: keepStart(incoming.headers), chunks: [] };
    await readStart(incoming, answer.chunks);
    const error = stopped ?? errorOfStatus(status);
    await endOf(outgoing);
    return outcomeOf(answer, error);
  } catch (error) {
    outgoing.destroy();
    return outcomeOf(answer, stopped ?? startOf(describeError(failure ?? error), ERROR_BYTES_KEPT));
  } finally {
    cancelTimeout();
    signal.removeEventListener("abort", cancel);
  }
}

/** Sends the body. The listeners stay, because an error may also come after the answer. */
function answerTo(outgoing: ClientRequest, body: Buffer): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.on("response", resolve);
    outgoing.on("upgrade", (_, socket) => {
      // Node leaves it to the listener to close the socket.
      socket.destroy();
      reject(new Error("status 101 cannot be that of an answer"));
    });
    outgoing.on("error", reject);
    outgoing.on("close", () => reject(new Error("the connection was closed without an answer")));
    outgoing.end(body);
  });
}

/** A receiver may answer before it reads the body, which is in memory until it is sent. */
function endOf(outgoing: ClientRequest): Promise<void> {
  if (outgoing.writableFinished || outgoing.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    outgoing.on("finish", resolve);
    outgoing.on("close", resolve);
  });
}

interface ReadAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly chunks: Buffer[];
}

/** Keeps the start of the body, and reads to its end within bounds. */
export function readStart(body: IncomingMessage, chunks: Buffer[]): Promise<void> {
  let size = 0;
  let pieces = 0;
  return new Promise((resolve, reject) => {
    body.on("data", (chunk: Buffer) => {
      if (size < RESPONSE_BYTES_KEPT) chunks.push(chunk.subarray(0, RESPONSE_BYTES_KEPT - size));
      size += chunk.length;
      if (++pieces <= RESPONSE_PIECES_READ_MAX) return;
      resolve();
      body.destroy();
    });
    body.on("end", resolve);
    body.on("error", reject);
    body.on("close", () => reject(new Error("the connection was closed in the middle of the answer")));
  });
}

/** An incomplete answer does not confirm the delivery, but its start is kept. */
function outcomeOf(answer: ReadAnswer | undefined, error: string | null): Outcome {
  if (answer === undefined) return { status: null, error, response: null };
  const { status, headers, chunks } = answer;
  return { status, error, response: { headers, body: Buffer.concat(chunks).toString("utf8") } };
}

function keepStart(headers: IncomingHttpHeaders): Headers {
  const kept: Record<string, string> = {};
  let left = HEADER_BYTES_KEPT;
  for (const [name, value] of Object.entries(headers)) {
    left -= Buffer.byteLength(name);
    if (left < 0) break;
    kept[name] = startOf(Array.isArray(value) ? value.join(", ") : String(value), left);
    left -= Buffer.byteLength(kept[name]);
  }
  return kept;
}

/** Copies the start: a substring would keep the whole text in memory. */
function startOf(text: string, bytes: number): string {
  return Buffer.from(text).subarray(0, bytes).toString();
}

/** The Authorization header for `https://user:password@host/`; undefined when the URL has no credentials. */
export function basicCredentials({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  return `Basic ${Buffer.from(`${decodePart(username)}:${decodePart(password)}`).toString("base64")}`;
}

/** The network's code (`ECONNREFUSED`) and message; when every address of a name failed, those of the first address. */
function describeError(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return describeError(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" ? `${error.code}: ${error.message}` : error.message;
}

/** The contract: "The receiver answers with a 2xx status to confirm receipt." */
function errorOfStatus(status: number): string | null {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400 ? `redirect: status ${status} is not followed` : `status ${status} is not 2xx`;
}
