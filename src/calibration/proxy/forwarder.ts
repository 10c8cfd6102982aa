import { Agent, type IncomingHttpHeaders, type IncomingMessage, STATUS_CODES, type ServerResponse } from "node:http";
import { Agent as TlsAgent } from "node:https";
import { createProxyServer } from "httpxy";
import { BODY_IS_CUT, type HeaderList, type HttpExchange, headerOf } from "../../adapters/har/http-exchange.js";
import { reasonOf } from "../../kernel/messages/problem.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import { bareHost } from "../../kernel/messages/text.js";
import { BodyCopy, decodableOf } from "./body-copy.js";
import { type Side, WEBHOOK_PATH, forwardedUrl, sideOf } from "./side.js";

export interface ForwardOptions {
  /** The service. Requests go to this address and nowhere else. */
  readonly target: URL;
  /** The receiver of the webhooks that the service sends to {@link WEBHOOK_PATH}. */
  readonly webhooksTo: URL | undefined;
  readonly system: SystemClock;
  /** Why a request is answered with 403 and not passed on; undefined when it is passed on. */
  readonly refuses: (incoming: IncomingMessage) => string | undefined;
  /** Called when a request has ended, with an answer or without. The exchange still contains its credentials. */
  readonly onExchange: (exchange: HttpExchange, side: Side) => void;
}

/** How long an unused connection to the service is kept, ms. If the service closed it first, a request that is sent at that moment would fail. */
const KEEP_ALIVE_MS = 500;

/** Passes requests on and copies what was sent and answered. */
export class Forwarder {
  readonly #options: ForwardOptions;
  readonly #proxy = createProxyServer({ changeOrigin: true, preserveHeaderKeyCase: true });
  readonly #agent = new Agent({ keepAlive: true, timeout: KEEP_ALIVE_MS });
  readonly #tlsAgent = new TlsAgent({ keepAlive: true, timeout: KEEP_ALIVE_MS });
  readonly #inFlight = new WeakMap<ServerResponse, ExchangeCopy>();

  constructor(options: ForwardOptions) {
    this.#options = options;
    this.#proxy.on("proxyRes", (answer, _, outgoing) => {
      this.#inFlight.get(outgoing)?.answered(answer);
      adaptAnswer(answer, outgoing);
    });
    this.#proxy.on("proxyReq", (request, _, outgoing) => {
      request.once("upgrade", ({ statusCode }, socket) => {
        socket.destroy();
        refuse(outgoing, 502, `The service answered with the status ${statusCode}, which was not asked for.`);
      });
    });
  }

  async forward(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { target, webhooksTo, system, refuses, onExchange } = this.#options;
    const refused = refuses(incoming);
    if (refused !== undefined) return refuse(outgoing, 403, refused);
    if (ignoreOffer(incoming.headers) !== undefined) return refuse(outgoing, 501, "The proxy passes no upgrades on.");
    const path = incoming.url ?? "/";
    const side = sideOf(path);
    const base = side === "receiver" ? webhooksTo : target;
    if (base === undefined) {
      return refuse(outgoing, 404, `${WEBHOOK_PATH} takes webhooks. Name their receiver with --webhooks-to.`);
    }
    const url = forwardedUrl(base, side, path);
    const copy = new ExchangeCopy(incoming, url, system);
    this.#inFlight.set(outgoing, copy);
    outgoing.once("close", () => onExchange(copy.toExchange(), side));
    adaptRequest(incoming, url);
    try {
      await this.#proxy.web(incoming, outgoing, {
        target: addressOf(url),
        agent: url.protocol === "https:" ? this.#tlsAgent : this.#agent,
        buffer: incoming.pipe(copy.sent),
      });
    } catch (error) {
      copy.comment = `no answer: ${reasonOf(error)}`;
      if (outgoing.headersSent) outgoing.destroy();
      else refuse(outgoing, 502, `The proxy got no answer from ${url.origin}: ${reasonOf(error)}.`);
    }
  }
}

/** A copy of one exchange, made while it passes. */
class ExchangeCopy {
  /** The body of the request. */
  readonly sent = new BodyCopy();
  comment: string | undefined;
  readonly #request: Pick<HttpExchange, "startedAt" | "method" | "url" | "headers">;
  readonly #system: SystemClock;
  readonly #started: number;
  #answer: HttpExchange["answer"];

  constructor({ method = "GET", rawHeaders }: IncomingMessage, url: URL, system: SystemClock) {
    this.#request = { startedAt: system.now(), method, url: url.href, headers: pairsOf(rawHeaders) };
    this.#system = system;
    this.#started = system.monotonic();
  }

  answered(received: IncomingMessage): void {
    const copy = new BodyCopy();
    received.on("data", (chunk: Buffer) => copy.keep(chunk));
    received.once("error", () => (this.comment = "no answer: the service closed the connection"));
    received.once("end", () => {
      const encoding = received.headers["content-encoding"];
      const answered = { status: received.statusCode ?? 0, headers: pairsOf(received.rawHeaders) };
      this.#answer = { ...answered, body: copy.decoded(encoding) };
      if (copy.isCut) this.comment = BODY_IS_CUT;
    });
  }

  /** Call this once the exchange has ended. */
  toExchange(): HttpExchange {
    const encoding = headerOf(this.#request.headers, "content-encoding");
    const body = this.sent.isEmpty ? undefined : this.sent.decoded(encoding);
    if (this.sent.isCut) this.comment ??= BODY_IS_CUT;
    if (this.#answer === undefined) this.comment ??= "no answer: the client closed the connection";
    const ms = this.#system.monotonic() - this.#started;
    return { ...this.#request, ms, body, answer: this.#answer, comment: this.comment };
  }
}

/** Changes a request so that Node.js can pass it on to the service, and so that its answer can be decoded. */
function adaptRequest(incoming: IncomingMessage, url: URL): void {
  // The proxy passes no trailers on, and Node.js throws where they are promised for a body that is not chunked.
  delete incoming.headers.trailer;
  const { "accept-encoding": accepted } = incoming.headers;
  if (typeof accepted === "string") incoming.headers["accept-encoding"] = decodableOf(accepted);
  incoming.url = url.pathname + url.search;
}

/** Changes an answer so that Node.js can pass it on to the client. */
function adaptAnswer(answer: IncomingMessage, outgoing: ServerResponse): void {
  delete answer.headers.trailer;
  // These headers are about the connection to the service.
  delete answer.headers.connection;
  delete answer.headers["keep-alive"];
  const { statusCode = 0, statusMessage } = answer;
  // Node.js reads control characters in a status line, and statuses below 100, but refuses to write either.
  answer.statusMessage = statusMessage?.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "?");
  if (statusCode >= 100) return;
  answer.destroy();
  refuse(outgoing, 502, `The service answered with the status ${statusCode}.`);
}

function addressOf({ protocol, host, hostname, port }: URL) {
  return { protocol, host, port, hostname: bareHost(hostname) };
}

/** Removes an offer of HTTP/2: clients make it with an ordinary request, and accept an answer in HTTP/1.1. Returns any other upgrade. */
function ignoreOffer(headers: IncomingHttpHeaders): string | undefined {
  const { upgrade, connection = "" } = headers;
  if (upgrade?.toLowerCase() !== "h2c") return upgrade;
  delete headers.upgrade;
  delete headers["http2-settings"];
  headers.connection = /\bclose\b/i.test(connection) ? "close" : "keep-alive";
  return undefined;
}

function pairsOf(rawHeaders: readonly string[]): HeaderList {
  return rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""] as const] : []));
}

/** The proxy's own answer, in the shape of the service's errors. */
function refuse(outgoing: ServerResponse, statusCode: number, message: string): void {
  outgoing.writeHead(statusCode, { "content-type": "application/json", connection: "close" });
  outgoing.end(JSON.stringify({ error: STATUS_CODES[statusCode], statusCode, message: [message] }));
}
