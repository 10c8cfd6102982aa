import type { SystemClock } from "../kernel/system-clock.js";
import type { ReleaseGate } from "../sandbox/company.js";
import type { HttpContext } from "./env.js";

/**
 * "Deliveries start when the API's answer has been written": a receiver never hears of a charge before its creator does. Without a socket
 * the answer is written when it is returned.
 */
export function afterAnswer(c: HttpContext, system: SystemClock): ReleaseGate {
  return (release) => {
    const { outgoing } = c.env ?? {};
    if (outgoing === undefined) {
      void system.breathe().then(release);
      return;
    }
    // `close` comes after `finish`, and also when the client has gone before its answer.
    outgoing.once("close", release);
  };
}
