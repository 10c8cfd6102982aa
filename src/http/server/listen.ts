import { getRequestListener, type HttpBindings, RequestError } from "@hono/node-server";
import type { Hono } from "hono";
import { setMaxListeners } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { ServerOptions as TlsServerOptions } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { type Log, silentLog, stackOf } from "../../kernel/log.js";
import { messageOf, UsageError } from "../../kernel/messages/problem.js";
import { systemClock } from "../../kernel/time/system-clock.js";
import { BUG_MESSAGE } from "../api/answer.js";
import type { HttpEnv, Refused } from "../shared/env.js";
import { Connections } from "./connections.js";
import { CONNECTION_LIMITS, type ConnectionLimits, answerPlainly, findMalformed, unreadable } from "./malformed.js";
import { answerWhileReceiving } from "./discard-rest.js";
import { guardConnections } from "./guard-connections.js";
import { FairOrder } from "../../kernel/time/fair-order.js";
import { readInPieces } from "./read-in-pieces.js";
import { UNKNOWN_CLIENT, UnreadAnswers } from "./unread-answers.js";

export interface ServeOptions {
  /** 0 takes a free port. */
  readonly port: number;
  readonly host: string;
  /** PEM. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly log?: Log;
  readonly limits?: Partial<ConnectionLimits>;
  /** Replaces the process's `Request` and `Response` with the server's faster ones. Only for a process that belongs to the sandbox alone. */
  readonly overrideGlobalObjects?: boolean;
}

export interface RunningServer {
  /** `http://127.0.0.1:4010` */
  readonly url: string;
  readonly port: number;
  /** Accepts no new requests; resolves when those in flight have their answers. */
  close(): Promise<void>;
  /** Cuts every connection that is still open. */
  cutOff(): void;
}

/** A server that has an address before it has its app. Requests wait until the app is there. */
export interface Listener extends RunningServer {
  /** `clientOf` returns the client that an `Authorization` header belongs to. All unknown clients together take turns as one client. */
  answerWith(app: Hono<HttpEnv>, clientOf?: (authorization: string) => string | undefined): void;
}

/** How long a client that does not read its answer delays the stop of the server, ms. */
const UNREAD_AFTER_STOP_MS = 1_000;

/** Resolves when it listens; throws UsageError("cannot-run") when it cannot. */
export async function serve(app: Hono<HttpEnv>, options: ServeOptions): Promise<RunningServer> {
  const listener = await listen(options);
  listener.answerWith(app);
  return listener;
}

/** Does what `serve` does in two steps: it listens before the app is there. */
export async function listen(options: ServeOptions): Promise<Listener> {
  const { log = silentLog, tls } = options;
  const limits = { ...CONNECTION_LIMITS, ...options.limits };
  const server = tls === undefined ? createServer(settingsOf(limits)) : await openHttps(tls, limits);
  const connections = new Connections(server);
  server.on(tls === undefined ? "connection" : "secureConnection", (socket: Socket) => {
    const turns = connections.of(socket)?.turns;
    readInPieces(socket, () => turns?.isFull === true);
  });
  // Node silently drops headers beyond this number, so one more than allowed is kept to detect the excess.
  server.maxHeadersCount = limits.headers + 1;
  await bind(server, options);
  // A connection that could not be accepted, for example because too many files are open, does not end the server.
  server.on("error", (error) => log.write("error", "server", { error: error.message }));
  const { port } = server.address() as AddressInfo;
  const address = `${reachable(options.host)}:${port}`;
  const order = new FairOrder();
  const handler = new RequestHandler({ host: options.host, limits, log, connections, order });
  const refuse = async (refused: Refused): Promise<Response> => {
    await new Promise<void>((resolve) => order.take(UNKNOWN_CLIENT, resolve));
    return handler.refuse(refused);
  };
  guardConnections(server, limits, refuse, (socket) => connections.of(socket as Socket)?.turns.isFull === true);
  const respond = getRequestListener((request, env) => handler.answer(request, env as HttpBindings), {
    hostname: address,
    overrideGlobalObjects: options.overrideGlobalObjects ?? false,
    // `answerWhileReceiving` does this.
    autoCleanupIncoming: false,
    errorHandler: (error) => handler.explain(error),
  });
  server.on("request", (incoming, outgoing) => {
    const { socket } = incoming;
    const connection = connections.of(socket);
    // The connection was closed meanwhile.
    if (connection === undefined) return;
    connection.requests++;
    const { turns, unfinished } = connection;
    // Every pipelined request listens for the end of its connection.
    socket.setMaxListeners(0);
    unfinished.add(outgoing);
    // A connection that is kept alive would hold a server that is about to close.
    outgoing.on("close", () => {
      unfinished.delete(outgoing);
      if (!server.listening) server.closeIdleConnections();
    });
    const begin = (): void => {
      if (outgoing.closed) return;
      respond(incoming, outgoing).catch((error: unknown) => {
        handler.logBug(error);
        outgoing.destroy();
      });
    };
    turns.take(socket, outgoing, () => order.take(handler.clientOf(incoming), begin));
  });
  return {
    url: `${tls === undefined ? "http" : "https"}://${address}`,
    port,
    close() {
      handler.stop();
      connections.cutUnused(tls !== undefined);
      const cancel = systemClock.after(UNREAD_AFTER_STOP_MS, () => connections.cutUnread());
      return close(server).finally(cancel);
    },
    cutOff: () => connections.cutAll(),
    answerWith: (app, clientOf) => handler.attach(app, clientOf),
  };
}

interface RequestHandlerParts {
  readonly host: string;
  readonly limits: ConnectionLimits;
  readonly log: Log;
  readonly connections: Connections;
  readonly order: FairOrder;
}

/** Passes requests to the app once it is there. */
class RequestHandler {
  readonly #parts: RequestHandlerParts;
  readonly #stopping = new AbortController();
  readonly #unread = new UnreadAnswers();
  #clientOf = (_authorization: string): string | undefined => undefined;
  #resolveApp = (_app: Hono<HttpEnv>): void => undefined;
  readonly #app = new Promise<Hono<HttpEnv>>((resolve) => (this.#resolveApp = resolve));

  constructor(parts: RequestHandlerParts) {
    this.#parts = parts;
    // Every delayed request listens to the signal.
    setMaxListeners(0, this.#stopping.signal);
  }

  attach(app: Hono<HttpEnv>, clientOf = this.#clientOf): void {
    this.#clientOf = clientOf;
    this.#resolveApp(app);
  }

  stop(): void {
    this.#stopping.abort(new Error("The sandbox stops"));
  }

  clientOf({ headers: { authorization = "" } }: IncomingMessage): string {
    return this.#clientOf(authorization) ?? UNKNOWN_CLIENT;
  }

  async answer(request: Request, { incoming, outgoing }: HttpBindings): Promise<Response> {
    const app = await this.#app;
    const { connections, limits, order, host: boundTo } = this.#parts;
    const client = this.clientOf(incoming);
    const refused = findMalformed(incoming, limits) ?? this.#unread.add(client, outgoing);
    const connection = connections.of(incoming.socket);
    const breakOff = (fault: "reset" | "hang"): void => {
      // Only TCP connections can be reset.
      if (fault === "reset") connection?.socket.resetAndDestroy();
      else incoming.socket.destroy();
    };
    const takeTurn = (): Promise<void> => new Promise((resolve) => order.take(client, resolve, true));
    const env = { incoming, outgoing, boundTo, stopping: this.#stopping.signal, breakOff, connection, takeTurn };
    const response = await (refused === undefined ? app.fetch(request, env) : this.refuse(refused));
    return incoming.complete ? response : answerWhileReceiving(response, incoming);
  }

  async refuse(refused: Refused): Promise<Response> {
    const app = await this.#app;
    try {
      return await app.fetch(new Request("http://sandbox.invalid/", { method: "REFUSE" }), { refused });
    } catch (error) {
      this.logBug(error);
      return answerPlainly(refused);
    }
  }

  explain(error: unknown): Promise<Response> {
    if (error instanceof RequestError) return this.refuse(unreadable(error.message));
    this.logBug(error);
    return this.refuse({ status: 500, message: BUG_MESSAGE });
  }

  logBug(error: unknown): void {
    try {
      this.#parts.log.write("error", "bug", { error: stackOf(error) });
    } catch {
      // A failing log must not end the process.
    }
  }
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
    // What is not strict HTTP/1.1 could mean one thing to a proxy and another thing here.
    insecureHTTPParser: false,
    // Node would refuse a request without a host and give no reason; `findMalformed` gives one.
    requireHostHeader: false,
  };
}

/** The host by which a server is reached that listens on every address. */
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
