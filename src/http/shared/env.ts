import type { Context } from "hono";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Malformed } from "../server/refuse-malformed.js";

/** What the server passes on; a request that is made in process has neither. */
export interface HttpEnv {
  Bindings: {
    readonly incoming?: IncomingMessage;
    readonly outgoing?: ServerResponse;
    /** The address that the server was told to listen on. */
    readonly boundTo?: string;
    /** Aborted when the server begins to stop: what only waits should end. */
    readonly stopping?: AbortSignal;
    /** There is no request: the server asks how to say so. */
    readonly malformed?: Malformed;
  };
}

export type HttpContext = Context<HttpEnv>;
