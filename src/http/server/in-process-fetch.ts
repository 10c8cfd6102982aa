import type { Hono } from "hono";
import type { HttpEnv } from "../shared/env.js";

/**
 * Calls the app without a socket, and behaves as the global fetch does: when a rule breaks off the answer, it rejects with a `TypeError` whose cause
 * has the code ECONNRESET; when the request's signal was aborted, it rejects with that signal's reason.
 */
export function createInProcessFetch(app: () => Hono<HttpEnv>): (request: Request) => Promise<Response> {
  return async (request) => {
    request.signal.throwIfAborted();
    let isBrokenOff = false;
    const answer = await app().fetch(request, { breakOff: () => void (isBrokenOff = true) });
    request.signal.throwIfAborted();
    if (!isBrokenOff) return answer;
    const cause = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", syscall: "read" });
    throw new TypeError("fetch failed", { cause });
  };
}
