import { once } from "node:events";
import { createServer, type RequestListener, type Server as HttpServer } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { AddressInfo, ListenOptions, Server } from "node:net";
import { onTestFinished } from "vitest";

/** Listens on a free port of 127.0.0.1 until the test ends, and returns the port. */
export async function listen(server: Server | HttpServer | HttpsServer, options: ListenOptions = {}): Promise<number> {
  server.listen({ port: 0, host: "127.0.0.1", ...options });
  await once(server, "listening");
  onTestFinished(() => {
    if ("closeAllConnections" in server) server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Serves HTTP until the test ends, and returns the origin. */
export async function serveHttp(handle: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(handle))}`;
}

/** The origin of a server that has stopped. */
export async function originOfNobody(): Promise<string> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${port}`;
}
