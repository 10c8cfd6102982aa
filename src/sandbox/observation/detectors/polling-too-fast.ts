import { RecentMap } from "../../../kernel/recent-map.js";
import { describeRequest, idInPath } from "../describe-request.js";
import { type Detector, nothing } from "./detector.js";

/** "Polling one resource more than 10 times a second": real time, unless the company's clock was moved by more. */
export const POLLS_MAX = 10;
export const POLLS_SPAN_MS = 1_000;
/** Reads that are sent ten a second come a little closer together now and then. */
const EARLY_MS = 50;

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
