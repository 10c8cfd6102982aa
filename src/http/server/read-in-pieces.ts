import type { Socket } from "node:net";

/** Up to 64 KiB come in one read: 3 600 requests. Node would parse all of them at once. */
const PIECE_BYTES = 1024;

/**
 * Passes what a client sends to Node's parser in small pieces, and none while `isFull` says that no more should be read. Resume the socket when that
 * changes.
 */
export function readInPieces(socket: Socket, isFull: () => boolean): void {
  const pauseIfFull = (): void => {
    if (isFull()) socket.pause();
  };
  const push = socket.push.bind(socket);
  socket.push = (bytes: Buffer | null): boolean => {
    if (bytes === null) return push(null);
    let isWanted = true;
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) isWanted = push(bytes.subarray(at, at + PIECE_BYTES));
    return isWanted;
  };
  // Node's own listener comes first: it parses the bytes, and resumes the socket after each request.
  socket.on("data", pauseIfFull);
  socket.on("resume", pauseIfFull);
}
