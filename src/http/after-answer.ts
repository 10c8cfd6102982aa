import type { SystemClock } from "../kernel/system-clock.js";
import type { ReleaseGate } from "../sandbox/company.js";
import type { HttpContext } from "./env.js";

/**
 * "Deliveries start when the API's answer has been written": a receiver never hears of a charge before its creator does. Without a socket
 * the answer is written when it is returned. What happened is told also when the client has gone without waiting for its answer.
 */
export function afterAnswer(c: HttpContext, system: SystemClock): ReleaseGate {
  return (release) => {
    const { incoming, outgoing } = c.env ?? {};
    if (incoming === undefined || outgoing === undefined || outgoing.closed || incoming.socket.destroyed) {
      void system.breathe().then(release);
      return;
    }
    const { socket } = incoming;
    const end = (): void => {
      outgoing.off("close", end);
      socket.off("close", end);
      release();
    };
    // `close` comes after `finish`, and also when the client leaves before its answer.
    outgoing.once("close", end);
    if (outgoing.socket !== null) return;
    // In line behind the answers to earlier requests of the same connection: when that breaks, nobody tells this answer.
    socket.setMaxListeners(0);
    socket.once("close", end);
  };
}
