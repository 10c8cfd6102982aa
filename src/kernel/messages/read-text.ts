/** The text of an answer. Rejects as {@link readBytes} does. */
export async function readText(response: Response, bytesMax: number): Promise<string> {
  return new TextDecoder().decode(await readBytes(response, bytesMax));
}

/** The bytes of an answer, unpacked. Rejects when it has more than `bytesMax`, and does not read the rest. */
export async function readBytes({ body }: Response, bytesMax: number): Promise<Buffer<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body ?? []) {
    size += piece.length;
    if (size > bytesMax) throw new Error(`its answer has more than ${bytesMax} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
