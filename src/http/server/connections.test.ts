import { createServer } from "node:http";
import { Socket } from "node:net";
import { expect, it } from "vitest";
import { Connections } from "./connections.js";

it("closes a connection that its client has reset before it was accepted", () => {
  const server = createServer();
  const connections = new Connections(server);
  // It has no address, as such a connection.
  const socket = new Socket();
  server.emit("connection", socket);
  expect(socket.destroyed).toBe(true);
  expect(connections.of(socket)).toBeUndefined();
});
