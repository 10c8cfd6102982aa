import { once } from "node:events";
import {
  Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  STATUS_CODES,
  type ServerResponse,
  createServer,
} from "node:http";
import { Agent as TlsAgent } from "node:https";
import type { AddressInfo } from "node:net";
import { createProxyServer } from "httpxy";
import { BODY_IS_CUT, type HeaderList, type HttpExchange, headerOf } from "../../adapters/har/http-exchange.js";
import { reasonOf, UsageError } from "../../kernel/messages/problem.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import { BodyCopy, decodableOf } from "./body-copy.js";
import { type Side, WEBHOOK_PATH, forwardedUrl, sideOf } from "./side.js";

export interface ProxyOptions {
  /** The service. Requests go to this address and nowhere else. */
  readonly target: URL;
  /** The receiver of the webhooks that the service sends to {@link WEBHOOK_PATH}. */
  readonly webhooksTo: URL | undefined;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly system: SystemClock;
  /** Why a request is answered with 403 and not passed on. */
  readonly refuses: (incoming: IncomingMessage) => string | undefined;
  /** A request has ended, with an answer or without. It still has its credentials. */
  readonly onExchange: (exchange: HttpExchange, side: Side) => void;
}

export interface RecordingProxy {
  /** `http://127.0.0.1:4011` */
  readonly url: string;
  /** Finishes requests in flight, within {@link CLOSE_MS}. All are reported then. */
  close(): Promise<void>;
}

/** How long requests in flight hold the end, ms. */
const CLOSE_MS = 2_000;

/** How long an unused connection to the service is kept, ms. If the service closed it first, a request that is sent at that moment would fail. */
const KEEP_ALIVE_MS = 500;

/**
 * Passes requests to the service, and webhooks to their receiver, as they come, and reports each when it has ended. Refuses upgrades.
 * Throws UsageError("cannot-run") when it cannot listen.
 */
export async function startRecordingProxy(options: ProxyOptions): Promise<RecordingProxy> {
  const { host, port, system } = options;
  const open = new Set<ServerResponse>();
  const forward = createForwarder(options);
  let isClosing = false;
  const server = createServer((incoming, outgoing) => {
    open.add(outgoing);
    if (isClosing) endAfterAnswer(incoming);
    void forward(incoming, outgoing);
    outgoing.once("close", () => open.delete(outgoing));
  });
  server.on("connection", (socket) => {
    socket.once("close", () => {
      // Node.js closes only the first of the answers that wait on a connection.
      for (const outgoing of open) if (outgoing.req.socket === socket) outgoing.emit("close");
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(new UsageError("cannot-run", `Failed to listen on ${host}:${port}: ${reasonOf(error)}.`)),
    );
    server.listen(port, host, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${taken}`,
    async close() {
      isClosing = true;
      for (const { req } of open) endAfterAnswer(req);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const cancel = system.after(CLOSE_MS, () => server.closeAllConnections());
      server.closeIdleConnections();
      await closed;
      cancel();
      // Each is reported when it closes, which may be after its connection.
      await Promise.all([...open].map((outgoing) => once(outgoing, "close")));
    },
  };
}

/** Its connection takes no further request. */
function endAfterAnswer(incoming: IncomingMessage): void {
  incoming.headers.connection = "close";
}

function createForwarder({ target, webhooksTo, system, refuses, onExchange }: ProxyOptions) {
  const proxy = createProxyServer({ changeOrigin: true, preserveHeaderKeyCase: true });
  const kept = { keepAlive: true, timeout: KEEP_ALIVE_MS };
  const [agent, tlsAgent] = [new Agent(kept), new TlsAgent(kept)];
  const inFlight = new WeakMap<ServerResponse, (answer: IncomingMessage) => void>();
  proxy.on("proxyRes", (answer, _, outgoing) => {
    inFlight.get(outgoing)?.(answer);
    delete answer.headers.trailer;
    // They are about the connection to the service.
    delete answer.headers.connection;
    delete answer.headers["keep-alive"];
    const { statusCode = 0, statusMessage } = answer;
    // Node.js reads control characters there, and writes neither them nor such a status.
    answer.statusMessage = statusMessage?.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, "?");
    if (statusCode >= 100) return;
    answer.destroy();
    refuse(outgoing, 502, `The service answered with the status ${statusCode}.`);
  });
  proxy.on("proxyReq", (request, _, outgoing) => {
    request.once("upgrade", ({ statusCode }, socket) => {
      socket.destroy();
      refuse(outgoing, 502, `The service answered with the status ${statusCode}, which was not asked for.`);
    });
  });

  return async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
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
    const method = incoming.method ?? "GET";
    const headers = pairsOf(incoming.rawHeaders);
    // The proxy passes no trailers on, and Node.js throws where they are promised for a body that is not chunked.
    delete incoming.headers.trailer;
    const { "accept-encoding": accepted } = incoming.headers;
    if (typeof accepted === "string") incoming.headers["accept-encoding"] = decodableOf(accepted);
    const startedAt = system.now();
    const started = system.monotonic();
    const body = new BodyCopy();
    let answer: HttpExchange["answer"];
    let comment: string | undefined;
    inFlight.set(outgoing, (received) => {
      const copy = new BodyCopy();
      received.on("data", (chunk: Buffer) => copy.keep(chunk));
      received.once("error", () => (comment = "no answer: the service closed the connection"));
      received.once("end", () => {
        const encoding = received.headers["content-encoding"];
        const answered = { status: received.statusCode ?? 0, headers: pairsOf(received.rawHeaders) };
        answer = { ...answered, body: copy.decoded(encoding) };
        if (copy.isCut) comment = BODY_IS_CUT;
      });
    });
    outgoing.once("close", () => {
      const sent = body.isEmpty ? undefined : body.decoded(headerOf(headers, "content-encoding"));
      if (body.isCut) comment ??= BODY_IS_CUT;
      if (answer === undefined) comment ??= "no answer: the client closed the connection";
      const ms = system.monotonic() - started;
      onExchange({ startedAt, ms, method, url: url.href, headers, body: sent, answer, comment }, side);
    });
    incoming.url = url.pathname + url.search;
    try {
      await proxy.web(incoming, outgoing, {
        target: addressOf(url),
        agent: url.protocol === "https:" ? tlsAgent : agent,
        buffer: incoming.pipe(body),
      });
    } catch (error) {
      comment = `no answer: ${reasonOf(error)}`;
      if (outgoing.headersSent) outgoing.destroy();
      else refuse(outgoing, 502, `The proxy got no answer from ${url.origin}: ${reasonOf(error)}.`);
    }
  };
}

/** With the name of the host as Node.js takes it: without the brackets of an IPv6 address. */
function addressOf({ protocol, host, hostname, port }: URL) {
  return { protocol, host, port, hostname: hostname.replace(/^\[(.*)\]$/, "$1") };
}

/** Clients of HTTP/2 offer it with an ordinary request, and go on with HTTP/1.1. Returns any other upgrade. */
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
