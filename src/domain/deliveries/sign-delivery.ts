import { createHmac } from "node:crypto";
import type { Delivery } from "../model/delivery.js";

type Signed = Pick<Delivery, "body" | "effect">;

/** What a rule does to the signature and the body of one attempt; `attempt` counts from 1. */
export function damageOf({ effect }: Signed, attempt: number) {
  const isDamaged = effect !== null && attempt <= (effect.attempts ?? attempt);
  return isDamaged ? effect : { corruptSignature: false, truncate: null };
}

/** The bytes that are sent: those that were signed, unless a rule cuts them (`truncate: bytes`). */
export function sentBody(delivery: Signed, attempt: number): Buffer {
  return Buffer.from(delivery.body).subarray(0, damageOf(delivery, attempt).truncate ?? undefined);
}

/** The bytes that are sent, and the signature of the whole body. The signature is well formed but wrong if a rule corrupts it (`corruptSignature`). */
export function signedBody(delivery: Signed, attempt: number, secretKey: string) {
  const right = signBody(delivery.body, secretKey);
  const wrong = (right.startsWith("A") ? "B" : "A") + right.slice(1);
  const { corruptSignature } = damageOf(delivery, attempt);
  return { body: sentBody(delivery, attempt), signature: corruptSignature ? wrong : right };
}

/** The contract: "Compute HMAC with SHA-256, key = `SECRET_KEY`, message = the body string. Base64-encode the result." */
export function signBody(body: string | Uint8Array, secretKey: string): string {
  return createHmac("sha256", secretKey).update(body).digest("base64");
}
