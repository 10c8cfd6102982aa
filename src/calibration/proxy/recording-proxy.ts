import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { reasonOf, UsageError } from "../../kernel/messages/problem.js";
import { Forwarder, type ForwardOptions } from "./forwarder.js";

export interface ProxyOptions extends ForwardOptions {
  readonly host: string;
  /** 0 means any free port. */
  readonly port: number;
}

export interface RecordingProxy {
  /** `http://127.0.0.1:4011` */
  readonly url: string;
  /** Waits for requests in flight, at most {@link CLOSE_MS}, and resolves when all have been reported. */
  close(): Promise<void>;
}

/** How long closing waits for requests in flight. */
const CLOSE_MS = 2_000;

/**
 * Passes requests to the service, and webhooks to their receiver, as they come, and reports each when it has ended. Refuses upgrades.
 * Throws UsageError("cannot-run") when it cannot listen.
 */
export async function startRecordingProxy(options: ProxyOptions): Promise<RecordingProxy> {
  const { host, port, system } = options;
  const open = new Set<ServerResponse>();
  const forwarder = new Forwarder(options);
  let isClosing = false;
  const server = createServer((incoming, outgoing) => {
    open.add(outgoing);
    if (isClosing) endAfterAnswer(incoming);
    void forwarder.forward(incoming, outgoing);
    outgoing.once("close", () => open.delete(outgoing));
  });
  server.on("connection", (socket) => {
    socket.once("close", () => {
      // When a connection closes, Node.js closes only the first of the answers that wait on it.
      for (const outgoing of open) if (outgoing.req.socket === socket) outgoing.emit("close");
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) =>
      reject(new UsageError("cannot-run", `Failed to listen on ${host}:${port}: ${reasonOf(error)}.`)),
    );
    server.listen(port, host, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${taken}`,
    async close() {
      isClosing = true;
      for (const { req } of open) endAfterAnswer(req);
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      const cancel = system.after(CLOSE_MS, () => server.closeAllConnections());
      server.closeIdleConnections();
      await closed;
      cancel();
      // Each is reported when it closes, which may be after its connection.
      await Promise.all([...open].map((outgoing) => once(outgoing, "close")));
    },
  };
}

/** Closes the connection of a request after its answer, so that no further request comes on it. */
function endAfterAnswer(incoming: IncomingMessage): void {
  incoming.headers.connection = "close";
}
