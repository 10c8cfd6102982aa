import { describeRequest, leavesOf } from "./describe-request.js";
import type { JournalEntry } from "./journal.js";
import { type Secret, holdsSecret } from "./redact.js";
import type { Detector } from "./detector.js";

/** "The secret key or an access token seen in a URL or body", also encoded. Once for each secret, operation and place. */
export function createSecretLeakedDetector(): Detector {
  return {
    see: (entry, scene) =>
      leaksOf(entry, scene.secrets).map(({ secret, place }) => ({
        key: `${secret.name} ${place} ${entry.operation ?? entry.method}`,
        severity: "critical",
        why:
          `The ${secret.name} was sent in the ${place} of a request (${entry.id}). ${dangers[place]} ` +
          (secret.name === "secret key"
            ? "Who reads it can forge webhooks that look genuine."
            : "Who reads it can move the business's money."),
        fix:
          secret.name === "secret key"
            ? "Use the secret key only to verify webhook signatures: it is never sent in requests. Then rotate it, it counts as known."
            : "Send the access token in the header `Authorization: Bearer …` and nowhere else. Then rotate it, it counts as known.",
        requests: [describeRequest(entry, scene)],
      })),
  };
}

type Place = "path" | "query" | "body";

const dangers: Readonly<Record<Place, string>> = {
  path: "URLs are kept in the logs of every proxy and server on the way.",
  query: "URLs are kept in the logs of every proxy and server on the way.",
  body: "What a body says is stored, shown in answers and webhooks, and kept in logs of applications.",
};

/** Of each secret first that in the path, then in the query, then in the body. */
function leaksOf({ path: url, body, bodyText }: JournalEntry, secrets: readonly Secret[]): readonly Leak[] {
  const at = url.indexOf("?");
  const path = at === -1 ? url : url.slice(0, at);
  const query = at === -1 ? "" : url.slice(at + 1);
  let leaves: readonly unknown[] | undefined;
  const leaks: Leak[] = [];
  for (const secret of secrets) {
    if (holdsSecret(path, secret)) leaks.push({ secret, place: "path" });
    if (holdsSecret(query, secret)) leaks.push({ secret, place: "query" });
    if (body === undefined || !mayHold(bodyText, secret)) continue;
    leaves ??= leavesOf(body);
    // Names of members included.
    if (leaves.some((leaf) => typeof leaf === "string" && holdsSecret(leaf, secret)))
      leaks.push({ secret, place: "body" });
  }
  return leaks;
}

/** Whether the secret can stand in the JSON: what is not written in it plainly is escaped there, or encoded. To walk each body takes long. */
function mayHold(json: string | undefined, { text }: Secret): boolean {
  return json === undefined || json.includes(text) || json.includes("\\") || json.includes("%");
}

interface Leak {
  readonly secret: Secret;
  readonly place: Place;
}
