import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A connection of a client that may break it off. */
export async function connectTo(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return socket;
}

/** One HTTP/1.1 answer as received over the socket. */
export interface RawAnswer {
  readonly status: number;
  /** By lower-case name; repeated headers are joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends exactly these bytes, piece by piece, and reads until the server closes the connection, for requests that no client library sends. The
 * request must ask for `connection: close` or break the connection. Write errors after the server has closed it are ignored.
 */
export function sendRaw(url: string, pieces: Iterable<string | Buffer>): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    const chunks: Buffer[] = [];
    let failure: Error | undefined;
    socket.on("data", (chunk: Buffer) => chunks.push(chunk));
    socket.on("error", (error) => (failure = error));
    socket.on("close", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      if (text === "") reject(failure ?? new Error("The server closed the connection without an answer."));
      else resolve(parseAnswer(text));
    });
    socket.on("connect", () => void writeAll(socket, pieces));
  });
}

/**
 * Writes everything before it reads the first answer, as many simple clients do. Fails if the connection breaks while it still writes.
 */
export function sendAllThenRead(url: string, pieces: Iterable<string | Buffer>): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let text = "";
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("The server closed the connection before its answer was complete.")));
    socket.on("connect", () => {
      const readAnswer = (): void => {
        socket.on("data", (chunk: Buffer) => {
          text += chunk.toString("latin1");
          const answer = text.includes("\r\n\r\n") ? parseAnswer(text) : undefined;
          if (answer === undefined || answer.body.length < Number(answer.headers["content-length"])) return;
          socket.destroy();
          resolve(answer);
        });
      };
      writeAll(socket, pieces).then(readAnswer, reject);
    });
  });
}

async function writeAll(socket: ReturnType<typeof connect>, pieces: Iterable<string | Buffer>): Promise<void> {
  for (const piece of pieces) {
    if (socket.destroyed || !socket.writable) return;
    if (!socket.write(piece)) {
      await new Promise<void>((resolve) => socket.once("drain", resolve).once("close", () => resolve()));
    }
  }
}

function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  const rest = text.slice(end + 4);
  const body = headers["transfer-encoding"] === "chunked" ? unchunk(rest) : rest;
  return { status: Number(statusLine.split(" ")[1]), headers, body };
}

function unchunk(text: string): string {
  const lineEnd = text.indexOf("\r\n");
  const size = Number.parseInt(text.slice(0, lineEnd), 16);
  if (!(size > 0)) return "";
  const start = lineEnd + 2;
  return text.slice(start, start + size) + unchunk(text.slice(start + size + 2));
}
