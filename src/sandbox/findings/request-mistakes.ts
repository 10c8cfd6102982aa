import {
  type Answered,
  type Detection,
  type Detector,
  type Scene,
  describeRequest,
  idInPath,
  isLost,
  mayBeOtherWorker,
  digestOf,
  leavesOf,
} from "./detector.js";
import type { JournalEntry } from "../observation/journal.js";
import { type Secret, holdsSecret, searchIn } from "../observation/redact.js";
import { pathOf } from "../observation/verify-requests.js";
import type { FindingRequest } from "./finding.js";
import { memberOf } from "../../kernel/messages/json.js";
import { RecentMap } from "../../kernel/records/recent-map.js";

/** How early the request of a client may arrive that waits as it should, ms: clocks differ, and requests take different times. */
const EARLY_MS = 50;

/** More than 10 reads of one resource within a second are polling too fast. Moving the company's clock counts as waiting. */
const POLLS_MAX = 10;
const POLLS_SPAN_MS = 1_000;
/** Resources whose polls are remembered; those that were read longest ago are forgotten first. */
const RESOURCES_MAX = 1_000;

interface Read extends Pick<JournalEntry, "receivedAt" | "at"> {
  /** The state that the client knew after this read. */
  readonly shown: string | undefined;
}

/** Equal for answers that show the same state of a charge or transaction. */
function stateIn(answer: unknown): string {
  return digestOf(["status", "refunded", "attempts"].map((name) => memberOf(answer, name)));
}

/** Reads of one resource in quick succession while it does not change. Reported once for each resource. */
export function createPollingTooFastDetector(): Detector {
  /** The last reads of each resource, oldest first: one more than is allowed. */
  const readsOf = new RecentMap<string, readonly Read[]>(RESOURCES_MAX);
  return {
    see(entry, scene) {
      if (entry.method !== "GET" || idInPath(entry) === undefined) return [];
      const path = pathOf(entry);
      const { receivedAt, at } = entry;
      const before = readsOf.get(path) ?? [];
      const shown = entry.status === 200 ? stateIn(entry.answer) : before.at(-1)?.shown;
      // Only reads that show the same state count: a client may read a resource after each of its changes.
      const same = before.filter((read) => read.shown === shown);
      const reads = [...same, { receivedAt, at, shown }].slice(-POLLS_MAX - 1);
      readsOf.add(path, reads);
      const [first = entry] = reads;
      const spanMs = Math.max(receivedAt - first.receivedAt, at - first.at);
      if (reads.length <= POLLS_MAX || spanMs > POLLS_SPAN_MS - EARLY_MS) return [];
      const why =
        `${path} was read ${reads.length} times within ${Math.ceil(spanMs)} ms. A client that polls so fast hits any ` +
        "rate limit, and slows the service for everyone.";
      return [{ key: path, why, requests: [describeRequest(entry, scene)] }];
    },
  };
}

/** A retry sooner than this after the answer counts as immediate, ms. */
export const AT_ONCE_MS = 100;
/** Refused requests that are remembered; the oldest are forgotten first. */
const REFUSED_MAX = 1_000;

/**
 * A request that is retried at once after 429 or 5xx: the same method, path and body again from the same worker before the time of `Retry-After`, or without
 * it within {@link AT_ONCE_MS}. Moving the company's clock counts as waiting. Reported once for each operation, for 429 and for 5xx: a client that retries at
 * once does it every time.
 */
export function createRetryAtOnceDetector(): Detector {
  const refused = new RecentMap<string, Refusal>(REFUSED_MAX);
  return {
    see(entry, scene) {
      const isRefused = entry.status === 429 || entry.status >= 500;
      if (!isRefused && refused.size === 0) return [];
      const key = fingerprintOf(entry);
      const before = refused.get(key);
      refused.delete(key);
      if (isRefused && !isLost(entry)) {
        const { now: answeredAt, connection } = scene;
        const { id, at, status, answerHeaders } = entry;
        const line = { id, at, status, askedSeconds: secondsOf(answerHeaders["retry-after"]) };
        refused.add(key, { ...line, request: describeRequest(entry, scene), answeredAt, connection });
      }
      return before === undefined ? [] : judge(before, entry, scene);
    },
    lost(entry) {
      const key = fingerprintOf(entry);
      if (refused.get(key)?.id === entry.id) refused.delete(key);
      return [];
    },
  };
}

/** A refused request. Its body is not kept: a thousand bodies would fill the memory. */
interface Refusal extends Answered, Pick<JournalEntry, "id" | "at" | "status"> {
  /** The answer's `Retry-After`. */
  readonly askedSeconds: number | undefined;
  readonly request: FindingRequest;
}

function judge(before: Refusal, entry: JournalEntry, scene: Scene): readonly Detection[] {
  const { request, answeredAt, connection, askedSeconds } = before;
  const waited = entry.receivedAt - answeredAt;
  // The request came before the first was answered, so it is not a retry.
  if (waited < 0) return [];
  if (mayBeOtherWorker({ answeredAt, connection }, scene)) return [];
  const leastMs = askedSeconds === undefined ? AT_ONCE_MS : askedSeconds * 1000 - EARLY_MS;
  if (Math.max(waited, entry.at - before.at) >= leastMs) return [];
  const ignored = askedSeconds === undefined ? "" : `, though its Retry-After said ${askedSeconds} s`;
  const danger =
    before.status === 429
      ? "A client that keeps asking stays locked out, and some services lock it out for longer each time."
      : "When all clients do this at the same time, a service that is down stays down.";
  return [
    {
      key: `${entry.operation ?? `${entry.method} ${entry.path}`} ${before.status === 429 ? "429" : "5xx"}`,
      why: `${request.id} was answered ${before.status} and sent again after ${Math.round(waited)} ms (${entry.id})${ignored}. ${danger}`,
      requests: [request, describeRequest(entry, scene)],
    },
  ];
}

/** Equal for requests with the same method, path and body. */
function fingerprintOf({ method, path, body }: JournalEntry): string {
  return digestOf([method, path, body]);
}

function secondsOf(retryAfter: string | undefined): number | undefined {
  return retryAfter !== undefined && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
}

const SECRET_KEY_FIX =
  "Use the secret key only to verify webhook signatures, and never send it. Then rotate it: treat it as known to others.";

/** The secret key or an access token in a URL or body, encoded or not, or the secret key in a header. Once for each secret, operation and place. */
export const secretLeaked: Detector = {
  see: (entry, scene) =>
    leaksOf(entry, scene.secrets).map(({ secret: { name }, place, header }) => ({
      key: `${name} ${place} ${entry.operation ?? entry.method}`,
      why:
        `The ${name} was sent in the ${header ?? place} of a request (${entry.id}). ${dangers[place]} ` +
        (name === "secret key"
          ? "Anyone who reads it can forge webhooks that look genuine."
          : "Anyone who reads it can move the business's money."),
      ...(name === "secret key" ? { fix: SECRET_KEY_FIX } : {}),
      requests: [describeRequest(entry, scene)],
    })),
};

type Place = "path" | "query" | "body" | "header";

const dangers: Readonly<Record<Place, string>> = {
  path: "URLs are kept in the logs of every proxy and server on the way.",
  query: "URLs are kept in the logs of every proxy and server on the way.",
  header: "It is only for checking webhooks: proxies and servers keep headers in their logs.",
  body: "Bodies are stored, shown in answers and webhooks, and logged.",
};

interface Leak {
  readonly secret: Secret;
  readonly place: Place;
  /** `header authorization` */
  readonly header?: string;
}

/** The places of each secret: the path, the query, the body (including names of members), then headers. */
function leaksOf(entry: JournalEntry, secrets: readonly Secret[]): readonly Leak[] {
  const path = pathOf(entry);
  const isIn: Readonly<Record<Exclude<Place, "header">, (secret: Secret) => boolean>> = {
    path: searchIn([path]),
    query: searchIn([entry.path.slice(path.length)]),
    body: searchIn(startOf([...leavesOf(entry.body), entry.rawBody])),
  };
  return secrets.flatMap((secret): readonly Leak[] => [
    ...(["path", "query", "body"] as const).filter((place) => isIn[place](secret)).map((place) => ({ secret, place })),
    ...headersWith(secret, entry).map((name) => ({ secret, place: "header" as const, header: `header ${name}` })),
  ]);
}

/** How many characters of a body are searched: a client needs no more to send a secret, and a larger body must not hold up other requests. */
const SEARCHED_CHARACTERS_MAX = 50_000;

/** The first texts among the leaves of a body. */
function startOf(leaves: readonly unknown[]): readonly string[] {
  let left = SEARCHED_CHARACTERS_MAX;
  const texts: string[] = [];
  for (const leaf of leaves) {
    // Single characters are no secrets, and may stand for a list or object.
    if (typeof leaf !== "string" || leaf.length < 2) continue;
    if (left <= 0) break;
    texts.push(leaf.slice(0, left));
    left -= leaf.length;
  }
  return texts;
}

/** The headers that hold the secret key. Access tokens belong in a header. */
function headersWith(secret: Secret, { headers }: JournalEntry): readonly string[] {
  if (secret.name !== "secret key") return [];
  return Object.entries(headers).flatMap(([name, value]) => {
    const [, basic] = /^Basic +(\S+)/i.exec(value) ?? [];
    const texts = basic === undefined ? [value] : [value, String(Buffer.from(basic, "base64"))];
    return texts.some((text) => holdsSecret(text, secret)) ? [name] : [];
  });
}
