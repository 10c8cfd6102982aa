import type { Delivery } from "./delivery.js";
import { signBody } from "./signature.js";

/** What goes over the wire: the bytes that were signed, unless a rule cuts them (`truncate: bytes`). */
export function sentBody({ body, effect }: Pick<Delivery, "body" | "effect">): string | Buffer {
  const bytes = effect?.truncate ?? null;
  return bytes === null ? body : Buffer.from(body).subarray(0, bytes);
}

/** The signature of the whole body; well formed but wrong where a rule corrupts it (`corruptSignature`). */
export function signatureOf({ body, effect }: Pick<Delivery, "body" | "effect">, secretKey: string): string {
  const signature = signBody(body, secretKey);
  if (effect?.corruptSignature !== true) return signature;
  return (signature.startsWith("A") ? "B" : "A") + signature.slice(1);
}
