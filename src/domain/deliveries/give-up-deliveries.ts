import type { Work } from "../work.js";
import type { Delivery } from "./delivery.js";
import { forgetHeld } from "./hold-deliveries.js";

/** They will never be sent: no timer and no rule waits for them any more. */
export function giveUpDeliveries(work: Work, deliveries: readonly Delivery[]): void {
  for (const { id } of deliveries) work.unschedule("delivery.attempt", id);
  forgetHeld(work, new Set(deliveries.map(({ id }) => id)));
}
