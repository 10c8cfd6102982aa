/** More than this is not kept for a reader who does not read. */
const BACKLOG_BYTES_MAX = 1024 * 1024;

export interface LineOutput {
  readonly stream: NodeJS.WriteStream;
  /** Without the line's end. */
  write(line: string): void;
}

/**
 * Lines to a stream that may be a pipe which nobody reads: the sandbox goes on, its memory stays as it is, and what comes meanwhile is left out.
 * Whoever reads again is told how much that was.
 */
export function createLineOutput(
  stream: NodeJS.WriteStream,
  renderLeftOut: (count: number, stream: NodeJS.WriteStream) => string,
): LineOutput {
  let leftOut = 0;
  return {
    stream,
    write(line) {
      if (!stream.writable) return;
      if (stream.writableLength > BACKLOG_BYTES_MAX) {
        leftOut++;
        return;
      }
      if (leftOut > 0) stream.write(`${renderLeftOut(leftOut, stream)}\n`);
      leftOut = 0;
      stream.write(`${line}\n`);
    },
  };
}
