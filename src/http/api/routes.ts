import type { Hono } from "hono";
import { operationIds, operationOf } from "../../contract/operations.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { HttpContext, HttpEnv } from "../shared/env.js";
import { createEndpoint } from "./endpoint.js";
import { handlers } from "./handlers.js";
import { createRateLimit } from "./rate-limit.js";
import { refuseRoute } from "./refuse-route.js";

/** The contract's endpoints, and for each of its paths 405 with `Allow` for every other method. One route for a path: of two, Hono would compose a chain. */
export function addApiRoutes(app: Hono<HttpEnv>, sandbox: Sandbox): void {
  const deps = { sandbox, admit: createRateLimit() };
  for (const path of literalPathsFirst()) {
    const ids = operationIds.filter((id) => operationOf(id).path === path);
    const endpoints = new Map<string, Endpoint>(
      ids.map((id) => [operationOf(id).method, createEndpoint(deps, id, handlers[id])]),
    );
    const otherwise = methodNotAllowed(sandbox, [...endpoints.keys()]);
    const get = endpoints.get("GET");
    // "The HEAD method is identical to GET except that the server MUST NOT send content" (RFC 9110, 9.3.2): Hono leaves that out.
    if (get !== undefined) endpoints.set("HEAD", get);
    app.all(path, (c) => (endpoints.get(c.req.method) ?? otherwise)(c));
  }
}

type Endpoint = (c: HttpContext) => Response | Promise<Response>;

/** `/v1/transactions/batch` is a path of its own before it could be an identifier. */
function literalPathsFirst(): ReadonlySet<string> {
  const paths = operationIds.map((id) => operationOf(id).path);
  return new Set(paths.toSorted((a, b) => Number(a.includes(":")) - Number(b.includes(":"))));
}

function methodNotAllowed(sandbox: Sandbox, methods: readonly string[]): Endpoint {
  const allow = methods.join(", ");
  return (c) => {
    const message = `${c.req.method} is not a method of this path; it has ${allow}`;
    return refuseRoute(c, sandbox, "method_not_allowed", message, { allow });
  };
}
