/** The text of an answer, unpacked. Rejects when it has more than `bytesMax` bytes, and does not read the rest. */
export async function readText({ body }: Response, bytesMax: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body ?? []) {
    size += piece.length;
    if (size > bytesMax) throw new Error(`its answer has more than ${bytesMax} bytes`);
    pieces.push(piece);
  }
  return new TextDecoder().decode(Buffer.concat(pieces));
}
