import * as z from "zod";
import { requestFaults, type RuleKind, ruleKinds } from "../../domain/model/rule.js";
import { operations } from "../../contract/operations.js";
import type { RuleOrder } from "../../domain/rules/change-rules.js";
import { findTopic, topicSpellings } from "../../domain/values/topic.js";
import {
  duration,
  flag,
  HEADER_NAME,
  object,
  optional,
  recordOf,
  report,
  reportAll,
  text,
  wholeNumber,
  word,
} from "../../kernel/fields.js";
import { memberOf } from "../../kernel/messages/json.js";
import { isMatcher, matcherProblems } from "../../kernel/matchers.js";
import { nearest } from "../../kernel/messages/suggest.js";
import { quote } from "../../kernel/messages/text.js";

/** The longest delay of an answer, ms. It is low because an answer is delayed in real time. */
export const REAL_DELAY_MAX_MS = 10 * 60_000;
const DUPLICATES_MAX = 100;
const BODY_BYTES_MAX = 10_000_000;

export const pattern = z.unknown().superRefine((value, context) => {
  reportAll(context, matcherProblems(value));
});

export const pathPattern = pattern.refine(
  (value) => (typeof value === "string" ? value.startsWith("/") : isMatcher(value)),
  { error: "must begin with / as in /v1/charges/:id, or be a matcher such as {$regex}" },
);

/** The paths that rules apply to: those of operations and of the payment page. */
const ruledPaths: readonly string[] = [...new Set(Object.values(operations).map(({ path }) => path)), "/checkout/:id"];

/** A rule with a path that no operation has would never apply. */
const operationPath = pathPattern.superRefine((value, context) => {
  if (typeof value !== "string" || !value.startsWith("/") || ruledPaths.some((path) => mayMatch(path, value))) return;
  report(context, [], `must be the path of an operation, without the query${suggestionFor(value, ruledPaths)}`);
});

function mayMatch(path: string, template: string): boolean {
  const segments = template.split("/");
  const isSame = (segment: string, at: number): boolean =>
    segment === segments[at] || segment.startsWith(":") || segments[at]?.startsWith(":") === true;
  return segments.length === path.split("/").length && path.split("/").every(isSame);
}

const nthError = "must be a whole number from 1, or a matcher such as {$gte: 2}";
const nthPattern = pattern.refine((value) => isMatcher(value) || (Number.isSafeInteger(value) && Number(value) >= 1), {
  error: nthError,
});

const topicPattern = pattern.superRefine((value, context) => {
  if (typeof value !== "string" || findTopic(value) !== undefined) return;
  report(context, [], `must be one of ${topicSpellings.join(", ")}${suggestionFor(value, topicSpellings)}`);
});

// Node can send these safely: they have neither line ends nor other control characters.
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const headersError = "must be an object of header names to texts, without line ends";
/** The sandbox sets these itself, because they depend on the body. */
const OWN_HEADERS: ReadonlySet<string> = new Set(["content-length", "transfer-encoding", "connection", "trailer"]);

const headers = recordOf(z.string({ error: headersError }), headersError).superRefine((given, context) => {
  for (const [name, value] of Object.entries(given)) {
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) {
      report(context, [name], "must be a header's name and a text without line ends");
    } else if (OWN_HEADERS.has(name.toLowerCase())) {
      report(context, [name], "is set by the sandbox: it goes with the body");
    }
  }
});

const requestEffect = effect({
  delay: optional(
    duration(0, REAL_DELAY_MAX_MS),
    "How long the answer is delayed, in real time; with the fault hang, how long it hangs",
  ),
  status: optional(
    wholeNumber(200, 599),
    "The HTTP status of the answer; the request has no effect unless commit is true",
  ),
  body: optional(z.unknown(), "The body of the answer: JSON, or a text that is sent unchanged"),
  headers: optional(headers, "Headers to set on the answer: names to texts"),
  fault: optional(suggested(requestFaults), "How the answer breaks; the request has no effect unless commit is true"),
  commit: optional(flag, "Whether the request takes effect, so that only its answer is lost"),
  stale: optional(flag, "Whether a transfer that has ended is shown as pending"),
})
  .superRefine((then, context) => {
    forbid(context, then, "fault", ["status", "body", "headers"]);
    if (then.stale === true) forbid(context, then, "stale", ["status", "body", "headers", "fault", "commit"]);
    if (then.commit === true && Object.keys(then).length === 1) {
      const message = "needs a fault, a status, a body or a delay beside it";
      report(context, ["commit"], message);
    }
  })
  .transform(({ delay, ...then }) => ({ ...then, delayMs: delay }));

const transferEffect = effect({
  outcome: optional(suggested(["completed", "failed", "pending"]), "How the transfer ends"),
  reason: optional(
    text("the reason of the failure", 200),
    "The reason of a failed transfer (default recipient_unreachable)",
  ),
  after: optional(duration(), "How long after its creation the transfer ends, on the company's clock"),
})
  .superRefine(({ outcome, reason, after }, context) => {
    if (reason !== undefined && outcome !== "failed") report(context, ["reason"], "is only for outcome failed");
    if (after !== undefined && outcome === "pending") {
      report(context, ["after"], "does not go with outcome pending, which never ends by itself");
    }
  })
  .transform(({ after, ...then }) => ({ ...then, afterMs: after }));

const paymentEffect = effect({
  outcome: optional(suggested(["paid", "failed"]), "How the payment ends"),
  error: optional(
    text("the error of the failed attempt", 200),
    "The error of a failed payment (default payment_declined)",
  ),
  after: optional(duration(), "How long after the request the result comes, on the company's clock"),
})
  .superRefine(({ outcome, error }, context) => {
    if (error !== undefined && outcome !== "failed") report(context, ["error"], "is only for outcome failed");
  })
  .transform(({ after, ...then }) => ({ ...then, afterMs: after }));

const deliveryEffect = effect({
  drop: optional(flag, "Whether the webhook is dropped, so that it is never sent"),
  delay: optional(duration(), "How much later the webhook is sent, on the company's clock"),
  duplicate: optional(wholeNumber(1, DUPLICATES_MAX), "How many more times the webhook is sent"),
  corruptSignature: optional(
    z.union([flag, z.literal("first")], { error: "must be true, false or first" }),
    "Whether the signature is wrong; first: only the signature of the first copy",
  ),
  truncate: optional(
    wholeNumber(0, BODY_BYTES_MAX),
    "How many bytes of the body are sent; the signature is that of the whole body",
  ),
  attempts: optional(
    wholeNumber(1, 100),
    "How many attempts, from the first, have the wrong signature or body (default: all)",
  ),
  before: optional(suggested(["response"]), "response: the answer of the API waits until the first attempt has ended"),
  loseAnswers: optional(wholeNumber(1, 100), "How many acknowledgements are lost, so that the webhook is sent again"),
  hold: optional(
    z.union([wholeNumber(1, 1_000_000), z.enum(["next", "end"])], {
      error: "must be next, end or a whole number from 1",
    }),
    "next: held until the resource's next event; a number: for so many webhooks; end: until the rule is removed",
  ),
  reverse: optional(flag, "Whether the events of a resource are held until its last one, then sent in reverse order"),
})
  .superRefine((then, context) => {
    if (then.drop === true) {
      const { drop: _, ...others } = then;
      forbid(context, then, "drop", Object.keys(others));
    }
    if (then.reverse === true) forbid(context, then, "reverse", ["delay", "before", "hold"]);
    forbid(context, then, "hold", ["delay", "before"]);
    forbid(context, then, "delay", ["before"]);
    if (then.corruptSignature === "first" && then.duplicate === undefined)
      report(context, ["corruptSignature"], "first needs duplicate: there is no other copy");
    if (then.attempts !== undefined && then.truncate === undefined && then.corruptSignature === undefined)
      report(context, ["attempts"], "needs truncate or corruptSignature");
  })
  .transform(({ delay, ...then }) => ({ ...then, delayMs: delay }));

const STALE_PATH = "needs match.path /v1/transactions/:id: only the state of a transfer can be stale";

/** A rule `{name?, on, match?, then, times?}`, including those in stores and snapshots of earlier versions. Reports everything that is wrong at once. */
export const storedRuleSchema: z.ZodType<RuleOrder> = z
  .discriminatedUnion(
    "on",
    [
      ruleOn("request", "The rule changes an answer of the API", requestEffect, {
        method: pattern.meta({ description: "The HTTP method of the request, such as POST" }),
        path: operationPath.meta({
          description: "The path of the request, without the query; :id stands for one segment",
        }),
        query: pattern.meta({ description: "The query parameters: names to values" }),
        headers: pattern.meta({ description: "The headers of the request: names to values" }),
        body: pattern.meta({ description: "The parsed JSON body of the request" }),
      }),
      ruleOn("transfer", "The rule decides how a transfer ends", transferEffect, {
        msisdn: pattern.meta({ description: "The recipient's phone number, with or without prefix" }),
        amount: pattern.meta({ description: "The amount of the transfer, in XOF" }),
        reference: pattern.meta({ description: "The reference of the transfer" }),
      }),
      ruleOn("payment", "The rule decides how a payment of a charge ends", paymentEffect, {
        msisdn: pattern.meta({ description: "The phone number that pays, with or without prefix" }),
        amount: pattern.meta({ description: "The amount of the charge, in XOF" }),
        externalId: pattern.meta({ description: "The externalId of the charge" }),
      }),
      ruleOn("delivery", "The rule changes the delivery of a webhook", deliveryEffect, {
        topic: topicPattern.meta({ description: "The topic of the webhook, in the singular or plural spelling" }),
        url: pattern.meta({ description: "The URL that the webhook is sent to" }),
        data: pattern.meta({ description: "The data of the webhook: the charge or transaction that it is about" }),
      }),
    ],
    {
      error: ({ code, input }) => {
        if (code !== "invalid_union") return "must be a rule, an object such as {on, match, then}";
        return `must be one of ${ruleKinds.join(", ")}${suggestionFor(memberOf(input, "on"), ruleKinds)}`;
      },
    },
  )
  .superRefine((rule, context) => {
    const { path, nth } = { path: undefined, nth: undefined, ...rule.match };
    if (rule.on === "delivery" && rule.then.reverse === true && nth !== undefined)
      report(context, ["match", "nth"], "does not go with reverse: match the resource in data");
    const isOfTransfers =
      typeof path === "string" ? mayMatch(operations.getTransaction.path, path) : path !== undefined;
    if (rule.on === "request" && rule.then.stale === true && !isOfTransfers)
      report(context, ["then", "stale"], STALE_PATH);
  })
  .transform(({ name = null, times = null, ...rule }): RuleOrder => ({ ...rule, name, times }));

/** A rule as users write it now. Refuses a match that no request can fulfil. */
export const ruleSchema = storedRuleSchema.superRefine(({ match }, context) => {
  const isPlain = (name: string, type: string): boolean =>
    match[name] === undefined || typeof match[name] === type || isMatcher(match[name]);
  // Without quotes, YAML reads these as numbers.
  for (const name of ["msisdn", "reference", "externalId"])
    if (!isPlain(name, "string"))
      report(context, ["match", name], "must be a text in quotes, or a matcher such as {$regex}");
  if (!isPlain("amount", "number"))
    report(context, ["match", "amount"], "must be a number of XOF, or a matcher such as {$gte: 5000}");
  const path = match["path"];
  // No id contains a brace, as in OpenAPI, or an asterisk.
  if (typeof path === "string" && /[{}*]/.test(path))
    report(context, ["match", "path"], `must have :id in the place of an id${suggestionFor(path, ruledPaths)}`);
});

function ruleOn<const Kind extends RuleKind, Then extends z.ZodType, const Shape extends z.core.$ZodLooseShape>(
  kind: Kind,
  description: string,
  then: Then,
  looksAt: Shape,
) {
  return object({
    name: optional(text("a name", 200), "The name of the rule in reports"),
    times: optional(
      wholeNumber(1, 1_000_000),
      "How many times the rule applies before it is removed (default: always)",
    ),
    on: z.literal(kind).meta({ description }),
    match: object(
      { ...looksAt, nth: nthPattern.meta({ description: "Only the Nth, from 1, of what the other members match" }) },
      `an object with what it looks at: ${Object.keys(looksAt).join(", ")}`,
    )
      .partial()
      .optional()
      .meta({ description: "What the rule applies to: only the members given are compared (default: everything)" })
      .transform((given): Readonly<Record<string, unknown>> => given ?? {}),
    then,
  });
}

function suggested<const Word extends string>(words: readonly Word[]) {
  return word(words, { suggest: true });
}

function suggestionFor(given: unknown, words: readonly string[]): string {
  const meant = typeof given === "string" ? nearest(given, words) : undefined;
  return meant === undefined ? "" : ` (did you mean ${quote(meant)}?)`;
}

/** What happens. At least one member must be given. */
function effect<const Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const names = Object.keys(shape).join(", ");
  return object(shape, `an object with what happens: ${names}`).superRefine((then, context) => {
    if (Object.values(then).some((value) => value !== undefined && value !== false)) return;
    report(context, [], `must say what happens: at least one of ${names}`);
  });
}

function forbid(context: z.RefinementCtx, then: object, name: string, others: readonly string[]): void {
  if (Reflect.get(then, name) === undefined) return;
  for (const other of others) {
    const value: unknown = Reflect.get(then, other);
    if (value !== undefined && value !== false) report(context, [other], `does not go with ${name}`);
  }
}
