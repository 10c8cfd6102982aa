import type { SystemClock } from "../../kernel/system-clock.js";
import type { Company } from "../../sandbox/company/company.js";
import { waitWithClient } from "../shared/after-answer.js";
import type { HttpContext } from "../shared/env.js";

/** How long a `hang` without a delay holds a client, real time. */
export const HANG_MAX_MS = 60_000;

/** Ends the connection without an answer. The returned answer is never sent. */
export function breakOff(c: HttpContext, fault: "reset" | "hang"): Response {
  c.env?.breakOff?.(fault);
  return new Response(null);
}

/** Waits in real time. Ends early when the client has left, the company was closed, or the server stops. */
export function linger(c: HttpContext, company: Company, system: SystemClock, ms: number): Promise<void> {
  if (company.closed) return Promise.resolve();
  // A request that is not read to its end does not show that its client leaves.
  if (c.env?.incoming?.complete === false) c.env.incoming.resume();
  return waitWithClient(
    c,
    (end) => system.after(ms, end),
    (end) =>
      company.events.on("changed", ({ company: changed }) => {
        if (changed === company && company.closed) end();
      }),
  );
}
