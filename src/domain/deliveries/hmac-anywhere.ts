import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";

/** Replaces `hmac.ts` where there is no `node:crypto`. Web Crypto has no synchronous HMAC. */
export function isHmac(given: string, body: string | Uint8Array, key: string): boolean {
  const encoder = new TextEncoder();
  const bytes = typeof body === "string" ? encoder.encode(body) : body;
  const expected = btoa(String.fromCharCode(...hmac(sha256, encoder.encode(key), bytes)));
  if (expected.length !== given.length) return false;
  let difference = 0;
  for (let at = 0; at < expected.length; at++) difference |= expected.charCodeAt(at) ^ given.charCodeAt(at);
  return difference === 0;
}
