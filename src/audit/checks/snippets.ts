import type { SnippetName } from "../wire/check.js";

export const HEADER_DEFAULT = "x-service-hmac-sha256";

export const snippetLanguages = ["node", "python", "php"] as const;
export type SnippetLanguage = (typeof snippetLanguages)[number];

export const languageNames: Readonly<Record<SnippetLanguage, string>> = { node: "Node", python: "Python", php: "PHP" };

/** Correct code, for the reports. The receivers of docs/audit.md contain it, and tests audit them. Its lines fit into a terminal of 80 columns. */
export interface Snippet {
  readonly title: string;
  readonly code: Readonly<Record<SnippetLanguage, string>>;
}

const verify = {
  node: `import { createHmac, timingSafeEqual } from "node:crypto";

// rawBody: the bytes of the request; express.raw({ type: () => true })
// header: request.headers["x-service-hmac-sha256"]; Node joins two
// signatures into one text, which never matches
function isGenuine(rawBody, header, secretKey) {
  if (typeof header !== "string" || !secretKey) return false;
  const hmac = createHmac("sha256", secretKey).update(rawBody);
  const expected = Buffer.from(hmac.digest("base64"));
  const given = Buffer.from(header);
  return given.length === expected.length && timingSafeEqual(given, expected);
}`,
  python: `import base64
import hashlib
import hmac


# raw_body: the bytes of the request; request.get_data() of Flask,
# request.body of Django
# headers: all values of x-service-hmac-sha256; two values are refused
def is_genuine(raw_body, headers, secret_key):
    if len(headers) != 1 or not secret_key:
        return False
    digest = hmac.new(secret_key.encode(), raw_body, hashlib.sha256).digest()
    return hmac.compare_digest(base64.b64encode(digest), headers[0].encode())`,
  php: `// $rawBody: the bytes of the request; file_get_contents('php://input')
// $header: $_SERVER['HTTP_X_SERVICE_HMAC_SHA256'] ?? null
function is_genuine(string $rawBody, ?string $header, string $secretKey): bool
{
    if ($header === null || $secretKey === '') {
        return false;
    }
    $digest = hash_hmac('sha256', $rawBody, $secretKey, true);
    return hash_equals(base64_encode($digest), $header);
}`,
};

const read = {
  node: `// null: answer 400. A topic that you do not handle: answer 200.
// Ignore fields that you do not know.
function readEvent(rawBody) {
  try {
    const event = JSON.parse(rawBody.toString("utf8"));
    const hasData = typeof event?.data === "object" && event.data !== null;
    return hasData && typeof event.topic === "string" ? event : null;
  } catch {
    return null;
  }
}`,
  python: `import json


# None: answer 400. A topic that you do not handle: answer 200.
# Ignore fields that you do not know.
def read_event(raw_body):
    try:
        event = json.loads(raw_body.decode("utf-8"))
    except ValueError:
        return None
    if not isinstance(event, dict) or not isinstance(event.get("data"), dict):
        return None
    return event if isinstance(event.get("topic"), str) else None`,
  php: `// null: answer 400. A topic that you do not handle: answer 200.
// Ignore fields that you do not know.
function read_event(string $rawBody): ?array
{
    $event = json_decode($rawBody, true);
    if (!is_array($event) || !is_array($event['data'] ?? null)) {
        return null;
    }
    return is_string($event['topic'] ?? null) ? $event : null;
}`,
};

const once = {
  node: `// An event may come twice, late, or out of order: apply it only if it moves
// the order forward. In a database: UPDATE orders
// SET status = 'paid' WHERE external_id = $1 AND status IN ('due')
const BEFORE = {
  paid: ["due"],
  dropped: ["due"],
  refunded_partially: ["due", "paid"],
  refunded: ["due", "paid", "refunded_partially"],
};

function moveOrder(orders, { externalId, status }) {
  const order = orders.get(externalId);
  if (!order || !BEFORE[status]?.includes(order.status)) return false;
  order.status = status;
  return true;
}`,
  python: `# An event may come twice, late, or out of order: apply it only if it moves
# the order forward. In a database: UPDATE orders
# SET status = 'paid' WHERE external_id = %s AND status IN ('due')
BEFORE = {
    "paid": ["due"],
    "dropped": ["due"],
    "refunded_partially": ["due", "paid"],
    "refunded": ["due", "paid", "refunded_partially"],
}


def move_order(orders, charge):
    order = orders.get(charge["externalId"])
    before = BEFORE.get(charge["status"], [])
    if order is None or order["status"] not in before:
        return False
    order["status"] = charge["status"]
    return True`,
  php: `// An event may come twice, late, or out of order: apply it only if it moves
// the order forward, and so changes a row.
const BEFORE = [
    'paid' => ['due'],
    'dropped' => ['due'],
    'refunded_partially' => ['due', 'paid'],
    'refunded' => ['due', 'paid', 'refunded_partially'],
];

function move_order(PDO $db, array $charge): bool
{
    $before = BEFORE[$charge['status']] ?? null;
    if ($before === null) {
        return false;
    }
    $known = implode(', ', array_fill(0, count($before), '?'));
    $isBefore = "external_id = ? AND status IN ($known)";
    $update = $db->prepare("UPDATE orders SET status = ? WHERE $isBefore");
    $update->execute([$charge['status'], $charge['externalId'], ...$before]);
    return $update->rowCount() === 1;
}`,
};

export const snippets: Readonly<Record<SnippetName, Snippet>> = {
  verify: { title: "Verify the signature of the raw body", code: verify },
  read: { title: "Read an event, once its signature is verified", code: read },
  once: { title: "Count each event once, and only move forward", code: once },
};

/** The name of a header in `$_SERVER` of PHP. */
const phpNameOf = (header: string): string => `HTTP_${header.toUpperCase().replaceAll("-", "_")}`;

/** A snippet that reads the signature from the given header. */
export function snippetFor(name: SnippetName, header: string): Snippet {
  const { title, code } = snippets[name];
  const named = (text: string): string =>
    text
      .replaceAll(HEADER_DEFAULT, () => header.toLowerCase())
      .replaceAll(phpNameOf(HEADER_DEFAULT), () => phpNameOf(header));
  return { title, code: { node: named(code.node), python: named(code.python), php: named(code.php) } };
}
