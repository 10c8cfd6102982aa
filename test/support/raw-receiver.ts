import { createServer, type AddressInfo, type Socket } from "node:net";
import { onTestFinished } from "vitest";

export interface RawReceiver {
  readonly url: string;
  /** Complete requests, as text. */
  readonly received: readonly string[];
  waitFor(count: number): Promise<void>;
}

/** A receiver that writes raw bytes: calls `answer` with the socket for each complete request. Ends with the test. */
export async function startRawReceiver(answer: (socket: Socket, index: number) => void): Promise<RawReceiver> {
  const received: string[] = [];
  const sockets = new Set<Socket>();
  const waiting: (() => void)[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = "";
    socket.on("error", () => undefined);
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      const end = text.indexOf("\r\n\r\n") + 4;
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (end < 4 || text.length < end + length) return;
      const index = received.push(text.slice(0, end + length)) - 1;
      text = text.slice(end + length);
      answer(socket, index);
      for (const wake of waiting.splice(0)) wake();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    async waitFor(count) {
      while (received.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
}
