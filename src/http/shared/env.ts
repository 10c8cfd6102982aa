import type { HttpBindings } from "@hono/node-server";
import type { Context } from "hono";
import type { Malformed } from "../server/refuse-malformed.js";

/** What the server passes on; a request that is made in process has no socket. */
export interface HttpEnv {
  Bindings: Partial<HttpBindings> & {
    /** The address that the server listens on. */
    readonly boundTo?: string;
    /** Aborted when the server begins to stop. */
    readonly stopping?: AbortSignal;
    /** Ends the connection without an answer, `reset` so that the client reads ECONNRESET. */
    readonly breakOff?: (fault: "reset" | "hang") => void;
    /** There is no request: the server asks how to refuse what came. */
    readonly malformed?: Malformed;
  };
}

export type HttpContext = Context<HttpEnv>;
