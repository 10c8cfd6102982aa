import * as z from "zod";
import { count, id, object, storedInstant } from "../../kernel/fields.js";
import type { RuleOrder } from "../../domain/rules/change-rules.js";
import type { Rule } from "../../domain/model/rule.js";
import { storedRuleSchema } from "./rule-schema.js";
import { messagesOf } from "../../contract/parse.js";
import { formatDuration } from "../../kernel/time/duration.js";
import { toIso } from "../../kernel/time/instant.js";

/** A rule for display: `then` as a user would write it, `times` how often it still applies (null: always), `fired` how often it applied. */
export function renderRule(rule: Rule) {
  const { id, name, on, match, timesLeft, fired, createdAt } = rule;
  return { id, name, on, match, then: renderThen(rule), times: timesLeft, fired, createdAt: toIso(createdAt) };
}

export type RenderedRule = ReturnType<typeof renderRule>;

export function describeRule(rule: Rule): string {
  return describeRendered({ ...rule, then: renderThen(rule) });
}

/** Like {@link describeRule}, for a rule with a rendered `then`. */
export function describeRendered(rule: Pick<RenderedRule, "name" | "on" | "match" | "then">): string {
  const { name, on, match, then } = rule;
  if (name !== null) return `"${name}"`;
  return JSON.stringify({ on, ...(Object.keys(match).length === 0 ? {} : { match }), then });
}

/** A rule as a user would write it. */
export function renderOrder({ name, times, ...rule }: RuleOrder): unknown {
  const { on, match } = rule;
  const named = name === null ? {} : { name };
  return { ...named, on, match, then: renderThen(rule), ...(times === null ? {} : { times }) };
}

export function renderThen(rule: Pick<Rule, "then">): Readonly<Record<string, unknown>> {
  const { then } = rule;
  const { delayMs, afterMs, ...rest }: { delayMs?: number | undefined; afterMs?: number | undefined } = then;
  const shown = { ...rest, delay: shownDuration(delayMs), after: shownDuration(afterMs) };
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined));
}

function shownDuration(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : formatDuration(ms);
}

/** A stored rule: what a user would write, its place among the rules, and how often it applied. */
export const ruleRow: z.ZodType<Rule> = z.codec(
  object({
    id,
    seq: count,
    createdAt: storedInstant,
    timesLeft: count.nullable(),
    fired: count,
    matched: count.default(0),
    rule: z.unknown(),
  }),
  z.custom<Rule>(),
  {
    decode: ({ rule: written, ...row }, context) => {
      const parsed = storedRuleSchema.safeParse(written);
      if (!parsed.success) {
        for (const message of messagesOf(parsed.error.issues, written, "rule"))
          context.issues.push({ code: "custom", input: written, message, params: { sentence: true } });
        return z.NEVER;
      }
      const { times: _, ...rule } = parsed.data;
      return { ...rule, ...row };
    },
    encode: (rule) => {
      const { id, seq, createdAt, timesLeft, fired, matched } = rule;
      return { id, seq, createdAt, timesLeft, fired, matched, rule: renderOrder({ ...rule, times: null }) };
    },
  },
);
