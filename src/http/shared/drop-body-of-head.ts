import type { MiddlewareHandler } from "hono";
import type { HttpEnv } from "./env.js";

/** HEAD is answered as GET is, and nobody reads the body: a stream has to be told that, or it would go on for ever. */
export const dropBodyOfHead: MiddlewareHandler<HttpEnv> = async (c, next) => {
  await next();
  if (c.req.method === "HEAD") await c.res.body?.cancel();
};
