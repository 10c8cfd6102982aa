import { createHmac } from "node:crypto";

/** "Compute HMAC with SHA-256, key = `SECRET_KEY`, message = the body string. Base64-encode the result." */
export function signBody(body: string | Uint8Array, secretKey: string): string {
  return createHmac("sha256", secretKey).update(body).digest("base64");
}
