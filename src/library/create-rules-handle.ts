import { messagesOf } from "../contract/parse.js";
import { addRule, removeAllRules, removeRule, type RuleOrder } from "../domain/rules/change-rules.js";
import type { Rule as DomainRule } from "../domain/model/rule.js";
import { UsageError } from "../kernel/problem.js";
import type { Company } from "../sandbox/company/company.js";
import { renderRule } from "../sandbox/state/rules.js";
import { ruleSchema } from "../sandbox/state/rule-schema.js";
import type { Rule, RulesHandle } from "./rules-handle.js";

export function createRulesHandle(company: () => Company): RulesHandle {
  return {
    add: (rule) => render(company().run(addRule, parseRule(rule, "add the rule"))),
    list: () => company().world.rules.values().toReversed().map(render),
    remove: (id) => company().run(removeRule, id),
    clear: () => company().run(removeAllRules, undefined),
  };
}

/** Throws UsageError("input") with everything that is wrong. */
export function parseRule(rule: unknown, what: string): RuleOrder {
  const parsed = ruleSchema.safeParse(rule);
  if (parsed.success) return parsed.data;
  const messages = messagesOf(parsed.error.issues, rule, "rule");
  throw new UsageError(
    "input",
    messages.map((message) => `Failed to ${what}: ${message}${/[.?!]$/.test(message) ? "" : "."}`),
  );
}

function render(rule: DomainRule): Rule {
  return { ...renderRule(rule), createdAt: new Date(rule.createdAt) };
}
