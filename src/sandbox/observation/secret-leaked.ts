import { describeRequest, leavesOf } from "./describe-request.js";
import type { Detector } from "./detector.js";
import type { JournalEntry } from "./journal.js";
import { holdsSecret, type Secret } from "./redact.js";
import { pathOf } from "./verify-requests.js";

const SECRET_KEY_FIX =
  "Use the secret key only to verify webhook signatures: it is never sent in requests. Then rotate it, it counts as known.";

/** "The secret key or an access token seen in a URL or body", also encoded. Once for each secret, operation and place. */
export function createSecretLeakedDetector(): Detector {
  return {
    see: (entry, scene) =>
      leaksOf(entry, scene.secrets).map(({ secret: { name }, place }) => ({
        key: `${name} ${place} ${entry.operation ?? entry.method}`,
        why:
          `The ${name} was sent in the ${place} of a request (${entry.id}). ${dangers[place]} ` +
          (name === "secret key"
            ? "Who reads it can forge webhooks that look genuine."
            : "Who reads it can move the business's money."),
        ...(name === "secret key" ? { fix: SECRET_KEY_FIX } : {}),
        requests: [describeRequest(entry, scene)],
      })),
  };
}

type Place = "path" | "query" | "body";

interface Leak {
  readonly secret: Secret;
  readonly place: Place;
}

const dangers: Readonly<Record<Place, string>> = {
  path: "URLs are kept in the logs of every proxy and server on the way.",
  query: "URLs are kept in the logs of every proxy and server on the way.",
  body: "What a body says is stored, shown in answers and webhooks, and kept in logs of applications.",
};

/** Of each secret first that in the path, then in the query, then in the body, where names of members count too. */
function leaksOf(entry: JournalEntry, secrets: readonly Secret[]): readonly Leak[] {
  const path = pathOf(entry);
  const texts: Readonly<Record<Place, readonly unknown[]>> = {
    path: [path],
    query: [entry.path.slice(path.length)],
    body: leavesOf(entry.body),
  };
  const isIn = (secret: Secret, place: Place): boolean =>
    texts[place].some((text) => typeof text === "string" && holdsSecret(text, secret));
  return secrets.flatMap((secret) =>
    (["path", "query", "body"] as const).filter((place) => isIn(secret, place)).map((place) => ({ secret, place })),
  );
}
