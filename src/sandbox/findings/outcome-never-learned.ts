import type { Delivery } from "../../domain/model/delivery.js";
import type { World } from "../../domain/model/work.js";
import { plainId } from "../../domain/values/ids.js";
import { findTopic } from "../../domain/values/topic.js";
import { type Detection, type Detector, type Scene, describeRequest, hasAcknowledged, idInPath } from "./detector.js";
import type { FindingRequest } from "./finding.js";
import { countBy } from "../../kernel/collections.js";
import { RecentMap } from "../../kernel/records/recent-map.js";
import { memberOf } from "../../kernel/messages/json.js";

/** Charges and transfers that are remembered; the oldest are forgotten first. */
const CREATED_MAX = 10_000;
/** The most requests that the finding shows. */
const SHOWN_MAX = 3;

/** The final statuses of charges and transfers. */
export const finalStatuses: ReadonlySet<unknown> = new Set([
  "completed",
  "failed",
  "paid",
  "dropped",
  "refunded",
  "refunded_partially",
]);

/**
 * At the end of a run, a transfer or charge that has become final, but was never read since, and of which no webhook was acknowledged. Reported once for all
 * transfers and once for all charges.
 */
export function createOutcomeNeverLearnedDetector(): Detector {
  /** Charges and transfers whose outcome the client does not know, by id, with the request that created them. */
  const unlearned = new RecentMap<string, FindingRequest>(CREATED_MAX);
  /** Charges and transfers whose outcome a webhook has shown, perhaps before the request that created them was answered. */
  const learned = new RecentMap<string, true>(CREATED_MAX);
  return {
    see(entry, scene) {
      if (entry.created.length > 0) {
        const request = describeRequest(entry, scene);
        for (const id of entry.created) if (!learned.has(id)) unlearned.add(id, request);
      }
      const id = idInPath(entry);
      // Any answer with a charge or transaction shows its status, including answers to a payment or refund.
      if (id !== undefined && entry.fault === undefined && finalStatuses.has(memberOf(entry.answer, "status")))
        unlearned.delete(plainId(id));
      return [];
    },
    lost(entry, scene) {
      const request = describeRequest(entry, scene);
      for (const id of entry.created) if (unlearned.has(id)) unlearned.set(id, request);
      return [];
    },
    attempted(attempt, delivery) {
      if (!hasAcknowledged(attempt, delivery) || !saysOutcome(delivery)) return [];
      learned.add(delivery.resource, true);
      unlearned.delete(delivery.resource);
      return [];
    },
    ended(_, scene) {
      // After a restore, a seeded stream of ids repeats what it has drawn since.
      learned.clear();
      return [
        ...describeUnlearned("transfer", unlearned, scene, ({ transfers }, id) => transfers.get(id)?.status),
        ...describeUnlearned("charge", unlearned, scene, ({ charges }, id) => charges.get(id)?.status),
      ];
    },
  };
}

function saysOutcome({ topic }: Delivery): boolean {
  return findTopic(topic) !== "transactions/started";
}

function describeUnlearned(
  what: string,
  unlearned: ReadonlyMap<string, FindingRequest>,
  scene: Scene,
  statusOf: (world: World, id: string) => string | undefined,
): readonly Detection[] {
  // The client cannot know what the sandbox has not sent yet.
  const unsent = scene.world.deliveries
    .values()
    .filter((delivery) => delivery.attempts.length === 0 && delivery.status === "pending" && saysOutcome(delivery));
  const awaited = new Set(unsent.map(({ resource }) => resource));
  const final = [...unlearned].flatMap(([id, request]) => {
    const status = statusOf(scene.world, id);
    if (!finalStatuses.has(status) || scene.isAudited(id) || awaited.has(id)) return [];
    return [{ status, request }];
  });
  if (final.length === 0) return [];
  const counted = [...countBy(final, ({ status }) => status)].map(([status, count]) => `${count} ${status}`);
  const requests = [...new Set(final.map(({ request }) => request))];
  const isOne = final.length === 1;
  const why =
    `${isOne ? `A ${what}` : `${final.length} ${what}s`} that this client created became final (${counted.join(", ")}), ` +
    (isOne
      ? "was never read since, and no webhook of it was acknowledged: the client does not know how it ended."
      : "were never read since, and no webhook of them was acknowledged: the client does not know how they ended.");
  return [{ key: what, why, requests: requests.slice(0, SHOWN_MAX) }];
}
