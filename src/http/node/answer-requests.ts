import type { Hono } from "hono";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Log } from "../../kernel/log.js";
import { systemClock } from "../../kernel/system-clock.js";
import { internal } from "../api/answer.js";
import { isBrokenOff } from "../api/break-off.js";
import type { ConnectionLimits } from "../server/connection-limits.js";
import type { HttpEnv } from "../shared/env.js";
import { findMalformed, type Malformed, unreadable } from "../server/refuse-malformed.js";
import { toRequest } from "./incoming-request.js";
import { urlOf } from "./request-url.js";
import { isEventStream, sendAnswer } from "./send-answer.js";

export interface AnswerContext {
  readonly app: Hono<HttpEnv>;
  readonly limits: ConnectionLimits;
  /** The address that the server was told to listen on. */
  readonly boundTo: string;
  /** Of a request that names none (HTTP/1.0). */
  readonly defaultHost: string;
  /** Aborted when the server begins to stop. */
  readonly stopping: AbortSignal;
  /** The connections of event streams that are still open. */
  readonly streams: Set<Socket>;
  readonly refuse: (malformed: Malformed) => Promise<Response>;
  readonly log: Log;
}

interface Asked {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** An answer on its way to its socket. */
interface Answered extends Asked {
  readonly response: Response;
}

/**
 * The app over `node:http`. The answers to requests that came in one turn of the event loop are written together at its end: each by itself would wake a client that
 * sleeps meanwhile, and that takes the kernel longer than all the rest of an answer.
 */
export function answerRequests(context: AnswerContext): RequestListener {
  let line: Answered[] = [];
  const writeAll = (): void => {
    const answers = line;
    line = [];
    for (const answered of answers) write(context, answered);
  };
  const enqueue = (answered: Answered): void => {
    if (line.push(answered) === 1) void systemClock.breathe().then(writeAll);
  };
  return (incoming, outgoing) => {
    const exchange = { incoming, outgoing };
    ask(context, exchange).then(
      (response) => enqueue({ response, incoming, outgoing }),
      (error: unknown) => fail(context, exchange, error),
    );
  };
}

function ask(context: AnswerContext, { incoming, outgoing }: Asked): Promise<Response> {
  const { app, limits, boundTo, defaultHost, stopping, refuse } = context;
  const malformed = findMalformed(incoming.rawHeaders, incoming.httpVersion, limits);
  if (malformed !== undefined) return refuse(malformed);
  const url = urlOf(incoming, defaultHost);
  if (typeof url !== "string") return refuse(unreadable(url.unreadable));
  try {
    return Promise.resolve(app.fetch(toRequest(incoming, outgoing, url), { incoming, outgoing, boundTo, stopping }));
  } catch (error) {
    return Promise.reject(error);
  }
}

function write(context: AnswerContext, { response, incoming, outgoing }: Answered): void {
  if (isBrokenOff(outgoing)) return;
  const { streams } = context;
  if (isEventStream(response) && !outgoing.closed) {
    const { socket } = incoming;
    streams.add(socket);
    outgoing.once("close", () => streams.delete(socket));
  }
  try {
    sendAnswer(response, incoming, outgoing)?.catch((error: unknown) => fail(context, { incoming, outgoing }, error));
  } catch (error) {
    void fail(context, { incoming, outgoing }, error);
  }
}

/** A bug of ours: 500 if that can still be said. */
async function fail({ log, refuse }: AnswerContext, { incoming, outgoing }: Asked, error: unknown): Promise<void> {
  log.write("error", "bug", { error: error instanceof Error ? error.stack : String(error) });
  if (outgoing.headersSent) outgoing.destroy();
  else await sendAnswer(await refuse({ status: 500, message: internal.messages.join() }), incoming, outgoing);
}
