import { createHash } from "node:crypto";
import { RecentMap } from "../../kernel/recent-map.js";
import { describeRequest, idInPath, isLost, leavesOf } from "./describe-request.js";
import type { FindingRequest } from "./finding.js";
import type { JournalEntry } from "./journal.js";
import { type Detection, type Detector, type Scene, nothing } from "./detector.js";

/** A client that waits for as long as it should may be a little early: two machines have two clocks, and requests take different times. */
const EARLY_MS = 50;

/** "Polling one resource more than 10 times a second": real time, unless the company's clock was moved by more. */
export const POLLS_MAX = 10;
export const POLLS_SPAN_MS = 1_000;

/** Resources whose polls are remembered; those that were read longest ago are forgotten first. */
const RESOURCES_MAX = 1_000;

/** Once for each resource. */
export function createPollingTooFastDetector(): Detector {
  /**
   * When each resource was last read, oldest first, one read more than is allowed at most: of each the real and then the company's time. Bare numbers,
   * since V8 keeps a list of them in one piece, and a client may read thousands of resources a second.
   */
  const reads = new RecentMap<string, number[]>(RESOURCES_MAX);
  return {
    see(entry, scene) {
      if (entry.method !== "GET" || idInPath(entry) === undefined) return nothing;
      const path = entry.path.split("?", 1)[0] ?? entry.path;
      const { receivedAt, at } = entry;
      const before = reads.get(path);
      // Most are read once: then it takes a third of what an empty list does that is added to.
      const times = reads.set(path, before ?? [receivedAt, at]);
      if (before !== undefined) before.push(receivedAt, at);
      if (times.length > 2 * (POLLS_MAX + 1)) times.splice(0, 2);
      const [firstReceivedAt = receivedAt, firstAt = at] = times;
      const polls = times.length / 2;
      if (polls <= POLLS_MAX) return nothing;
      const spanMs = Math.max(receivedAt - firstReceivedAt, at - firstAt);
      if (spanMs > POLLS_SPAN_MS - EARLY_MS) return nothing;
      return [
        {
          key: path,
          severity: "warning",
          why:
            `${path} was read ${polls} times within ${Math.ceil(spanMs)} ms. A client that polls so fast is locked out by any ` +
            "rate limit, then learns nothing at all, and burdens the service for every other one.",
          fix:
            "Wait for the webhook, and poll only as a fallback: after a second or more, with a growing gap and some jitter, and with an end after " +
            "which somebody is told.",
          requests: [describeRequest(entry, scene)],
        },
      ];
    },
  };
}

/**
 * Sooner than this after the answer is at once, ms. A loop without a pause needs a few; the shortest pause that a client makes on purpose is mostly
 * longer.
 */
export const AT_ONCE_MS = 100;

/** Refused requests that are remembered; the oldest are forgotten first. */
const REFUSED_MAX = 1_000;

/**
 * "A 429 or 5xx retried at once": the same method, path and body again, before `Retry-After` is over, or within {@link AT_ONCE_MS}. Whoever moves the
 * company's clock has waited too. Once for each operation, of either kind: a client that retries at once does it every time.
 */
export function createRetryAtOnceDetector(): Detector {
  const refused = new RecentMap<string, Refusal>(REFUSED_MAX);
  return {
    see(entry, scene) {
      const isRefused = entry.status === 429 || entry.status >= 500;
      if (!isRefused && refused.size === 0) return nothing;
      const key = identityOf(entry);
      const before = refused.get(key);
      refused.delete(key);
      if (isRefused && !isLost(entry)) refused.set(key, createRefusal(entry, scene));
      return before === undefined ? nothing : judge(before, entry, scene);
    },
    lost(entry) {
      const key = identityOf(entry);
      if (refused.get(key)?.request.id === entry.id) refused.delete(key);
      return nothing;
    },
  };
}

interface Refusal {
  readonly request: FindingRequest;
  readonly status: number;
  /** Real time, and the company's. */
  readonly answeredAt: number;
  readonly at: number;
  readonly retryAfter: string | undefined;
}

function createRefusal(entry: JournalEntry, scene: Scene): Refusal {
  const { status, at, retryAfter } = entry;
  return { request: describeRequest(entry, scene), status, answeredAt: scene.now, at, retryAfter };
}

function judge(before: Refusal, entry: JournalEntry, scene: Scene): readonly Detection[] {
  const waited = entry.receivedAt - before.answeredAt;
  // What came while the first was not answered yet is no retry of it.
  if (waited < 0) return nothing;
  const told = secondsOf(before.retryAfter);
  const leastMs = told === undefined ? AT_ONCE_MS : told * 1000 - EARLY_MS;
  if (Math.max(waited, entry.at - before.at) >= leastMs) return nothing;
  const { status, request } = before;
  const wish = told === undefined ? "" : `, though its Retry-After said ${told} s`;
  const danger =
    status === 429
      ? "Who goes on asking stays locked out, and some services lock out for longer each time."
      : "A service that is down is kept down by all of its clients doing so at the same time.";
  return [
    {
      key: `${entry.operation ?? `${entry.method} ${entry.path}`} ${status === 429 ? "429" : "5xx"}`,
      severity: "warning",
      why: `${request.id} was answered ${status} and sent again after ${Math.round(waited)} ms (${entry.id})${wish}. ${danger}`,
      fix:
        "Wait before a retry: for as long as Retry-After says, else for a gap that doubles each time, with jitter, and give up after a few. Retry a " +
        "payout under the same reference only.",
      requests: [request, describeRequest(entry, scene)],
    },
  ];
}

/** The same for requests that are alike; bodies may be large, and deep. */
function identityOf({ method, path, body }: JournalEntry): string {
  const hash = createHash("sha256").update(`${method} ${path}`);
  for (const leaf of leavesOf(body)) hash.update(`\n${JSON.stringify(leaf)}`);
  return hash.digest("base64");
}

function secondsOf(retryAfter: string | undefined): number | undefined {
  return retryAfter !== undefined && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
}
