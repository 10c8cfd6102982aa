import type { Socket } from "node:net";
import type { Readable } from "node:stream";

/** A request as it comes in, of either version of HTTP. */
export type Incoming = Readable & { readonly complete: boolean; readonly socket: Socket };

/** What a client that has its answer may still send before its connection is cut. */
const DISCARDED_BYTES_MAX = 8 * 1024 * 1024;

/** A client that announced more than it sends is not waited for longer than this. */
const IDLE_MS_MAX = 5_000;

/**
 * For a client that is answered while it is still sending: it gets the whole answer at once, but the answer *ends* only when the client has sent
 * everything. Ending sooner would close the connection under it (`connection: close`), and many a client loses the answer to that reset.
 */
export async function letFinishSending(answer: Response, incoming: Incoming): Promise<Response> {
  // A stream has no end that could wait.
  if (incoming.complete || incoming.destroyed || isEventStream(answer)) return answer;
  if (answer.body === null) {
    await discardRest(incoming);
    return answer;
  }
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const headers = new Headers(answer.headers);
  headers.set("content-length", String(bytes.length));
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(bytes);
      // When the connection was cut, whoever wrote the answer has let go of it.
      if (await discardRest(incoming)) controller.close();
    },
  });
  return new Response(body, { status: answer.status, headers });
}

/** Of server-sent events: it ends when somebody ends it. */
export function isEventStream({ headers }: Response): boolean {
  return headers.get("content-type")?.startsWith("text/event-stream") === true;
}

/** Whether the client has sent everything; if not, its connection was cut. */
function discardRest(incoming: Incoming): Promise<boolean> {
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
