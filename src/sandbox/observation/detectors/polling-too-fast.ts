import { RecentMap } from "../../../kernel/recent-map.js";
import { describeRequest, idInPath } from "../describe-request.js";
import type { JournalEntry } from "../journal.js";
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
  /** When each resource was last read, oldest first: one read more than is allowed at most. */
  const reads = new RecentMap<string, Pick<JournalEntry, "receivedAt" | "at">[]>(RESOURCES_MAX);
  return {
    see(entry, scene) {
      if (entry.method !== "GET" || idInPath(entry) === undefined) return nothing;
      const path = entry.path.split("?", 1)[0] ?? entry.path;
      const { receivedAt, at } = entry;
      const times = reads.set(path, reads.get(path) ?? []);
      times.push({ receivedAt, at });
      if (times.length > POLLS_MAX + 1) times.shift();
      const [first] = times;
      if (first === undefined || times.length <= POLLS_MAX) return nothing;
      const spanMs = Math.max(receivedAt - first.receivedAt, at - first.at);
      if (spanMs > POLLS_SPAN_MS - EARLY_MS) return nothing;
      return [
        {
          key: path,
          severity: "warning",
          why:
            `${path} was read ${times.length} times within ${Math.ceil(spanMs)} ms. A client that polls so fast is locked out by any ` +
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
