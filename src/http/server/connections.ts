import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { systemClock } from "../../kernel/time/system-clock.js";
import type { Connection } from "../../sandbox/company/exchange.js";
import { Turns } from "./turns.js";

/** The open TCP connections of a server. */
export class Connections {
  /** Keyed by peer address: with TLS, a request's socket is not the socket of its TCP connection. */
  readonly #byPeer = new Map<string, ClientConnection>();

  constructor(server: Server) {
    server.on("connection", (socket: Socket) => {
      // The client has reset the connection before it was accepted. All such connections would have the same key.
      if (socket.remoteAddress === undefined) return void socket.destroy();
      const connection = new ClientConnection(socket);
      const peer = peerOf(socket);
      this.#byPeer.set(peer, connection);
      socket.once("close", () => {
        connection.isClosed = true;
        // A client may use its port again before this connection is closed.
        if (this.#byPeer.get(peer) === connection) this.#byPeer.delete(peer);
      });
    });
  }

  /** Undefined once the connection is closed. */
  of(socket: Socket): ClientConnection | undefined {
    return this.#byPeer.get(peerOf(socket));
  }

  /** Cuts connections that have sent nothing or have not finished their TLS handshake: Node would wait for them. */
  cutUnused(isTls: boolean): void {
    for (const { socket, requests } of this.#byPeer.values())
      if (requests === 0 && (isTls || socket.bytesRead === 0)) socket.destroy();
  }

  /** Cuts off the answers that clients do not read. */
  cutUnread(): void {
    for (const { unfinished } of this.#byPeer.values())
      for (const answer of unfinished) if (answer.writableNeedDrain) answer.destroy();
  }

  cutAll(): void {
    for (const { socket } of this.#byPeer.values()) socket.destroy();
  }
}

export class ClientConnection implements Connection {
  requests = 0;
  isClosed = false;
  readonly turns = new Turns();
  readonly unfinished = new Set<ServerResponse>();
  readonly socket: Socket;
  readonly #openedAt = systemClock.monotonic();

  constructor(socket: Socket) {
    this.socket = socket;
  }

  ageMs(): number {
    return systemClock.monotonic() - this.#openedAt;
  }
}

function peerOf({ remoteAddress, remotePort, localAddress }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress}`;
}
