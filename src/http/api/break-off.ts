import type { SystemClock } from "../../kernel/system-clock.js";
import type { Company } from "../../sandbox/company.js";
import type { HttpContext } from "../env.js";
import { resetConnection } from "../reset-connection.js";
import { headerOf, TextAnswer } from "../text-answer.js";
import { isClosed, whenAborted, whenLost } from "../when-closed.js";

/** How long a `hang` that says nothing of it holds a client, real time. */
export const HANG_MAX_MS = 60_000;

const MARK = "x-broken-off";
const BROKEN_OFF = new TextAnswer(null, 200, { [MARK]: "true" });

/** Ends the connection without an answer. What is returned stands for none, also without a socket: {@link isBrokenOff}. */
export function breakOff(c: HttpContext, fault: "reset" | "hang"): Response {
  const { incoming } = c.env ?? {};
  if (fault === "reset" && incoming !== undefined) resetConnection(incoming.socket);
  else incoming?.socket.destroy();
  return BROKEN_OFF;
}

/** By its mark: the answer to a HEAD is another object with the same headers. */
export function isBrokenOff(answer: Response): boolean {
  return headerOf(answer, MARK) !== null;
}

/** Real time passes. Ends early when nobody waits any more: the client has left, the company was closed, or the server stops. */
export function linger(c: HttpContext, company: Company, system: SystemClock, ms: number): Promise<void> {
  const { incoming, outgoing, stopping } = c.env ?? {};
  const isGone =
    incoming === undefined || outgoing === undefined ? c.req.raw.signal.aborted : isClosed(incoming, outgoing);
  if (isGone || company.closed || stopping?.aborted === true) return Promise.resolve();
  // What the client still sends is thrown away: who does not read does not see it leave.
  if (incoming?.complete === false) incoming.resume();
  return new Promise((resolve) => {
    const end = (): void => {
      for (const stop of stops) stop();
      resolve();
    };
    const stops = [
      system.after(ms, end),
      whenLost(c, end),
      company.changed.listen(() => {
        if (company.closed) end();
      }),
      stopping === undefined ? () => undefined : whenAborted(stopping, end),
    ];
  });
}
