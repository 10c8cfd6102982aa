const node = `
// null: answer 400. A topic that you do not handle: answer 200.
// Fields that you do not know: leave them be.
function readEvent(rawBody) {
  try {
    const event = JSON.parse(rawBody.toString("utf8"));
    const hasData = typeof event?.data === "object" && event.data !== null;
    return hasData && typeof event.topic === "string" ? event : null;
  } catch {
    return null;
  }
}
`;

const python = `
import json


# None: answer 400. A topic that you do not handle: answer 200.
# Fields that you do not know: leave them be.
def read_event(raw_body):
    try:
        event = json.loads(raw_body.decode("utf-8"))
    except ValueError:
        return None
    if not isinstance(event, dict) or not isinstance(event.get("data"), dict):
        return None
    return event if isinstance(event.get("topic"), str) else None
`;

const php = `
// null: answer 400. A topic that you do not handle: answer 200.
// Fields that you do not know: leave them be.
function read_event(string $rawBody): ?array
{
    $event = json_decode($rawBody, true);
    if (!is_array($event) || !is_array($event['data'] ?? null)) {
        return null;
    }
    return is_string($event['topic'] ?? null) ? $event : null;
}
`;

export const read = { node: node.trim(), python: python.trim(), php: php.trim() };
