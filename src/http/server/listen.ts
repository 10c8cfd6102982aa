import { getRequestListener, type HttpBindings, RequestError } from "@hono/node-server";
import type { Hono } from "hono";
import { setMaxListeners } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { ServerOptions as TlsServerOptions } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { type Log, silentLog, stackOf } from "../../kernel/log.js";
import { messageOf, UsageError } from "../../kernel/messages/problem.js";
import { systemClock } from "../../kernel/time/system-clock.js";
import { BUG_MESSAGE } from "../api/answer.js";
import type { Connection } from "../../sandbox/company/exchange.js";
import type { HttpEnv, Malformed } from "../shared/env.js";
import { CONNECTION_LIMITS, type ConnectionLimits, answerPlainly, findMalformed, unreadable } from "./malformed.js";
import { answerWhileReceiving } from "./discard-rest.js";
import { guardConnections } from "./guard-connections.js";
import { FairOrder } from "../../kernel/time/fair-order.js";
import { Turns } from "./turns.js";

export interface ServeOptions {
  /** 0 takes a free one. */
  readonly port: number;
  readonly host: string;
  /** PEM. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly log?: Log;
  readonly limits?: Partial<ConnectionLimits>;
  /** Replaces the process's `Request` and `Response` by the faster ones of the server. Only for a process that is the sandbox's own. */
  readonly overrideGlobalObjects?: boolean;
}

export interface RunningServer {
  /** `http://127.0.0.1:4010` */
  readonly url: string;
  readonly port: number;
  /** No new requests; resolves when those in flight have their answer. */
  close(): Promise<void>;
  /** Cuts every connection that is still open. */
  cutOff(): void;
}

/** A server that has an address before it has its app. Requests wait for the app. */
export interface Listener extends RunningServer {
  /** Requests with an `Authorization` that is not known take turns as if they were of one client. */
  answerWith(app: Hono<HttpEnv>, isKnown?: (authorization: string) => boolean): void;
}

/** How long a client that does not read its answer holds a server that stops. */
const UNREAD_AFTER_STOP_MS = 1_000;

/** Resolves when it listens; throws UsageError("cannot-run") when it cannot. */
export async function serve(app: Hono<HttpEnv>, options: ServeOptions): Promise<RunningServer> {
  const listener = await listen(options);
  listener.answerWith(app);
  return listener;
}

/** As `serve`, in two steps. */
export async function listen(options: ServeOptions): Promise<Listener> {
  const { log = silentLog, tls } = options;
  const limits = { ...CONNECTION_LIMITS, ...options.limits };
  const server = tls === undefined ? createServer(settingsOf(limits)) : await openHttps(tls, limits);
  /** By their addresses: with TLS a request's socket is not that of its TCP connection. */
  const connections = new Map<string, ClientConnection>();
  const connectionOf = (socket: Socket) => connections.get(peerOf(socket));
  const order = new FairOrder();
  server.on("connection", (socket: Socket) => {
    const connection = new ClientConnection(socket);
    const peer = peerOf(socket);
    connections.set(peer, connection);
    socket.once("close", () => {
      connection.isClosed = true;
      // A client may use its port again before this one is closed.
      if (connections.get(peer) === connection) connections.delete(peer);
    });
  });
  // Node drops further headers silently.
  server.maxHeadersCount = limits.headers + 1;
  await bind(server, options);
  // A connection that could not be accepted (too many open files, say) does not end the server.
  server.on("error", (error) => log.write("error", "server", { error: error.message }));
  const { port } = server.address() as AddressInfo;
  const address = `${reachable(options.host)}:${port}`;

  let attach = (_: Hono<HttpEnv>): void => undefined;
  const attached = new Promise<Hono<HttpEnv>>((resolve) => (attach = resolve));
  let isKnown = (_: string): boolean => false;
  const stopping = new AbortController();
  // Every delayed request listens.
  setMaxListeners(0, stopping.signal);
  const logBug = (error: unknown): void => {
    try {
      log.write("error", "bug", { error: stackOf(error) });
    } catch {
      // A log that fails must not end the process.
    }
  };
  const refuse = async (malformed: Malformed): Promise<Response> => {
    const app = await attached;
    try {
      return await app.fetch(new Request("http://sandbox.invalid/", { method: "REFUSE" }), { malformed });
    } catch (error) {
      logBug(error);
      return answerPlainly(malformed);
    }
  };
  const answer = async (request: Request, { incoming, outgoing }: HttpBindings): Promise<Response> => {
    const app = await attached;
    const malformed = findMalformed(incoming, limits);
    const connection = connectionOf(incoming.socket);
    const breakOff = (fault: "reset" | "hang"): void => {
      // Only TCP connections can be reset.
      if (fault === "reset") connection?.socket.resetAndDestroy();
      else incoming.socket.destroy();
    };
    const env = { incoming, outgoing, boundTo: options.host, stopping: stopping.signal, breakOff, connection };
    const response = await (malformed === undefined ? app.fetch(request, env) : refuse(malformed));
    return incoming.complete ? response : answerWhileReceiving(response, incoming);
  };
  guardConnections(server, limits, async (malformed) => {
    await new Promise<void>((resolve) => order.take("", resolve));
    return refuse(malformed);
  });
  const respond = getRequestListener((request, env) => answer(request, env as HttpBindings), {
    hostname: address,
    overrideGlobalObjects: options.overrideGlobalObjects ?? false,
    // `answerWhileReceiving` does that.
    autoCleanupIncoming: false,
    errorHandler(error) {
      if (error instanceof RequestError) return refuse(unreadable(error.message));
      logBug(error);
      return refuse({ status: 500, message: BUG_MESSAGE });
    },
  });
  server.on("request", (incoming, outgoing) => {
    const { socket } = incoming;
    const connection = connectionOf(socket);
    // It was closed meanwhile.
    if (connection === undefined) return;
    connection.requests++;
    const { turns, unfinished } = connection;
    // Every pipelined request listens for the end of its connection.
    socket.setMaxListeners(0);
    unfinished.add(outgoing);
    // A connection that is kept for a next request would hold a server that is about to close.
    outgoing.on("close", () => {
      unfinished.delete(outgoing);
      if (!server.listening) server.closeIdleConnections();
    });
    const begin = (): void => {
      if (outgoing.closed) return;
      respond(incoming, outgoing).catch((error: unknown) => {
        logBug(error);
        outgoing.destroy();
      });
    };
    const { authorization = "" } = incoming.headers;
    turns.take(socket, outgoing, () => order.take(isKnown(authorization) ? authorization : "", begin));
  });
  return {
    url: `${tls === undefined ? "http" : "https"}://${address}`,
    port,
    close() {
      stopping.abort(new Error("The sandbox stops"));
      // Node waits for a connection that has sent nothing, or has not finished its TLS handshake.
      for (const { socket, requests } of connections.values())
        if (requests === 0 && (tls || socket.bytesRead === 0)) socket.destroy();
      const cancel = systemClock.after(UNREAD_AFTER_STOP_MS, () => {
        for (const { unfinished } of connections.values())
          for (const answer of unfinished) if (answer.writableNeedDrain) answer.destroy();
      });
      return close(server).finally(cancel);
    },
    cutOff() {
      for (const { socket } of connections.values()) socket.destroy();
    },
    answerWith(app, isKnownToApp = isKnown) {
      isKnown = isKnownToApp;
      attach(app);
    },
  };
}

class ClientConnection implements Connection {
  requests = 0;
  isClosed = false;
  readonly turns = new Turns();
  readonly unfinished = new Set<ServerResponse>();
  readonly socket: Socket;
  readonly #openedAt = systemClock.monotonic();

  constructor(socket: Socket) {
    this.socket = socket;
  }

  ageMs(): number {
    return systemClock.monotonic() - this.#openedAt;
  }
}

function peerOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}

async function openHttps(tls: TlsServerOptions, limits: ConnectionLimits): Promise<Server> {
  const { createServer: createTlsServer } = await import("node:https");
  try {
    return createTlsServer({ ...tls, ...settingsOf(limits) });
  } catch (error) {
    const why = messageOf(error);
    throw new UsageError("file", `Failed to use the TLS certificate and key: ${why}. They must be a PEM pair.`);
  }
}

function settingsOf(limits: ConnectionLimits) {
  return {
    maxHeaderSize: limits.headerBytes,
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.checkMs,
    keepAliveTimeout: limits.keepAliveMs,
    // What is not strictly HTTP/1.1 could mean one thing to a proxy and another here.
    insecureHTTPParser: false,
    // Node would refuse a request without a host silently: `findMalformed` says why.
    requireHostHeader: false,
  };
}

/** A server that listens on every address is reached on this one. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return host.includes(":") ? `[${host}]` : host;
}

function bind(server: Server, { port, host }: ServeOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(explain(error, port, host));
    server.once("error", fail);
    server.listen(port, host, () => {
      server.off("error", fail);
      resolve();
    });
  });
}

function explain(error: NodeJS.ErrnoException, port: number, host: string): UsageError {
  const why = problems[error.code ?? ""] ?? `${error.message}.`;
  return new UsageError("cannot-run", `Failed to listen on ${host}:${port}: ${why}`);
}

const noAddress = "this machine does not have that address. Choose another with --host.";
const problems: Readonly<Record<string, string>> = {
  EADDRINUSE: "the port is taken. Choose another with --port, or --port 0 for a free one.",
  EACCES: "not permitted. Ports below 1024 need privileges; choose another with --port.",
  EADDRNOTAVAIL: noAddress,
  ENOTFOUND: noAddress,
};

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeIdleConnections();
  });
}
