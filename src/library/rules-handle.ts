import type { DurationInput } from "../domain/profile/profile.js";
import { messagesOf } from "../contract/parse.js";
import { type RuleOrder, addRule, removeAllRules, removeRule } from "../domain/rules/change-rules.js";
import type { Rule as DomainRule } from "../domain/model/rule.js";
import { UsageError } from "../kernel/messages/problem.js";
import type { Company } from "../sandbox/company/company.js";
import { renderRule } from "../sandbox/state/rules.js";
import { ruleSchema } from "../sandbox/state/rule-schema.js";
import type { TopicName } from "./webhook-events.js";

/** Rules that cause failures on demand in a company. The newest rule that matches applies. Each use lowers `times`, and a used-up rule is removed. */
export interface RulesHandle {
  /**
   * Applies from the next request on. Throws `UsageError` with everything that is wrong with the rule.
   *
   * @example
   * ```ts
   * // The charge is created and its webhook is enqueued, but the answer is lost.
   * sandbox.rules.add({ on: "request", match: { path: "/v1/charges" }, then: { fault: "reset", commit: true }, times: 1 });
   * ```
   */
  add(rule: RuleInput): Rule;
  /** Newest first, the order in which they are matched. */
  list(): readonly Rule[];
  /** Removes a rule, and sends the webhooks that it held back (`reverse`, `hold`). Throws `UsageError` for an unknown rule. */
  remove(id: string): void;
  /** Removes all rules. */
  clear(): void;
}

/** An active rule. */
export interface Rule {
  readonly id: string;
  readonly name: string | null;
  readonly on: RuleInput["on"];
  readonly match: Readonly<Record<string, unknown>>;
  /** The effect as it was given, with durations as texts. */
  readonly then: Readonly<Record<string, unknown>>;
  /** How many more times it applies; null means always. */
  readonly times: number | null;
  /** How many times it has applied. */
  readonly fired: number;
  readonly createdAt: Date;
}

export type RuleInput = RequestRuleInput | TransferRuleInput | PaymentRuleInput | DeliveryRuleInput;

interface RuleInputBase {
  readonly name?: string;
  /** How many times it applies before it is removed. Default: always. */
  readonly times?: number;
}

/** A test of a value. */
export interface Matcher {
  readonly $regex?: string;
  readonly $type?: "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";
  /** Numbers are compared as numbers, texts (such as ISO 8601 times) by their characters. */
  readonly $gt?: number | string;
  readonly $gte?: number | string;
  readonly $lt?: number | string;
  readonly $lte?: number | string;
  readonly $in?: readonly unknown[];
  /** The length of a text or a list, or a matcher for it. */
  readonly $length?: number | Matcher;
  /** A part of a text, or an element of a list. */
  readonly $contains?: unknown;
  readonly $absent?: true;
  readonly $any?: true;
  readonly $exact?: unknown;
}

/** The value, or a matcher for it. */
type Pattern<T> = T | Matcher;

interface Nth {
  /** Matches only the Nth, from 1, of what the other members have matched since the rule was added. */
  readonly nth?: Pattern<number>;
}

/** Partial and deep: only the named members of an object are compared. */
type DeepPattern =
  | string
  | number
  | boolean
  | null
  | Matcher
  | readonly unknown[]
  | { readonly [name: string]: unknown };

/** Changes an answer of the API. */
export interface RequestRuleInput extends RuleInputBase {
  readonly on: "request";
  readonly match?: Nth & {
    readonly method?: Pattern<string>;
    /** Without the query; `:id` matches one segment. */
    readonly path?: Pattern<string>;
    readonly query?: Matcher | Readonly<Record<string, Pattern<string>>>;
    readonly headers?: Matcher | Readonly<Record<string, Pattern<string>>>;
    readonly body?: DeepPattern;
  };
  readonly then: {
    /** A delay in real time. */
    readonly delay?: DurationInput;
    readonly status?: number;
    readonly body?: unknown;
    readonly headers?: Readonly<Record<string, string>>;
    readonly fault?: "reset" | "hang" | "empty" | "malformed";
    /** Whether the request takes effect, so that only its answer is lost. */
    readonly commit?: boolean;
    /** Whether a transfer that has ended is shown as pending. Needs `path: "/v1/transactions/:id"`. */
    readonly stale?: boolean;
  };
}

/** Chooses the outcome of a transfer. Amounts in XOF. */
export interface TransferRuleInput extends RuleInputBase {
  readonly on: "transfer";
  readonly match?: Nth & {
    readonly msisdn?: Pattern<string>;
    readonly amount?: Pattern<number>;
    readonly reference?: Pattern<string>;
  };
  readonly then: {
    readonly outcome?: "completed" | "failed" | "pending";
    /** The reason of a failure. Default `recipient_unreachable`. */
    readonly reason?: string;
    /** On the company's clock. */
    readonly after?: DurationInput;
  };
}

/** Chooses the outcome of a payment of a charge. Amounts in XOF. */
export interface PaymentRuleInput extends RuleInputBase {
  readonly on: "payment";
  readonly match?: Nth & {
    readonly msisdn?: Pattern<string>;
    readonly amount?: Pattern<number>;
    readonly externalId?: Pattern<string>;
  };
  readonly then: {
    readonly outcome?: "paid" | "failed";
    /** The error of a failed attempt. Default `payment_declined`. */
    readonly error?: string;
    /** On the company's clock. The answer is `due`, and the result comes later, possibly after the charge was dropped. */
    readonly after?: DurationInput;
  };
}

/** Changes the delivery of a webhook. */
export interface DeliveryRuleInput extends RuleInputBase {
  readonly on: "delivery";
  readonly match?: Nth & {
    readonly topic?: Pattern<TopicName>;
    readonly url?: Pattern<string>;
    readonly data?: DeepPattern;
  };
  readonly then: {
    readonly drop?: boolean;
    /** On the company's clock. */
    readonly delay?: DurationInput;
    /** The number of extra copies. */
    readonly duplicate?: number;
    /** With `first`, only the first copy of `duplicate` has a wrong signature. */
    readonly corruptSignature?: boolean | "first";
    /** How many bytes of the body are sent. The signature is that of the whole body. */
    readonly truncate?: number;
    /** In how many attempts, counted from the first, the signature or the body is wrong. Default: all. */
    readonly attempts?: number;
    /** The API's answer waits until the first attempt has ended, at most `webhooks.timeout`. */
    readonly before?: "response";
    /** How many acknowledgements are lost, so that the webhook is sent again. */
    readonly loseAnswers?: number;
    /**
     * Held until the resource's next event, until this many later webhooks, or until the rule is removed. With `duplicate`, the first copy is sent at
     * once and the others are held.
     */
    readonly hold?: "next" | "end" | number;
    /** The events of a resource are held until the last one, then sent in reverse order. */
    readonly reverse?: boolean;
  };
}

export function createRulesHandle(company: () => Company): RulesHandle {
  return {
    add: (rule) => render(company().run(addRule, parseRule(rule, "add the rule"))),
    list: () => company().world.rules.values().toReversed().map(render),
    remove: (id) => company().run(removeRule, id),
    clear: () => company().run(removeAllRules, undefined),
  };
}

/** Throws UsageError("input") with all problems of the rule. */
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
