import { timingSafeEqual } from "node:crypto";
import { signBody } from "./sign-delivery.js";

/** Whether `given` is the base64 HMAC-SHA256 of the body. Takes the same time wherever the two differ. */
export function isHmac(given: string, body: string | Uint8Array, key: string): boolean {
  const expected = Buffer.from(signBody(body, key));
  const actual = Buffer.from(given);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
