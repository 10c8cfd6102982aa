import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import type { UnderlyingSource } from "node:stream/web";
import { expect, it, onTestFinished } from "vitest";
import { sendAnswer } from "./send-answer.js";

/** A client that was answered with the beginning of a stream, and what sending it came to. */
async function stream(source: UnderlyingSource<Uint8Array>): Promise<{
  readonly received: IncomingMessage;
  readonly sent: Promise<unknown>;
}> {
  let sent: Promise<unknown> = Promise.resolve();
  const server = createServer((incoming, outgoing) => {
    const headers = { "content-type": "text/event-stream" };
    sent = Promise.resolve(sendAnswer(new Response(new ReadableStream(source), { headers }), incoming, outgoing)).then(
      () => "sent",
      (error: unknown) => error,
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const [received] = await once(get({ port: (server.address() as AddressInfo).port, agent: false }), "response");
  received.on("error", () => undefined).resume();
  return { received, sent };
}

const hello = new TextEncoder().encode("data: hello\n\n");

it("is no failure of anybody's when who was sent a stream leaves", async () => {
  let isCancelled = false;
  const { received, sent } = await stream({
    start: (controller) => controller.enqueue(hello),
    cancel: () => void (isCancelled = true),
  });
  received.destroy();
  expect(await sent).toBe("sent");
  expect(isCancelled).toBe(true);
});

it("is one when what makes a stream fails, and the client learns that it was cut", async () => {
  const bug = new Error("no such event");
  let fail = (): void => undefined;
  const { received, sent } = await stream({
    start: (controller) => {
      controller.enqueue(hello);
      fail = () => controller.error(bug);
    },
  });
  await once(received, "data");
  fail();
  expect(await sent).toBe(bug);
  if (!received.closed) await new Promise((resolve) => received.once("close", resolve));
  expect(received.complete).toBe(false);
});
