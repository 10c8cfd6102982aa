import { Transform, type TransformCallback } from "node:stream";
import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";

/** The rest of a longer body is passed on but not recorded, since the search for secrets would delay traffic. A batch of 500 transfers is answered with 200 KB. */
export const COPIED_BYTES_MAX = 256 * 1024;

/** Passes bytes through and keeps a copy of the first {@link COPIED_BYTES_MAX}. */
export class BodyCopy extends Transform {
  readonly #chunks: Buffer[] = [];
  #bytes = 0;
  isCut = false;

  override _transform(chunk: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.keep(chunk);
    done(null, chunk);
  }

  keep(chunk: Buffer): void {
    const room = COPIED_BYTES_MAX - this.#bytes;
    if (chunk.length > room) this.isCut = true;
    if (room === 0) return;
    this.#chunks.push(chunk.subarray(0, room));
    this.#bytes += Math.min(room, chunk.length);
  }

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  /** The body without its content encoding; unchanged when the encoding is unknown or wrong. Empty, and cut, when the decoded body is too long. */
  decoded(encoding = ""): Buffer {
    // A secret may be cut there. The mark makes it recognisable.
    const bytes = Buffer.concat(this.isCut ? [...this.#chunks, Buffer.from("…")] : this.#chunks);
    const decode = decoders[encoding.trim().toLowerCase()];
    if (decode === undefined || this.isEmpty) return bytes;
    try {
      return decode(bytes, { maxOutputLength: COPIED_BYTES_MAX });
    } catch (error) {
      if (!(error instanceof RangeError)) return bytes;
      this.isCut = true;
      return Buffer.alloc(0);
    }
  }
}

/** The part of an `Accept-Encoding` that can be decoded here. The service is offered only that, so that its bodies can be read. */
export function decodableOf(accepted: string): string {
  const names = accepted
    .split(",")
    .filter((offer) => Object.hasOwn(decoders, (offer.split(";")[0] ?? "").trim().toLowerCase()));
  return names.length === 0 ? "identity" : names.map((name) => name.trim()).join(", ");
}

const decoders: Readonly<Record<string, (bytes: Buffer, options: { maxOutputLength: number }) => Buffer>> = {
  gzip: gunzipSync,
  "x-gzip": gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};
