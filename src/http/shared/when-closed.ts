import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpContext } from "./env.js";

/** Whether nobody waits for the answer any more. */
export function isClosed(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
  return outgoing.closed || incoming.socket.destroyed;
}

/** Calls `listener` once when the answer has been written, or when the client has left before; until the returned function is called. */
export function whenClosed(incoming: IncomingMessage, outgoing: ServerResponse, listener: () => void): () => void {
  const { socket } = incoming;
  const stop = (): void => {
    outgoing.off("close", end);
    socket.off("close", end);
  };
  const end = (): void => {
    stop();
    listener();
  };
  // `close` comes after `finish`, and also when the client leaves before its answer.
  outgoing.once("close", end);
  if (outgoing.socket !== null) return stop;
  // In line behind the answers to earlier requests of the same connection: when that breaks, nobody tells this answer.
  socket.setMaxListeners(0);
  socket.once("close", end);
  return stop;
}

/** Calls `listener` once when the client leaves without its answer, at once when it has left already; until the returned function is called. */
export function whenLost(c: HttpContext, listener: () => void): () => void {
  const { incoming, outgoing } = c.env ?? {};
  if (incoming === undefined || outgoing === undefined) return whenAborted(c.req.raw.signal, listener);
  const tell = (): void => {
    if (!outgoing.writableFinished) listener();
  };
  if (!isClosed(incoming, outgoing)) return whenClosed(incoming, outgoing, tell);
  tell();
  return () => undefined;
}

/** Calls `listener` once when that is aborted, at once when it was; until the returned function is called. */
export function whenAborted(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) listener();
  else signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}
