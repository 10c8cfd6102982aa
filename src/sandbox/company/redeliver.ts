import { UsageError } from "../../kernel/messages/problem.js";
import type { Company } from "./company.js";
import { type ReleaseGate, releaseImmediately } from "./release-gate.js";
import { type Delivery, moveDelivery } from "../../domain/model/delivery.js";
import { unholdDelivery } from "../../domain/rules/holds.js";
import type { Work } from "../../domain/model/work.js";

/**
 * Makes one more attempt of a delivery in any status; it replaces a planned retry. Returns the delivery before the attempt, which starts when `gate`
 * opens. Throws UsageError("state") while an attempt of the delivery is in flight.
 */
export function redeliverNow(company: Company, delivery: Delivery, gate: ReleaseGate): Delivery {
  const planned = company.run(planAttempt, { company, delivery });
  company.releaseKept(gate, company.dispatcher.holdRetries([planned]));
  return planned;
}

/**
 * Sends the deliveries whose attempt was waiting or in flight when the state was saved: the pending ones without a timer that no rule holds back. So an
 * attempt that a kill interrupted is made again.
 */
export function resumeDeliveries(company: Company, gate: ReleaseGate = openInTurn(company)): void {
  const { deliveries, due, holds } = company.world;
  const timed = due.values().flatMap(({ kind, subject }) => (kind === "delivery.attempt" ? [subject] : []));
  const later = new Set([...timed, ...holds.values().flatMap(({ deliveryIds }) => deliveryIds)]);
  const pending = deliveries
    .values()
    .filter(({ id, status }) => status === "pending" && !later.has(id))
    .toSorted((a, b) => a.turn - b.turn);
  if (pending.length === 0) return;
  const { release } = company.dispatcher.hold(pending.filter(({ attempts }) => attempts.length === 0));
  const retry = company.dispatcher.holdRetries(pending.filter(({ attempts }) => attempts.length > 0));
  company.releaseKept(gate, () => {
    release();
    retry();
  });
}

/** At a start the webhooks of each company begin in a turn of their own. */
function openInTurn({ id, deps }: Company): ReleaseGate {
  return { ...releaseImmediately, after: (release) => void deps.longWork.takeTurn(id).then(release) };
}

function planAttempt(work: Work, { company, delivery }: { company: Company; delivery: Delivery }): Delivery {
  const { id } = delivery;
  // Checked within the operation: a retry that is due at this instant has begun by now.
  if (company.dispatcher.isOutstanding(id)) {
    const why = "an attempt of it is in flight. Wait for it with POST /_sandbox/settle.";
    throw new UsageError("state", `Failed to redeliver ${id}: ${why}`);
  }
  work.unschedule("delivery.attempt", id);
  unholdDelivery(work, delivery);
  return work.put(
    work.world.deliveries,
    moveDelivery(work, work.world.deliveries.get(id) ?? delivery, "redeliver", work.at),
  );
}
