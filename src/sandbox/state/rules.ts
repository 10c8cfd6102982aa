import * as z from "zod";
import { object } from "../../kernel/fields.js";
import type { Rule } from "../../domain/model/rule.js";
import { ruleSchema } from "./rule-schema.js";
import { count, id, storedInstant } from "../../kernel/fields.js";
import { messagesOf } from "../../contract/parse.js";
import { formatDuration } from "../../kernel/duration.js";
import { toIso } from "../../kernel/instant.js";

/** A rule as it is shown: `then` as a user would write it, `times` what is left of it (null: without end), `fired` how often it applied. */
export function renderRule(rule: Rule) {
  const { id, name, on, match, timesLeft, fired, createdAt } = rule;
  return { id, name, on, match, then: renderThen(rule), times: timesLeft, fired, createdAt: toIso(createdAt) };
}

export type RenderedRule = ReturnType<typeof renderRule>;

/** By its name, or by what it does. */
export function describeRule(rule: Rule): string {
  return describeRendered({ ...rule, then: renderThen(rule) });
}

/** As {@link describeRule}, of a rule whose `then` is as a user would write it. */
export function describeRendered({
  name,
  on,
  match,
  then,
}: Pick<RenderedRule, "name" | "on" | "match" | "then">): string {
  if (name !== null) return `"${name}"`;
  return JSON.stringify({ on, ...(Object.keys(match).length === 0 ? {} : { match }), then });
}

export function renderThen(rule: Rule): Readonly<Record<string, unknown>> {
  const { then } = rule;
  const { delayMs, afterMs, ...rest }: { delayMs?: number | undefined; afterMs?: number | undefined } = then;
  const shown = { ...rest, delay: shownDuration(delayMs), after: shownDuration(afterMs) };
  return Object.fromEntries(Object.entries(shown).filter(([, value]) => value !== undefined));
}

function shownDuration(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : formatDuration(ms);
}

/** A rule as a user would write it, with its place and how often it applied. */
export function ruleRow(): z.ZodType<Rule> {
  const kept = object({
    id,
    seq: count,
    createdAt: storedInstant,
    timesLeft: count.nullable(),
    fired: count,
    rule: z.unknown(),
  });
  return z.codec(kept, z.custom<Rule>(), {
    decode: ({ rule: written, ...row }, context) => {
      const parsed = ruleSchema.safeParse(written);
      if (!parsed.success) {
        const messages = messagesOf(parsed.error.issues, written, "rule");
        for (const message of messages)
          context.issues.push({ code: "custom", input: written, message, params: { sentence: true } });
        return z.NEVER;
      }
      const { times: _, ...rule } = parsed.data;
      return { ...rule, ...row };
    },
    encode: (rule) => {
      const { id: ruleId, seq, createdAt, timesLeft, fired, name, on, match } = rule;
      const written = { ...(name === null ? {} : { name }), on, match, then: renderThen(rule) };
      return { id: ruleId, seq, createdAt, timesLeft, fired, rule: written };
    },
  });
}
