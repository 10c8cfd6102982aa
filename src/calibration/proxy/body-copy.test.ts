import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { BodyCopy, COPIED_BYTES_MAX } from "./body-copy.js";

function copyOf(bytes: Buffer): BodyCopy {
  const copy = new BodyCopy();
  copy.keep(bytes);
  return copy;
}

it.each([
  ["gzip", gzipSync],
  ["deflate", deflateSync],
  ["br", brotliCompressSync],
])("a body in %s is decoded, and cut where it is too long then", (encoding, encode) => {
  const [short, long] = [200, COPIED_BYTES_MAX + 1].map((length) => copyOf(encode(Buffer.alloc(length, "x"))));
  expect([short!.decoded(encoding).toString(), short!.isCut]).toEqual(["x".repeat(200), false]);
  expect([long!.decoded(encoding).length, long!.isCut]).toEqual([0, true]);
});

it("a body that is not encoded as it says stays as it is", () => {
  const copy = copyOf(Buffer.from("{}"));
  expect([copy.decoded("gzip").toString(), copy.decoded("zstd").toString(), copy.isCut]).toEqual(["{}", "{}", false]);
});
