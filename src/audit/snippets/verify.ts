/** No line is longer than a terminal of 80 columns shows of it. */
const node = `
import { createHmac, timingSafeEqual } from "node:crypto";

// rawBody: the bytes of the request; express.raw({ type: () => true })
// header: request.headers["x-service-hmac-sha256"]; of two signatures Node
// makes one text, which equals nothing
function isGenuine(rawBody, header, secretKey) {
  if (typeof header !== "string" || !secretKey) return false;
  const hmac = createHmac("sha256", secretKey).update(rawBody);
  const expected = Buffer.from(hmac.digest("base64"));
  const given = Buffer.from(header);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
`;

const python = `
import base64
import hashlib
import hmac


# raw_body: the bytes of the request; request.get_data() of Flask,
# request.body of Django
# headers: all values of x-service-hmac-sha256; of two none is the right one
def is_genuine(raw_body, headers, secret_key):
    if len(headers) != 1 or not secret_key:
        return False
    digest = hmac.new(secret_key.encode(), raw_body, hashlib.sha256).digest()
    return hmac.compare_digest(base64.b64encode(digest), headers[0].encode())
`;

const php = `
// $rawBody: the bytes of the request; file_get_contents('php://input')
// $header: $_SERVER['HTTP_X_SERVICE_HMAC_SHA256'] ?? null
function is_genuine(string $rawBody, ?string $header, string $secretKey): bool
{
    if ($header === null || $secretKey === '') {
        return false;
    }
    $digest = hash_hmac('sha256', $rawBody, $secretKey, true);
    return hash_equals(base64_encode($digest), $header);
}
`;

export const verify = { node: node.trim(), python: python.trim(), php: php.trim() };
