import type { ServerResponse } from "node:http";
import type { SystemClock } from "../../kernel/system-clock.js";
import type { Company } from "../../sandbox/company/company.js";
import type { HttpContext } from "../shared/env.js";
import { resetConnection } from "../shared/reset-connection.js";
import { TextAnswer } from "../shared/text-answer.js";
import { isClosed, whenAborted, whenLost } from "../shared/when-closed.js";

/** How long a `hang` that says nothing of it holds a client, real time. */
export const HANG_MAX_MS = 60_000;

/** What the answers would have gone to; without a socket what they would have answered. */
const brokenOff = new WeakSet<ServerResponse | Request>();

/** Ends the connection without an answer. What is returned stands for none, also without a socket: {@link isBrokenOff}. */
export function breakOff(c: HttpContext, fault: "reset" | "hang"): Response {
  const { incoming } = c.env ?? {};
  if (fault === "reset" && incoming !== undefined) resetConnection(incoming.socket);
  else incoming?.socket.destroy();
  brokenOff.add(c.env?.outgoing ?? c.req.raw);
  return new TextAnswer(null, 200, {});
}

/** Whether what was returned there stands for no answer. It says nothing of that itself: the answer to a HEAD is another object. */
export function isBrokenOff(there: ServerResponse | Request): boolean {
  return brokenOff.has(there);
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
      company.events.on("changed", ({ company: changed }) => {
        if (changed === company && company.closed) end();
      }),
      stopping === undefined ? () => undefined : whenAborted(stopping, end),
    ];
  });
}
