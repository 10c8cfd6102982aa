import { createHmac } from "node:crypto";
import type { Delivery, WireEffect } from "../model/delivery.js";

/** What goes over the wire: the bytes that were signed, unless a rule cuts them (`truncate: bytes`). */
export function sentBody({ body, effect }: Pick<Delivery, "body" | "effect">): Buffer {
  return cutBody(Buffer.from(body), effect);
}

/** The same of bytes, and their signature: that of the whole body; well formed but wrong where a rule corrupts it (`corruptSignature`). */
export function signedBody({ body, effect }: Pick<Delivery, "body" | "effect">, secretKey: string) {
  const bytes = Buffer.from(body);
  return { body: cutBody(bytes, effect), signature: signatureOf(bytes, effect, secretKey) };
}

function cutBody(bytes: Buffer, effect: WireEffect | null): Buffer {
  const length = effect?.truncate ?? null;
  return length === null ? bytes : bytes.subarray(0, length);
}

function signatureOf(bytes: Buffer, effect: WireEffect | null, secretKey: string): string {
  const signature = signBody(bytes, secretKey);
  if (effect?.corruptSignature !== true) return signature;
  return (signature.startsWith("A") ? "B" : "A") + signature.slice(1);
}

/** "Compute HMAC with SHA-256, key = `SECRET_KEY`, message = the body string. Base64-encode the result." */
export function signBody(body: string | Uint8Array, secretKey: string): string {
  return createHmac("sha256", secretKey).update(body).digest("base64");
}
