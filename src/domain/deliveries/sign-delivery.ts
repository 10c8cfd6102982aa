import { createHmac } from "node:crypto";
import type { Delivery } from "../model/delivery.js";

type Signed = Pick<Delivery, "body" | "effect">;

/** What goes over the wire: the bytes that were signed, unless a rule cuts them (`truncate: bytes`). */
export function sentBody({ body, effect }: Signed): Buffer {
  return Buffer.from(body).subarray(0, effect?.truncate ?? undefined);
}

/** What is sent, and the signature of the whole body: well formed but wrong where a rule corrupts it (`corruptSignature`). */
export function signedBody(delivery: Signed, secretKey: string) {
  const right = signBody(delivery.body, secretKey);
  const wrong = (right.startsWith("A") ? "B" : "A") + right.slice(1);
  return { body: sentBody(delivery), signature: delivery.effect?.corruptSignature === true ? wrong : right };
}

/** "Compute HMAC with SHA-256, key = `SECRET_KEY`, message = the body string. Base64-encode the result." */
export function signBody(body: string | Uint8Array, secretKey: string): string {
  return createHmac("sha256", secretKey).update(body).digest("base64");
}
