import { UsageError } from "../../kernel/messages/problem.js";
import { releaseHolds } from "./holds.js";
import type { Work } from "../model/work.js";
import type { Rule, RuleKind, RuleOn } from "../model/rule.js";
import { quote } from "../../kernel/messages/text.js";

/** A new rule. */
export type RuleOrder = {
  readonly [Kind in RuleKind]: Pick<RuleOn<Kind>, "on" | "name" | "match" | "then"> & { readonly times: number | null };
}[RuleKind];

/** Rules of one company. Each request, transfer, payment and delivery tries them one by one. */
export const RULES_MAX = 1_000;

/** Throws UsageError("state") when the company has `RULES_MAX` rules. */
export function addRule(work: Work, { times, ...order }: RuleOrder): Rule {
  const { world, at } = work;
  if (world.rules.size >= RULES_MAX) {
    const why = `a company has at most ${RULES_MAX} rules`;
    throw new UsageError(
      "state",
      `Failed to add the rule: ${why}. Remove one with DELETE /_sandbox/rules/:id, or all.`,
    );
  }
  const base = {
    id: work.ids.short("rul"),
    seq: work.nextSeq(),
    createdAt: at,
    timesLeft: times,
    fired: 0,
    matched: 0,
  };
  return work.put<Rule>(world.rules, { ...order, ...base });
}

/** Sends what it held back. */
export function removeRule(work: Work, id: string): void {
  if (work.world.rules.get(id) === undefined) throw new UsageError("not-found", `No rule has the id ${quote(id)}.`);
  work.remove(work.world.rules, id);
  releaseHolds(work, ({ ruleId }) => ruleId === id);
}

export function removeAllRules(work: Work): void {
  const ids = work.world.rules.values().map(({ id }) => id);
  for (const id of ids) removeRule(work, id);
}
