import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Refused } from "../shared/env.js";
import { type ConnectionLimits, explainParserError, renderAnswer } from "./malformed.js";
import { codeOf } from "../../kernel/messages/problem.js";

/** How long a client that sent no request may continue to send before its connection is cut. */
const LINGER_MS = 1_000;

/**
 * Answers what never becomes a request with the error body too: bytes that are not HTTP, headers that are too large or too slow, CONNECT. Cuts the
 * connection if an answer is already being written. `isHeld`: whether the server reads no more from this connection for now.
 */
export function guardConnections(
  server: Server,
  limits: ConnectionLimits,
  refuse: (refused: Refused) => Promise<Response>,
  isHeld: (socket: Duplex) => boolean,
): void {
  const latest = new WeakMap<Duplex, ServerResponse>();
  server.on("request", ({ socket }: IncomingMessage, outgoing: ServerResponse) => latest.set(socket, outgoing));
  const isRefused = new WeakSet<Duplex>();
  const answer = async (socket: Duplex, refused: Refused | undefined): Promise<void> => {
    // The connection broke: there is no client to answer.
    if (refused === undefined) {
      socket.destroy();
      return;
    }
    // Node reports each further piece, too.
    if (isRefused.has(socket)) {
      if (!socket.writable) socket.destroy();
      return;
    }
    isRefused.add(socket);
    const text = await refuse(refused).then(renderAnswer, () => undefined);
    if (text === undefined) {
      socket.destroy();
      return;
    }
    const outgoing = latest.get(socket);
    const refuseNow = (): void => void (socket.writable ? endWith(socket, text) : socket.destroy());
    if (outgoing === undefined || outgoing.writableFinished) refuseNow();
    // A complete request before this one gets its answer first.
    else if (outgoing.req.complete) outgoing.once("close", refuseNow);
    else if (outgoing.headersSent || outgoing.socket !== socket) socket.destroy();
    else refuseNow();
  };
  server.on("clientError", (error, socket) => {
    // Bytes after a request with "Connection: close" get no answer: the connection closes after the answer to that request.
    if (codeOf(error) === "HPE_CLOSED_CONNECTION") return;
    // The client is not slow: its next request is not read yet, because earlier ones wait for their turns.
    if (codeOf(error) === "ERR_HTTP_REQUEST_TIMEOUT" && isHeld(socket)) return;
    void answer(socket, explainParserError(error, limits));
  });
  server.on("connect", (_, socket) => {
    socket.on("error", () => undefined);
    // Node reads and writes no more on this connection by itself, so an answer before this one might never end.
    if (latest.get(socket)?.writableFinished === false) return void socket.destroy();
    void answer(socket, { status: 405, message: "CONNECT is not a method of this sandbox: it is not a proxy" });
  });
  // RFC 9110 permits to ignore "Expect: something-else" and to treat the request as any other.
  server.on("checkExpectation", (incoming, outgoing) => void server.emit("request", incoming, outgoing));
}

/** Keeps reading for a while what the client sends: a client that is cut off immediately loses the answer. */
function endWith(socket: Duplex, text: string): void {
  socket.end(text);
  socket.resume();
  if (socket instanceof Socket) socket.setTimeout(LINGER_MS, () => socket.destroy());
}
