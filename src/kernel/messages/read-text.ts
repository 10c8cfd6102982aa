/** The text of an answer. Rejects as {@link readBytes} does. */
export async function readText(response: Response, bytesMax: number): Promise<string> {
  return new TextDecoder().decode(await readBytes(response, bytesMax));
}

/** The bytes of an answer, unpacked. Rejects when it has more than `bytesMax`, and does not read the rest. */
export function readBytes({ body }: Response, bytesMax: number): Promise<Buffer<ArrayBuffer>> {
  return collectBytes(body, bytesMax, () => new Error(`its answer has more than ${bytesMax} bytes`));
}

/** The chunks in one. Throws what `tooLarge` returns as soon as there are more than `bytesMax`, and does not read the rest. */
export async function collectBytes(
  chunks: AsyncIterable<Uint8Array> | null,
  bytesMax: number,
  tooLarge: () => Error,
): Promise<Buffer<ArrayBuffer>> {
  const collected: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks ?? []) {
    size += chunk.length;
    if (size > bytesMax) throw tooLarge();
    collected.push(chunk);
  }
  return Buffer.concat(collected);
}
