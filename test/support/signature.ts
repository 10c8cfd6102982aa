import { createHmac } from "node:crypto";

/** The signature that the contract wants: base64 of HMAC-SHA256 over the bytes of the body. */
export function sign(body: string | Uint8Array, key = "secret_sandbox"): string {
  return createHmac("sha256", key).update(body).digest("base64");
}
