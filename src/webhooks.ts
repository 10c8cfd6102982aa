import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Whether a webhook is genuine: the base64 HMAC-SHA256 of its raw body under the secret key equals the header's value. For production
 * code; it needs nothing but Node.
 *
 * Contract, Events, Signature: "Take the raw payload body string. Compute HMAC with SHA-256, key = `SECRET_KEY`, message = the body
 * string. Base64-encode the result. Compare with the header value. If equal the payload is authentic; otherwise the request is to be rejected."
 *
 * @param rawBody the bytes as they came, never a parsed and printed copy: another order of keys or `50.50` becoming `50.5` has another signature.
 * @param header the value of `x-service-hmac-sha256`. Undefined, empty, or more than one value is never genuine.
 * @param secretKey the `SECRET_KEY` that came with the access token. With an empty one nothing is genuine.
 * @throws TypeError for a body that has been parsed already, which nothing can be verified of.
 *
 * @example
 * ```ts
 * const isGenuine = verifySignature(rawBody, request.headers["x-service-hmac-sha256"], process.env.SECRET_KEY ?? "");
 * if (!isGenuine) response.writeHead(401).end();
 * ```
 */
export function verifySignature(
  rawBody: string | Uint8Array,
  header: string | readonly string[] | null | undefined,
  secretKey: string,
): boolean {
  // Not `instanceof Uint8Array`: a test runner may give each file a global object of its own.
  if (typeof rawBody !== "string" && !ArrayBuffer.isView(rawBody)) {
    throw new TypeError(
      "Failed to verify a webhook: its body was parsed already. Give the raw text or bytes of the request.",
    );
  }
  if (typeof header !== "string" || secretKey === "") return false;
  const expected = Buffer.from(createHmac("sha256", secretKey).update(rawBody).digest("base64"));
  const given = Buffer.from(header);
  return expected.length === given.length && timingSafeEqual(expected, given);
}
