import type { Hono } from "hono";
import { Problem } from "../../kernel/messages/problem.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { HttpContext, HttpEnv } from "../shared/env.js";
import {
  type ExtraHeaders,
  describeProblem,
  namedCompany,
  recordExchange,
  respond,
  startRecord,
  tokenOf,
} from "./answer.js";
import { createEndpoint, createRateLimit } from "./endpoint.js";
import { operationIds, operations } from "../../contract/operations.js";
import { resemblesApiPath } from "../../contract/unknown-path.js";
import { handlers } from "./handlers.js";
import type { ProblemCode } from "../../domain/model/problem-codes.js";

/** Adds the contract's endpoints. Every other method on one of their paths is answered with 405 and `Allow`. */
export function addApiRoutes(app: Hono<HttpEnv>, sandbox: Sandbox): void {
  const deps = { sandbox, admit: createRateLimit() };
  for (const path of literalPathsFirst()) {
    const ids = operationIds.filter((id) => operations[id].path === path);
    const endpoints = new Map<string, Endpoint>(
      ids.map((id) => [operations[id].method, createEndpoint(deps, id, handlers[id])]),
    );
    const otherwise = methodNotAllowed(sandbox, [...endpoints.keys()]);
    const get = endpoints.get("GET");
    // "The HEAD method is identical to GET except that the server MUST NOT send content" (RFC 9110, 9.3.2).
    if (get !== undefined) endpoints.set("HEAD", get);
    app.all(path, (c) => (endpoints.get(c.req.method) ?? otherwise)(c));
  }
}

type Endpoint = (c: HttpContext) => Response | Promise<Response>;

/** `/v1/transactions/batch` must not be taken for `/v1/transactions/:id`. */
function literalPathsFirst(): ReadonlySet<string> {
  const paths = operationIds.map((id) => operations[id].path);
  return new Set(paths.toSorted((a, b) => Number(a.includes(":")) - Number(b.includes(":"))));
}

export function methodNotAllowed(sandbox: Sandbox, methods: readonly string[]): Endpoint {
  const allow = methods.join(", ");
  return (c) => {
    const message = `${c.req.method} is not a method of this path; it has ${allow}`;
    return refuseRoute(c, sandbox, "method_not_allowed", message, { allow });
  };
}

/** Answers 404 for an unknown path and 405 for an unknown method. A request that was meant for the API is recorded. */
export function refuseRoute(
  c: HttpContext,
  sandbox: Sandbox,
  code: "route_not_found" | "method_not_allowed",
  message: string,
  headers?: ExtraHeaders,
): Response {
  const record = startRecord(sandbox);
  const problem = new Problem<ProblemCode>(code, message);
  const company = namedCompany(c, sandbox);
  const answer = describeProblem(sandbox, company, c.req.path, problem, headers);
  if (isForApi(c)) {
    const token = tokenOf(c);
    // A request to an unknown route does not open a company.
    if (token !== undefined && sandbox.isTokenTaken(token)) record.company = sandbox.findByToken(token);
    recordExchange(c, sandbox, undefined, record, answer);
  }
  return respond(sandbox, company, answer);
}

/** Whether a request was meant for the API under test, even if its path does not exist. */
export function isForApi(c: HttpContext): boolean {
  const { path } = c.req;
  if (path.startsWith("/v1/")) return true;
  return !path.startsWith("/checkout/") && (tokenOf(c) !== undefined || resemblesApiPath(path));
}
