import type { IncomingMessage } from "node:http";

/** A client that has its answer may still send this many bytes before its connection is cut. */
const DISCARDED_BYTES_MAX = 8 * 1024 * 1024;

/** How long a client may pause while it sends the rest. */
const IDLE_MS_MAX = 5_000;

/**
 * Answers a client that is still sending immediately, but ends the answer only when the client has sent everything. Ending it sooner would reset the
 * connection (`connection: close`), and many clients lose the answer then.
 */
export async function answerWhileReceiving(answer: Response, incoming: IncomingMessage): Promise<Response> {
  const { status, headers } = answer;
  if (answer.body === null || isStreamed(headers)) {
    await discardRest(incoming);
    return answer;
  }
  const bytes = new Uint8Array(await answer.arrayBuffer());
  headers.set("content-length", String(bytes.length));
  // The connection will be cut before the client has sent all of the body.
  if (Number(incoming.headers["content-length"]) > DISCARDED_BYTES_MAX) headers.set("connection", "close");
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(bytes);
      await discardRest(incoming);
      controller.close();
    },
  });
  return new Response(body, { status, headers });
}

/** Whether an answer is an event stream, which may never end, or a file that may be larger than the memory. */
function isStreamed(headers: Headers): boolean {
  return headers.has("content-disposition") || headers.get("content-type")?.startsWith("text/event-stream") === true;
}

/** Resolves when the client has sent everything, or its connection was cut. */
function discardRest(incoming: IncomingMessage): Promise<void> {
  if (incoming.complete || incoming.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    let discarded = 0;
    incoming
      .on("data", (chunk: Buffer) => {
        discarded += chunk.length;
        if (discarded > DISCARDED_BYTES_MAX) incoming.socket.destroy();
      })
      .on("error", () => undefined)
      .once("end", () => {
        // The answer, or that to the next request, may take longer than a client that sends.
        incoming.socket.setTimeout(0);
        resolve();
      })
      .once("close", resolve);
    // The server destroys a connection that times out.
    incoming.socket.setTimeout(IDLE_MS_MAX);
    incoming.resume();
  });
}
