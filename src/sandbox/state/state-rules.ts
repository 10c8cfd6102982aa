import { object } from "../../kernel/fields.js";
import * as z from "zod";
import type { Rule } from "../../domain/model/rule.js";
import { ruleSchema } from "./rule-schema.js";
import { renderThen } from "./render-rule.js";
import { checked, count, id, instant } from "./state-fields.js";
import { messagesOf } from "../../contract/parse.js";

/** A rule as a user would write it, with its place and how often it applied. */
export function ruleRow(): z.ZodType<Rule> {
  const kept = object({
    id,
    seq: count,
    createdAt: instant,
    timesLeft: count.nullable(),
    fired: count,
    rule: z.unknown(),
  });
  return z.codec(kept, checked<Rule>(), {
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
