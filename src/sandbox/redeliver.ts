import type { Delivery } from "../domain/deliveries/delivery.js";
import { redeliver } from "../domain/deliveries/delivery-lifecycle.js";
import type { Work } from "../domain/work.js";
import { UsageError } from "../kernel/problem.js";
import type { Company, ReleaseGate } from "./company.js";

/**
 * One more attempt of a delivery, whatever became of it; a retry that was planned is this one. Returns it as it stands before the attempt, which
 * begins when `gate` says so. Throws UsageError("state") while an attempt of it is in flight.
 */
export function redeliverNow(company: Company, delivery: Delivery, gate: ReleaseGate): Delivery {
  if (company.dispatcher.owes(delivery.id)) {
    const failed = `Failed to redeliver ${delivery.id}`;
    throw new UsageError("state", `${failed}: an attempt of it is in flight. Wait for it with POST /_sandbox/settle.`);
  }
  const planned = company.run(planAttempt, delivery);
  gate(company.dispatcher.holdBeside([planned]));
  return planned;
}

/**
 * Sends what a company still owed when its state was taken: deliveries that are pending without a timer were waiting for an attempt or had one on
 * the wire. "An attempt interrupted by a kill is made again."
 */
export function resumeDeliveries(company: Company, gate: ReleaseGate): void {
  const { deliveries, due } = company.world;
  const timed = new Set(due.values().flatMap(({ kind, subject }) => (kind === "delivery.attempt" ? [subject] : [])));
  const owed = deliveries.values().filter(({ id, status }) => status === "pending" && !timed.has(id));
  if (owed.length === 0) return;
  gate(company.dispatcher.hold(owed.filter(({ attempts }) => attempts.length === 0)));
  gate(company.dispatcher.holdBeside(owed.filter(({ attempts }) => attempts.length > 0)));
}

function planAttempt(work: Work, delivery: Delivery): Delivery {
  work.unschedule("delivery.attempt", delivery.id);
  return work.put(work.world.deliveries, redeliver(delivery, work.at));
}
