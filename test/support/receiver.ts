import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { listen } from "./listen.js";
import type { LooseJson } from "./world.js";

/** A request that a receiver got. */
export interface ReceivedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The exact bytes. */
  readonly raw: Buffer;
  /** The bytes as JSON. */
  readonly body: LooseJson;
}

interface ReceiverAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** `hang`: no answer. `reset`: the connection is cut. A promise delays the answer until it resolves. */
export type Reply = ReceiverAnswer | "hang" | "reset";
export type ReplyTo = (request: ReceivedRequest, index: number) => Reply | Promise<Reply>;

/** An HTTP server on a free port that records its requests. Answers 200 by default. */
export interface Receiver {
  /** Its origin, `http://127.0.0.1:<port>`. */
  readonly origin: string;
  /** `<origin>/hook` */
  readonly url: string;
  /** In the order of arrival. */
  readonly received: readonly ReceivedRequest[];
  /** The answer to every later request. */
  reply(reply: Reply | ReplyTo): void;
  /** Resolves with all requests once there are at least `count`. */
  waitFor(count: number): Promise<readonly ReceivedRequest[]>;
  /** The numbers of connections: open now, open at a time at most, and made in all. */
  readonly connections: number;
  readonly mostConnections: number;
  readonly connectionsMade: number;
  /** Resolves when no connection is open. */
  disconnected(): Promise<void>;
  close(): Promise<void>;
}

/** A receiver that is closed when the test ends. */
export async function startReceiver(initial: Reply | ReplyTo = {}): Promise<Receiver> {
  let reply = initial;
  const received: ReceivedRequest[] = [];
  const waiting: (() => void)[] = [];
  const connections = new Set<Socket>();
  let mostConnections = 0;
  let connectionsMade = 0;

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = await read(incoming);
    const index = received.push(request) - 1;
    for (const wake of waiting.splice(0)) wake();
    const answer = typeof reply === "function" ? await reply(request, index) : reply;
    if (answer === "reset") incoming.socket.destroy();
    else if (answer !== "hang") outgoing.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
  }

  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => incoming.socket.destroy());
  });
  server.on("connection", (socket) => {
    connectionsMade++;
    connections.add(socket);
    mostConnections = Math.max(mostConnections, connections.size);
    socket.once("close", () => {
      connections.delete(socket);
      for (const wake of waiting.splice(0)) wake();
    });
  });
  const origin = `http://127.0.0.1:${await listen(server)}`;

  return {
    origin,
    url: `${origin}/hook`,
    received,
    reply: (next) => (reply = next),
    async waitFor(count) {
      while (received.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
      return received;
    },
    get connections() {
      return connections.size;
    },
    get mostConnections() {
      return mostConnections;
    },
    get connectionsMade() {
      return connectionsMade;
    },
    async disconnected() {
      while (connections.size > 0) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function read(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const raw = Buffer.concat(chunks);
  return {
    method: incoming.method ?? "",
    path: incoming.url ?? "",
    headers: incoming.headers,
    raw,
    get body() {
      return JSON.parse(raw.toString("utf8"));
    },
  };
}
