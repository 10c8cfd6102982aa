import type { Context } from "hono";
import type { IncomingMessage, ServerResponse } from "node:http";

/** What the server passes on; a request that is made in process has neither. */
export interface HttpEnv {
  Bindings: { readonly incoming?: IncomingMessage; readonly outgoing?: ServerResponse };
}

export type HttpContext = Context<HttpEnv>;
