import type { HttpBindings } from "@hono/node-server";
import type { Context, MiddlewareHandler } from "hono";
import type { Connection } from "../../sandbox/company/exchange.js";
import type { Caller } from "./caller.js";

/** The server's reason for refusing something before the app sees it, such as bytes that are not a request. */
export interface Refused {
  readonly status: number;
  readonly message: string;
}

/** What the server passes on. A request that is made in process has no socket. */
export interface HttpEnv {
  Variables: {
    /** The id of the company that the call is about. */
    companyId?: string;
    /** Set by the guards of the control API and of the dashboard. */
    caller: Caller;
  };
  Bindings: Partial<HttpBindings> & {
    /** The address that the server listens on. */
    readonly boundTo?: string;
    readonly connection?: Connection;
    /** Resolves when it is this client's turn again. For a request that has waited for its body. */
    readonly takeTurn?: () => Promise<void>;
    /** Aborted when the server begins to stop. */
    readonly stopping?: AbortSignal;
    /** Ends the connection without an answer; with `reset` the client reads ECONNRESET. Earlier requests of the connection get their answers first. */
    readonly breakOff?: (fault: "reset" | "hang") => void;
    /** Set when the server refuses the request; the app makes the answer. */
    readonly refused?: Refused;
  };
}

export type HttpContext = Context<HttpEnv>;

/** A browser names text/html in `Accept`; a program that accepts anything does not. */
export function wantsPage(c: HttpContext): boolean {
  const accepted = c.req.header("accept")?.split(",") ?? [];
  return accepted.some((type) => /^\s*text\/html\s*(?:;|$)/i.test(type));
}

/**
 * A browser sends a form again by itself when a connection that it reuses is reset, so a rule that loses the answer would have no effect. Pages, and
 * all that they load, therefore close their connections.
 */
export const closeConnection: MiddlewareHandler<HttpEnv> = async (c, next) => {
  await next();
  c.header("connection", "close");
};

/** HEAD is answered as GET is, without the body. A stream would go on until it is cancelled. */
export const dropBodyOfHead: MiddlewareHandler<HttpEnv> = async (c, next) => {
  await next();
  if (c.req.method === "HEAD") await c.res.body?.cancel();
};
