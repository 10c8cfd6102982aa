import * as z from "zod";
import { describeProfile } from "../../domain/profile/describe-profile.js";
import { addRule, removeAllRules, removeRule } from "../../domain/rules/change-rules.js";
import { isObject } from "../../kernel/messages/json.js";
import type { Company } from "../../sandbox/company/company.js";
import { ruleSchema } from "../../sandbox/state/rule-schema.js";
import { type ControlRoute, listRoute, pageQuery, route, sandboxRoute } from "./control-route.js";
import { profileValuesOf } from "./render-control.js";
import { changeProfile } from "../../sandbox/state/profile.js";
import { renderRule } from "../../sandbox/state/rules.js";

/** The company's settings for the contract's open points, and its rules: the newest rule that matches applies, until its `times` are used up. */
export const behaviourRoutes: readonly ControlRoute[] = [
  route("GET /profile", {}, ({ company }) => renderProfile(company)),
  route("PATCH /profile", { body: z.unknown() }, ({ company, body }) => {
    changeProfile(company, withoutSettings(body ?? null));
    return renderProfile(company);
  }),
  // Newest first: the order in which rules are tried.
  listRoute("/rules", pageQuery, ({ company }) => ({
    rows: company.world.rules,
    newestFirst: true,
    render: renderRule,
  })),
  route("POST /rules", { body: ruleSchema, success: 201 }, ({ body, run }) => renderRule(run(addRule, body))),
  route("DELETE /rules", {}, ({ run }) => run(removeAllRules, undefined)),
  route("DELETE /rules/:id", {}, ({ id, run }) => run(removeRule, id)),
];

/** The values, nested, and every setting with its default, its alternatives and the contract's sentence. */
function renderProfile(company: Company) {
  const values = profileValuesOf(company);
  return { ...values, settings: describeProfile(values) };
}

/** Lets a client send the answer of GET back unchanged. */
function withoutSettings(body: unknown): unknown {
  if (!isObject(body)) return body;
  const { settings: _, ...overrides } = body;
  return overrides;
}

/** Replays scenarios in this sandbox. The caller of `createApp` supplies it, because scenarios are a ring beside this one. */
export interface ScenarioReplayer {
  /**
   * `request` is a scenario as JSON, or `{file}`. Ends early when `ended` is aborted. Throws UsageError for a scenario that is wrong or may not be
   * read, and when too many run.
   */
  replay(request: unknown, ended: AbortSignal): Promise<unknown>;
}

/** Replays each scenario in a company of its own. A failed scenario is a normal answer, not an error. */
export function scenarioRoutes(replayer: ScenarioReplayer | undefined): readonly ControlRoute[] {
  if (replayer === undefined) return [];
  return [
    sandboxRoute("POST /scenarios/replay", { body: z.unknown() }, ({ body, ended }) => replayer.replay(body, ended())),
  ];
}
