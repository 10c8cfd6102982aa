import { parseRequest } from "../../contract/parse.js";
import { addRule, removeAllRules, removeRule } from "../../domain/rules/change-rules.js";
import { renderRule } from "../../sandbox/state/rules.js";
import { ruleSchema } from "../../sandbox/state/rule-schema.js";
import { pagingParameters } from "./control-fields.js";
import { listOf, listQuery } from "./control-lists.js";
import type { ControlRoute } from "./control-route.js";

const listRequest = listQuery({});

/** How the world misbehaves: "the newest match wins; `times` counts down and the rule goes". */
export const rulesRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/rules",
    company: "selected",
    query: pagingParameters,
    // In the order in which they are asked.
    handle: ({ company: { world }, query }) =>
      listOf(world.rules, parseRequest(listRequest, query, "query"), { newestFirst: true }, renderRule),
  },
  {
    method: "POST",
    path: "/rules",
    company: "selected",
    takes: "json",
    success: 201,
    handle: ({ body, run }) => renderRule(run(addRule, parseRequest(ruleSchema, body))),
  },
  {
    method: "DELETE",
    path: "/rules",
    company: "selected",
    success: 204,
    handle: ({ run }) => run(removeAllRules, undefined),
  },
  {
    method: "DELETE",
    path: "/rules/:id",
    company: "selected",
    success: 204,
    handle: ({ id, run }) => run(removeRule, id),
  },
];
