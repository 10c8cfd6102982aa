import type { Hono } from "hono";
import { setMaxListeners } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { ServerOptions as TlsServerOptions } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { type Log, silentLog } from "../../kernel/log.js";
import { UsageError } from "../../kernel/problem.js";
import { systemClock } from "../../kernel/system-clock.js";
import { CONNECTION_LIMITS, type ConnectionLimits } from "./connection-limits.js";
import type { HttpEnv } from "../shared/env.js";
import { guardConnections } from "./guard-connections.js";
import { answerRequests } from "../node/answer-requests.js";
import type { Malformed } from "./refuse-malformed.js";
import { rememberBeneath } from "../shared/reset-connection.js";

/** How long streams that were ended are read to their end, ms. */
const STREAM_END_MS = 1_000;

export interface ServeOptions {
  /** 0 takes a free one. */
  readonly port: number;
  readonly host: string;
  /** PEM. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly log?: Log;
  readonly limits?: Partial<ConnectionLimits>;
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

/** A server that has its address, for an app that is built with it. Requests wait until it answers. */
export interface Listener extends RunningServer {
  answerWith(app: Hono<HttpEnv>): void;
}

/** Resolves when it listens; throws UsageError("cannot-run") when it cannot. */
export async function serve(app: Hono<HttpEnv>, options: ServeOptions): Promise<RunningServer> {
  const listener = await listen(options);
  listener.answerWith(app);
  return listener;
}

/** As `serve`, in two steps. */
export async function listen(options: ServeOptions): Promise<Listener> {
  const { log = silentLog } = options;
  const limits = { ...CONNECTION_LIMITS, ...options.limits };
  let answer: RequestListener | undefined;
  const early: [IncomingMessage, ServerResponse][] = [];
  const stopping = new AbortController();
  const streams = new Set<Socket>();
  // As many requests listen as a rule holds back.
  setMaxListeners(0, stopping.signal);
  // The client would keep its connection for a next request, and with it a server that is about to close.
  const closeWhenStopping = (): void => {
    if (!server.listening) server.closeIdleConnections();
  };
  const onRequest: RequestListener = (incoming, outgoing) => {
    outgoing.on("close", closeWhenStopping);
    if (answer === undefined) early.push([incoming, outgoing]);
    else answer(incoming, outgoing);
  };
  const settings = settingsOf(limits);
  const server =
    options.tls === undefined
      ? createServer(settings, onRequest)
      : await createTls({ ...options.tls, ...settings }, onRequest);
  // Further ones it would leave out without a word.
  server.maxHeadersCount = limits.headers + 1;
  await bind(server, options);
  // A connection that could not be taken (too many open files, say) is no reason to end.
  server.on("error", (error) => log.write("error", "server", { error: error.message }));
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(":") ? `[${options.host}]` : options.host;
  return {
    url: `${options.tls === undefined ? "http" : "https"}://${reachable(host)}:${port}`,
    port,
    close() {
      stopping.abort();
      // What is to be heard at the end is written by now; who does not read it would hold the server.
      const stopWaiting = systemClock.after(STREAM_END_MS, () => {
        for (const socket of streams) socket.destroy();
      });
      return close(server).finally(stopWaiting);
    },
    cutOff: () => server.closeAllConnections(),
    answerWith(app) {
      const refuse = async (malformed: Malformed): Promise<Response> =>
        app.fetch(new Request("http://sandbox.invalid/", { method: "REFUSE" }), { malformed });
      guardConnections(server, limits, refuse);
      const defaultHost = `${reachable(host)}:${port}`;
      const { signal } = stopping;
      answer = answerRequests({
        app,
        limits,
        boundTo: options.host,
        defaultHost,
        stopping: signal,
        streams,
        refuse,
        log,
      });
      for (const [incoming, outgoing] of early.splice(0)) answer(incoming, outgoing);
    },
  };
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
    // It would be refused without a word: `findMalformed` says why.
    requireHostHeader: false,
  };
}

/** Who listens everywhere is reached here. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  return host === "[::]" ? "[::1]" : host;
}

/** Node's TLS is loaded for those who ask for it. */
async function createTls(tls: TlsServerOptions, listener: RequestListener): Promise<Server> {
  const { createServer: createTlsServer } = await import("node:https");
  try {
    const server = createTlsServer(tls, listener);
    rememberBeneath(server);
    return server;
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UsageError("file", `Failed to use the TLS certificate and key: ${why}. They must be a PEM pair.`);
  }
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
  const failed = `Failed to listen on ${host}:${port}`;
  switch (error.code) {
    case "EADDRINUSE":
      return new UsageError(
        "cannot-run",
        `${failed}: the port is taken. Choose another with --port, or --port 0 for a free one.`,
      );
    case "EACCES":
      return new UsageError(
        "cannot-run",
        `${failed}: not permitted. Ports below 1024 need privileges; choose another with --port.`,
      );
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new UsageError(
        "cannot-run",
        `${failed}: this machine does not have that address. Choose another with --host.`,
      );
    default:
      return new UsageError("cannot-run", `${failed}: ${error.message}.`);
  }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeIdleConnections();
  });
}
