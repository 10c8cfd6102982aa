import type { Server as TlsServer } from "node:https";
import type { Socket } from "node:net";

/** The TCP connection beneath a TLS one. */
const beneath = new WeakMap<Socket, Socket>();

/** Cuts the connection so that the client reads ECONNRESET, and not the end of what was sent. */
export function resetConnection(socket: Socket): void {
  (beneath.get(socket) ?? socket).resetAndDestroy();
}

/** Only TCP connections can be reset: of a TLS server it is kept what lies beneath each of its own. */
export function rememberBeneath(server: TlsServer): void {
  const open = new Map<string, Socket>();
  server.on("connection", (socket: Socket) => {
    const peer = peerOf(socket);
    open.set(peer, socket);
    socket.once("close", () => {
      if (open.get(peer) === socket) open.delete(peer);
    });
  });
  server.on("secureConnection", (secured) => {
    const socket = open.get(peerOf(secured));
    if (socket !== undefined) beneath.set(secured, socket);
  });
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
