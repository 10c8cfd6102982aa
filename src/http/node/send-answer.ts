import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { headerOf, TextAnswer } from "../shared/text-answer.js";

/** What a client that has its answer may still send before its connection is cut. */
const DISCARDED_BYTES_MAX = 8 * 1024 * 1024;

/** A client that announced more than it sends is not waited for longer than this. */
const IDLE_MS_MAX = 5_000;

/** Resolves when all of it is written. An answer that was broken off stays unsaid. Throws what keeps it from being written. */
export function sendAnswer(
  answer: Response,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> | undefined {
  if (incoming.complete && answer instanceof TextAnswer && answer.writeTo(outgoing)) return undefined;
  return isEventStream(answer) ? sendStream(answer, outgoing) : sendWhole(answer, incoming, outgoing);
}

/** Of server-sent events: it ends when somebody ends it. */
export function isEventStream(answer: Response): boolean {
  return headerOf(answer, "content-type")?.startsWith("text/event-stream") === true;
}

async function sendStream(answer: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(answer.status, fieldsOf(answer));
  outgoing.flushHeaders();
  if (answer.body === null) {
    outgoing.end();
    return;
  }
  await pipeline(Readable.fromWeb(answer.body), outgoing).catch((error: unknown) => {
    if (!hasLeft(error)) throw error;
  });
}

/** Who leaves ends the stream, which is no failure of anybody's. What makes the stream fails with an error of its own. */
function hasLeft(error: unknown): boolean {
  return error instanceof Error && "code" in error && leaving.has(error.code);
}

/** What Node says of a connection that ends before its answer does. */
const leaving: ReadonlySet<unknown> = new Set([
  "ERR_STREAM_PREMATURE_CLOSE",
  "ERR_STREAM_DESTROYED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
]);

/**
 * A client that is answered while it is still sending gets the whole answer at once, but the answer *ends* only when the client has sent
 * everything. Ending sooner would close the connection under it (`connection: close`), and many a client loses the answer to that reset.
 */
async function sendWhole(answer: Response, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const bytes = answer.body === null ? undefined : Buffer.from(await answer.arrayBuffer());
  outgoing.writeHead(answer.status, {
    ...fieldsOf(answer),
    ...(bytes === undefined ? {} : { "content-length": bytes.length }),
  });
  if (incoming.complete || incoming.destroyed) {
    outgoing.end(bytes);
    return;
  }
  if (bytes === undefined) outgoing.flushHeaders();
  else outgoing.write(bytes);
  // When the connection was cut, whoever wrote the answer has let go of it.
  if (await discardRest(incoming)) outgoing.end();
}

/** Cookies are the one header that is not joined: "Origin servers SHOULD NOT fold multiple Set-Cookie header fields into a single header field" (RFC 6265, 3). */
function fieldsOf({ headers }: Response): Record<string, string | string[]> {
  const cookies = headers.getSetCookie();
  return { ...Object.fromEntries(headers), ...(cookies.length === 0 ? {} : { "set-cookie": cookies }) };
}

/** Whether the client has sent everything; if not, its connection was cut. */
function discardRest(incoming: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => {
    let discarded = 0;
    incoming
      .on("data", (chunk: Buffer) => {
        discarded += chunk.length;
        if (discarded > DISCARDED_BYTES_MAX) incoming.socket.destroy();
      })
      .on("error", () => undefined)
      .once("end", () => resolve(true))
      .once("close", () => resolve(false));
    // The server destroys a connection that times out; with the next request it sets its own time-out again.
    incoming.socket.setTimeout(IDLE_MS_MAX);
    incoming.resume();
  });
}
