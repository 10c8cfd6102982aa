import type { ProblemCode } from "../../domain/model/problem-codes.js";
import { Problem } from "../../kernel/problem.js";
import type { Sandbox } from "../../sandbox/sandbox.js";
import type { HttpContext } from "../shared/env.js";
import { describeProblem, type ExtraHeaders, respond } from "./answer.js";
import { tokenOf } from "./authenticate.js";
import { beginSeen, tellExchange } from "./tell-exchange.js";

/** 404 for a path, 405 for a method, that the API does not have. What was meant for the API is told of as every other request is. */
export function refuseRoute(
  c: HttpContext,
  sandbox: Sandbox,
  code: "route_not_found" | "method_not_allowed",
  message: string,
  headers?: ExtraHeaders,
): Response {
  const seen = beginSeen(sandbox);
  const problem = new Problem<ProblemCode>(code, message);
  const answer = describeProblem(sandbox, undefined, c.req.path, problem, headers);
  if (c.req.path.startsWith("/v1/")) {
    const token = tokenOf(c);
    // A request that asks for nothing opens no company.
    if (token !== undefined && sandbox.isTokenTaken(token)) seen.company = sandbox.findByToken(token);
    tellExchange(c, sandbox, undefined, seen, answer);
  }
  return respond(sandbox, undefined, answer);
}
