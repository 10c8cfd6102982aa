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

/** The contract's open points as this company answers them, and its rules: "the newest match wins; `times` counts down and the rule goes". */
export const behaviourRoutes: readonly ControlRoute[] = [
  route("GET /profile", {}, ({ company }) => renderProfile(company)),
  route("PATCH /profile", { body: z.unknown() }, ({ company, body }) => {
    changeProfile(company, withoutSettings(body ?? null));
    return renderProfile(company);
  }),
  // In the order in which they are tried.
  listRoute("/rules", pageQuery, ({ company }) => ({
    rows: company.world.rules,
    newestFirst: true,
    render: renderRule,
  })),
  route("POST /rules", { body: ruleSchema, success: 201 }, ({ body, run }) => renderRule(run(addRule, body))),
  route("DELETE /rules", {}, ({ run }) => run(removeAllRules, undefined)),
  route("DELETE /rules/:id", {}, ({ id, run }) => run(removeRule, id)),
];

/** The values, nested, and beside them every setting with its default, its alternatives and the contract's sentence. */
function renderProfile(company: Company) {
  const values = profileValuesOf(company);
  return { ...values, settings: describeProfile(values) };
}

/** The answer of GET can be sent back unchanged. */
function withoutSettings(body: unknown): unknown {
  if (!isObject(body)) return body;
  const { settings: _, ...overrides } = body;
  return overrides;
}

/** Replays scenarios in this sandbox. The caller of `createApp` supplies it, because scenarios are a ring beside this one. */
export interface ScenarioReplayer {
  /**
   * `request`: a scenario as JSON, or `{file}`. Ends early when `ended` is aborted. Throws UsageError for one that is wrong, or may not be read, and when
   * too many run.
   */
  replay(request: unknown, ended: AbortSignal): Promise<unknown>;
}

/** Replays each scenario in a company of its own. A scenario that fails is an answer, and not an error. */
export function scenarioRoutes(replayer: ScenarioReplayer | undefined): readonly ControlRoute[] {
  if (replayer === undefined) return [];
  return [
    sandboxRoute("POST /scenarios/replay", { body: z.unknown() }, ({ body, ended }) => replayer.replay(body, ended())),
  ];
}
