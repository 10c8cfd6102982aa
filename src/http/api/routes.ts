import type { Hono } from "hono";
import { operationIds, operationOf } from "../../contract/operations.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { HttpContext, HttpEnv } from "../env.js";
import { createEndpoint } from "./endpoint.js";
import { handlers } from "./handlers.js";
import { createRateLimit } from "./rate-limit.js";
import { refuseRoute } from "./refuse-route.js";

/** The contract's endpoints, and for each of its paths 405 with `Allow` for every other method. */
export function addApiRoutes(app: Hono<HttpEnv>, sandbox: Sandbox): void {
  const deps = { sandbox, admit: createRateLimit() };
  const methodsOf = new Map<string, string[]>();
  for (const id of literalPathsFirst()) {
    const operation = operationOf(id);
    app.on(operation.method, operation.path, createEndpoint(deps, id, handlers[id]));
    methodsOf.set(operation.path, [...(methodsOf.get(operation.path) ?? []), operation.method]);
    const last = operationIds.filter((other) => operationOf(other).path === operation.path).at(-1) === id;
    if (last) app.all(operation.path, methodNotAllowed(sandbox, methodsOf.get(operation.path) ?? []));
  }
}

/** `/v1/transactions/batch` is a path of its own before it could be an identifier. */
function literalPathsFirst() {
  return operationIds.toSorted(
    (a, b) => Number(operationOf(a).path.includes(":")) - Number(operationOf(b).path.includes(":")),
  );
}

function methodNotAllowed(sandbox: Sandbox, methods: readonly string[]) {
  const allow = methods.join(", ");
  return (c: HttpContext): Response => {
    const message = `${c.req.method} is not a method of this path; it has ${allow}`;
    return refuseRoute(c, sandbox, "method_not_allowed", message, { allow });
  };
}
