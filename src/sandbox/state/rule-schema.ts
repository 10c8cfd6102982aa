import { object } from "../../kernel/fields.js";
import * as z from "zod";
import type { RuleOrder } from "../../domain/rules/change-rules.js";
import { requestFaults, ruleKinds } from "../../domain/rules/rule.js";
import { MAX_DURATION_MS } from "../../kernel/duration.js";
import { lazily } from "../../kernel/lazily.js";
import { quote } from "../../kernel/quote.js";
import { nearest } from "../../kernel/suggest.js";
import {
  duration,
  flag,
  headers,
  pathPattern,
  pattern,
  reason,
  topicPattern,
  wholeNumber,
  word,
} from "./rule-fields.js";

/** A slow answer is no hour. */
const REAL_DELAY_MAX_MS = 10 * 60_000;
const DUPLICATES_MAX = 100;
const BODY_BYTES_MAX = 10_000_000;

const companyDelay = () => duration(MAX_DURATION_MS);

const requestEffect = () =>
  effect({
    delay: duration(REAL_DELAY_MAX_MS)
      .optional()
      .meta({ description: "Real time before the answer; of a hang, its end" }),
    status: wholeNumber(200, 599).optional().meta({ description: "Answers so, and does nothing unless commit" }),
    body: z.unknown().optional().meta({ description: "JSON, or a text that is sent as it is" }),
    headers: headers().optional().meta({ description: "Names to texts" }),
    fault: word(requestFaults)
      .optional()
      .meta({ description: "Breaks the answer off, and does nothing unless commit" }),
    commit: flag().optional().meta({ description: "The work is done first and only the answer is lost" }),
  })
    .superRefine((then, context) => {
      forbid(context, then, "fault", ["status", "body", "headers"]);
      if (then.commit === true && Object.keys(then).length === 1) {
        complain(context, "commit", "needs what becomes of the answer beside it: a fault, a status, a body or a delay");
      }
    })
    .transform(({ delay, ...then }) => ({ ...then, delayMs: delay }));

const transferEffect = () =>
  effect({
    outcome: word(["completed", "failed", "pending"]).optional().meta({ description: "How the transfer ends" }),
    reason: reason("the reason of the failure").optional().meta({ description: "Of a failure" }),
    after: companyDelay().optional().meta({ description: "When it ends, on the company's clock" }),
  })
    .superRefine((then, context) => {
      if (then.reason !== undefined && then.outcome !== "failed")
        complain(context, "reason", "is only for outcome failed");
      if (then.after !== undefined && then.outcome === "pending") {
        complain(context, "after", "does not go with outcome pending, which never ends by itself");
      }
    })
    .transform(({ after, ...then }) => ({ ...then, afterMs: after }));

const paymentEffect = () =>
  effect({
    outcome: word(["paid", "failed"]).optional().meta({ description: "How the payment ends" }),
    error: reason("the error of the failed attempt").optional().meta({ description: "Of a failed attempt" }),
    after: companyDelay().optional().meta({ description: "When its result comes, on the company's clock" }),
  })
    .superRefine((then, context) => {
      if (then.error !== undefined && then.outcome !== "failed")
        complain(context, "error", "is only for outcome failed");
    })
    .transform(({ after, ...then }) => ({ ...then, afterMs: after }));

const deliveryEffect = () =>
  effect({
    drop: flag().optional().meta({ description: "It is never sent" }),
    delay: companyDelay().optional().meta({ description: "It is sent so much later, on the company's clock" }),
    duplicate: wholeNumber(1, DUPLICATES_MAX).optional().meta({ description: "It is sent so many more times" }),
    corruptSignature: flag().optional().meta({ description: "Its signature looks right and is not" }),
    truncate: wholeNumber(0, BODY_BYTES_MAX)
      .optional()
      .meta({ description: "How many bytes of its body are sent, under the signature of the whole" }),
    before: word(["response"])
      .optional()
      .meta({ description: "The API's answer waits until the first attempt has ended" }),
    reverse: flag()
      .optional()
      .meta({ description: "The resource's events are held until its last, then sent one after another in reverse" }),
  })
    .superRefine((then, context) => {
      if (then.drop === true)
        forbid(context, then, "drop", ["delay", "duplicate", "corruptSignature", "truncate", "before", "reverse"]);
      if (then.reverse === true) forbid(context, then, "reverse", ["delay", "before"]);
      forbid(context, then, "delay", ["before"]);
    })
    .transform(({ delay, ...then }) => ({ ...then, delayMs: delay }));

const nameError = "must be a name, a string of 1 to 200 characters that is not blank";
const common = () => ({
  name: z
    .string({ error: nameError })
    .regex(/\S/, { error: nameError })
    .max(200, { error: nameError })
    .optional()
    .meta({ description: "What it is called in reports" }),
  times: wholeNumber(1, 1_000_000).optional().meta({ description: "How often it applies; without it, always" }),
});

const whole = () =>
  z.discriminatedUnion(
    "on",
    [
      object({
        ...common(),
        on: z.literal("request").meta({ description: "An answer of the API" }),
        match: match({
          method: pattern().meta({ description: "GET, POST, …" }),
          path: pathPattern().meta({ description: "Without the query; :id stands for one segment" }),
          query: pattern().meta({ description: "Names to values" }),
          headers: pattern().meta({ description: "Names to values" }),
          body: pattern().meta({ description: "The parsed JSON" }),
        }),
        then: requestEffect(),
      }),
      object({
        ...common(),
        on: z.literal("transfer").meta({ description: "How a transfer ends" }),
        match: match({
          msisdn: pattern().meta({ description: "In any spelling" }),
          amount: pattern().meta({ description: "XOF" }),
          reference: pattern().meta({ description: "The caller's" }),
        }),
        then: transferEffect(),
      }),
      object({
        ...common(),
        on: z.literal("payment").meta({ description: "How a payment of a charge ends" }),
        match: match({
          msisdn: pattern().meta({ description: "In any spelling" }),
          amount: pattern().meta({ description: "XOF" }),
          externalId: pattern().meta({ description: "The caller's" }),
        }),
        then: paymentEffect(),
      }),
      object({
        ...common(),
        on: z.literal("delivery").meta({ description: "How a webhook reaches its receiver" }),
        match: match({
          topic: topicPattern().meta({ description: "In either spelling" }),
          url: pattern().meta({ description: "The subscriber's" }),
          data: pattern().meta({ description: "The charge or transaction that it tells of" }),
        }),
        then: deliveryEffect(),
      }),
    ],
    {
      error: ({ code, input }) => {
        if (code !== "invalid_union") return "must be a rule, an object such as {on, match, then}";
        const given: unknown = typeof input === "object" && input !== null ? Reflect.get(input, "on") : undefined;
        const meant = typeof given === "string" ? nearest(given, ruleKinds) : undefined;
        return `must be one of ${ruleKinds.join(", ")}${meant === undefined ? "" : ` (did you mean ${quote(meant)}?)`}`;
      },
    },
  );

/** `{name?, on, match?, then, times?}`, with everything that is wrong said at once. */
export const ruleSchema = lazily((): z.ZodType<RuleOrder> =>
  whole().transform(({ name = null, times = null, ...rule }): RuleOrder => ({ ...rule, name, times })),
);

/** What happens; something has to. */
function effect<const Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return object(shape, `must be an object with what happens: ${Object.keys(shape).join(", ")}`).superRefine(
    (then, context) => {
      if (Object.values(then).some((value) => value !== undefined && value !== false)) return;
      const message = `must say what happens: at least one of ${Object.keys(shape).join(", ")}`;
      context.addIssue({ code: "custom", message });
    },
  );
}

function match<const Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const names = Object.keys(shape).join(", ");
  return object(shape, `must be an object with what it looks at: ${names}`)
    .partial()
    .optional()
    .meta({ description: "What it looks at, partially; without it all" })
    .transform((given): Readonly<Record<string, unknown>> => given ?? {});
}

function forbid(context: z.RefinementCtx, then: object, name: string, others: readonly string[]): void {
  if (Reflect.get(then, name) === undefined) return;
  for (const other of others) {
    const value: unknown = Reflect.get(then, other);
    if (value !== undefined && value !== false) complain(context, other, `does not go with ${name}`);
  }
}

function complain(context: z.RefinementCtx, name: string, message: string): void {
  context.addIssue({ code: "custom", path: [name], message });
}
