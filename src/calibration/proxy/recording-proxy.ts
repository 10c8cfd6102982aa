import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createProxyServer } from "httpxy";
import { type HeaderList, type HttpExchange, headerOf } from "../../adapters/har/http-exchange.js";
import { UsageError } from "../../kernel/messages/problem.js";
import type { SystemClock } from "../../kernel/time/system-clock.js";
import { BodyCopy, COPIED_BYTES_MAX, decodeBody } from "./body-copy.js";
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
  /** A request has ended, with an answer or without. It still has its credentials. */
  readonly onExchange: (exchange: HttpExchange, side: Side) => void;
}

export interface RecordingProxy {
  /** `http://127.0.0.1:4011` */
  readonly url: string;
  /** Finishes requests in flight, within {@link CLOSE_MS}. */
  close(): Promise<void>;
}

/** How long requests in flight hold the end, ms. */
const CLOSE_MS = 2_000;

/**
 * Passes requests to the service, and webhooks to their receiver, as they come, and reports each when it has ended. Refuses upgrades.
 * Throws UsageError("cannot-run") when it cannot listen.
 */
export async function startRecordingProxy(options: ProxyOptions): Promise<RecordingProxy> {
  const { host, port, system } = options;
  const forward = createForwarder(options);
  const server = createServer((incoming, outgoing) => void forward(incoming, outgoing));
  server.on("upgrade", (_, socket) => socket.end("HTTP/1.1 501 Not Implemented\r\nconnection: close\r\n\r\n"));
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
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const cancel = system.after(CLOSE_MS, () => server.closeAllConnections());
      server.closeIdleConnections();
      await closed;
      cancel();
    },
  };
}

function createForwarder({ target, webhooksTo, system, onExchange }: ProxyOptions) {
  const proxy = createProxyServer({ changeOrigin: true, preserveHeaderKeyCase: true });
  const inFlight = new WeakMap<ServerResponse, (answer: IncomingMessage) => void>();
  proxy.on("proxyRes", (answer, _, outgoing) => {
    inFlight.get(outgoing)?.(answer);
    const { statusCode = 0 } = answer;
    if (statusCode >= 100) return;
    // Node.js does not write such a status.
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
    const path = incoming.url ?? "/";
    const side = sideOf(path);
    const base = side === "receiver" ? webhooksTo : target;
    if (base === undefined) {
      return refuse(outgoing, 404, `${WEBHOOK_PATH} takes webhooks. Name their receiver with --webhooks-to.`);
    }
    const url = forwardedUrl(base, side, path);
    const method = incoming.method ?? "GET";
    const headers = pairsOf(incoming.rawHeaders);
    const startedAt = system.now();
    const started = system.monotonic();
    const body = new BodyCopy();
    let answer: HttpExchange["answer"];
    let comment: string | undefined;
    inFlight.set(outgoing, (received) => {
      const copy = new BodyCopy();
      received.on("data", (chunk: Buffer) => copy.keep(chunk));
      received.once("end", () => {
        const encoding = received.headers["content-encoding"];
        const answered = { status: received.statusCode ?? 0, headers: pairsOf(received.rawHeaders) };
        answer = { ...answered, body: decodeBody(copy.bytes(), encoding) };
        if (copy.isCut) comment = CUT;
      });
    });
    outgoing.once("close", () => {
      if (body.isCut) comment ??= CUT;
      const sent = body.isEmpty ? undefined : decodeBody(body.bytes(), headerOf(headers, "content-encoding"));
      const ms = system.monotonic() - started;
      onExchange({ startedAt, ms, method, url: url.href, headers, body: sent, answer, comment }, side);
    });
    incoming.url = url.pathname + url.search;
    try {
      await proxy.web(incoming, outgoing, { target: url.origin, buffer: incoming.pipe(body) });
    } catch (error) {
      comment = `no answer: ${reasonOf(error)}`;
      if (outgoing.headersSent) outgoing.destroy();
      else refuse(outgoing, 502, `The proxy got no answer from ${url.origin}: ${reasonOf(error)}.`);
    }
  };
}

const CUT = `a body is cut: it has more than ${COPIED_BYTES_MAX / 1024 / 1024} MiB`;

function pairsOf(rawHeaders: readonly string[]): HeaderList {
  return rawHeaders.flatMap((name, index) => (index % 2 === 0 ? [[name, rawHeaders[index + 1] ?? ""] as const] : []));
}

/** The proxy's own answer, in the shape of the service's errors. */
function refuse(outgoing: ServerResponse, statusCode: number, message: string): void {
  const error = statusCode === 404 ? "Not Found" : "Bad Gateway";
  outgoing.writeHead(statusCode, { "content-type": "application/json", connection: "close" });
  outgoing.end(JSON.stringify({ error, statusCode, message: [message] }));
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message === "" && "code" in error ? String(error.code) : error.message;
}
