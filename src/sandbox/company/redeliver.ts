import { UsageError } from "../../kernel/problem.js";
import type { Company } from "./company.js";
import { type ReleaseGate, atOnce } from "./release-gate.js";
import { type Delivery, redeliver } from "../../domain/model/delivery.js";
import { unholdDelivery } from "../../domain/rules/holds.js";
import type { Work } from "../../domain/model/work.js";

/**
 * One more attempt of a delivery, whatever became of it; a retry that was planned is this one. Returns it as it stands before the attempt, which
 * begins when `gate` says so. Throws UsageError("state") while an attempt of it is in flight.
 */
export function redeliverNow(company: Company, delivery: Delivery, gate: ReleaseGate): Delivery {
  const planned = company.run(planAttempt, { company, delivery });
  gate.after(company.dispatcher.holdRetries([planned]));
  return planned;
}

/**
 * Sends what a company still owed when its state was taken: deliveries that are pending without a timer, and that no rule holds, were waiting for an attempt or had one on
 * the wire. "An attempt interrupted by a kill is made again."
 */
export function resumeDeliveries(company: Company, gate: ReleaseGate = atOnce): void {
  const { deliveries, due, holds } = company.world;
  const timed = due.values().flatMap(({ kind, subject }) => (kind === "delivery.attempt" ? [subject] : []));
  const later = new Set([...timed, ...holds.values().flatMap(({ deliveryIds }) => deliveryIds)]);
  const owed = deliveries
    .values()
    .filter(({ id, status }) => status === "pending" && !later.has(id))
    .toSorted((a, b) => a.turn - b.turn);
  if (owed.length === 0) return;
  gate.after(company.dispatcher.hold(owed.filter(({ attempts }) => attempts.length === 0)).release);
  gate.after(company.dispatcher.holdRetries(owed.filter(({ attempts }) => attempts.length > 0)));
}

function planAttempt(work: Work, { company, delivery }: { company: Company; delivery: Delivery }): Delivery {
  const { id } = delivery;
  // Asked within this step: an attempt that was planned for this very instant has begun by now.
  if (company.dispatcher.isOutstanding(id)) {
    const why = "an attempt of it is in flight. Wait for it with POST /_sandbox/settle.";
    throw new UsageError("state", `Failed to redeliver ${id}: ${why}`);
  }
  work.unschedule("delivery.attempt", id);
  unholdDelivery(work, delivery);
  return work.put(work.world.deliveries, redeliver(work, work.world.deliveries.get(id) ?? delivery, work.at));
}
