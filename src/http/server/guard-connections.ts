import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Malformed } from "../shared/env.js";
import { type ConnectionLimits, explainParserError, renderAnswer } from "./malformed.js";

/** How long a client that sent no request may go on sending before its connection is cut. */
const LINGER_MS = 1_000;

/**
 * Answers what never becomes a request with the error body too: bytes that are no HTTP, headers that are too large or come too slowly, CONNECT.
 * Where an answer is already being written nothing else can be said, and the connection is cut.
 */
export function guardConnections(
  server: Server,
  limits: ConnectionLimits,
  refuse: (malformed: Malformed) => Promise<Response>,
): void {
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.on("request", ({ socket }: IncomingMessage, outgoing: ServerResponse) => latest.set(socket, outgoing));
  const answer = async (socket: Duplex, malformed: Malformed | undefined): Promise<void> => {
    // The connection broke: there is no client to answer.
    if (malformed === undefined) {
      socket.destroy();
      return;
    }
    const text = await renderAnswer(await refuse(malformed));
    const outgoing = latest.get(socket);
    const say = (): void => void (socket.writable ? sayLast(socket, text) : socket.destroy());
    if (outgoing === undefined || outgoing.writableFinished) say();
    // A complete request before it has its answer first.
    else if (outgoing.req.complete) outgoing.once("close", say);
    else if (outgoing.headersSent || outgoing.socket !== socket) socket.destroy();
    else say();
  };
  server.on("clientError", (error, socket) => void answer(socket, explainParserError(error, limits)));
  server.on("connect", (_, socket) => {
    socket.on("error", () => undefined);
    void answer(socket, { status: 405, message: "CONNECT is not a method of this sandbox: it is no proxy" });
  });
  // "Expect: something-else" may be ignored, and then it is a request like any other.
  server.on("checkExpectation", (incoming, outgoing) => void server.emit("request", incoming, outgoing));
}

/** What the client still sends is thrown away for a while: to cut it off at once would cost it the answer. */
function sayLast(socket: Duplex, text: string): void {
  socket.end(text);
  socket.resume();
  // The server destroys a connection that times out.
  if (socket instanceof Socket) socket.setTimeout(LINGER_MS);
}
