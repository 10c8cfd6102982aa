import type { Work } from "../model/work.js";
import { hasNth, isNth, matchesRule, type RuleSubject } from "./match-rule.js";
import type { Rule, RuleKind, RuleOn } from "../model/rule.js";

/**
 * The rule that applies: the newest one that matches. Each use lowers `times`, and a used-up rule is removed. The use counts in the same unit of work
 * as its effect, so a request that is refused as a whole uses up nothing.
 */
export function useRule<Kind extends RuleKind>(
  work: Work,
  on: Kind,
  subject: () => RuleSubject<Kind>,
): RuleOn<Kind> | undefined {
  const rule = findRule(work, on, subject);
  if (rule !== undefined) countRule(work, rule);
  return rule;
}

/**
 * Like {@link useRule}, but without counting a use. A rule with `nth` counts what the rest of it matches, even when a newer rule applies. The subject
 * is only made when there is a rule of that kind.
 */
export function findRule<Kind extends RuleKind>(
  work: Work,
  on: Kind,
  subject: () => RuleSubject<Kind>,
  isLeft: (rule: RuleOn<Kind>) => boolean = ({ timesLeft }) => timesLeft !== 0,
): RuleOn<Kind> | undefined {
  const { effort } = work;
  const { rules } = work.world;
  if (rules.size === 0) return undefined;
  let seen: RuleSubject<Kind> | undefined;
  let found: RuleOn<Kind> | undefined;
  for (const rule of rules.values().toReversed()) {
    if (!isOn(rule, on) || (found !== undefined && !hasNth(rule.match))) continue;
    // Without this limit a thousand rules over thousands of webhooks would take seconds.
    if (!effort.take(undefined)) break;
    if (!isLeft(rule)) continue;
    if (!matchesRule<Kind>(rule, (seen ??= subject()), effort)) continue;
    const counted = hasNth(rule.match) ? work.put<Rule>(rules, { ...rule, matched: rule.matched + 1 }) : rule;
    if (found === undefined && isOn(counted, on) && isNth(counted, effort)) found = counted;
  }
  return found;
}

function isOn<Kind extends RuleKind>(rule: Rule, on: Kind): rule is RuleOn<Kind> {
  return rule.on === on;
}

/**
 * Counts one use. The use is stored before a used-up rule is removed, so that the changes show it. A rule that still holds events (`reverse`, `hold`)
 * is removed once it has released them.
 */
export function countRule(work: Work, rule: Rule): void {
  const timesLeft = rule.timesLeft === null ? null : rule.timesLeft - 1;
  work.put(work.world.rules, { ...rule, timesLeft, fired: rule.fired + 1 });
  if (timesLeft === 0 && !isHolding(rule)) work.remove(work.world.rules, rule.id);
}

export function isHolding(rule: Rule): rule is RuleOn<"delivery"> {
  return rule.on === "delivery" && (rule.then.reverse === true || rule.then.hold !== undefined);
}
