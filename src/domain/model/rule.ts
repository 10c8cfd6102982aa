import type { Instant } from "../../kernel/time/instant.js";
import type { Row } from "../../kernel/records/table.js";

/** What the sandbox does instead of the ordinary: "A rule is `{name?, on, match?, then, times?}`". */
export type Rule = {
  readonly [On in RuleKind]: RuleBase & { readonly on: On; readonly then: RuleEffects[On] };
}[RuleKind];

export const ruleKinds = ["request", "transfer", "payment", "delivery"] as const;
export type RuleKind = (typeof ruleKinds)[number];
export type RuleOn<Kind extends RuleKind> = Extract<Rule, { readonly on: Kind }>;

interface RuleEffects {
  readonly request: RequestEffect;
  readonly transfer: TransferEffect;
  readonly payment: PaymentEffect;
  readonly delivery: DeliveryEffect;
}

interface RuleBase extends Row {
  readonly createdAt: Instant;
  readonly name: string | null;
  /** Partial and deep, with the matchers of scenarios; `{}` matches all. `nth` picks from what the other members match. */
  readonly match: RuleMatch;
  /** How many matched all but `nth`; 0 for a rule without it. */
  readonly matched: number;
  /** How often it still applies; null: without end. 0 only while it holds events that it began to hold (`reverse`, `hold`). */
  readonly timesLeft: number | null;
  /** How often it applied. */
  readonly fired: number;
}

/** The name of the rules by which an audit holds back the sandbox's own deliveries. They are not the user's, so coverage leaves them out. */
export const AUDIT_RULE = "held back by the audit";

/** Names the requests of an audit to the sandbox, so that they do not count as the client's. */
export const AUDIT_HEADER = "x-sandbox-audit";

export type RuleMatch = Readonly<Record<string, unknown>>;

export const requestFaults = ["reset", "hang", "empty", "malformed"] as const;
export type RequestFault = (typeof requestFaults)[number];

/** `on: request`: the answer of the API under test. */
export interface RequestEffect {
  /** Real time before the answer leaves, or, of a `hang`, before the sandbox gives up; ms. */
  readonly delayMs?: number | undefined;
  readonly status?: number | undefined;
  /** JSON, or text, sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fault?: RequestFault | undefined;
  /** "the work is done first and only the answer is lost". */
  readonly commit?: boolean | undefined;
  /** A transfer that has ended is shown as pending. */
  readonly stale?: boolean | undefined;
}

/** `on: transfer`: how a transfer ends. What is undefined stays as the number and the profile have it. */
interface TransferEffect {
  readonly outcome?: "completed" | "failed" | "pending" | undefined;
  /** Of a failure. */
  readonly reason?: string | undefined;
  /** On the company's clock, ms, whatever `transfers.settlement` says. */
  readonly afterMs?: number | undefined;
}

/** `on: payment`: how a payment of a charge ends. */
export interface PaymentEffect {
  readonly outcome?: "paid" | "failed" | undefined;
  /** Of a failed attempt. */
  readonly error?: string | undefined;
  /** "pay answers `due`, the result comes later and may lose against the drop"; on the company's clock, ms. */
  readonly afterMs?: number | undefined;
}

/** `on: delivery`: how an event reaches its receiver. */
export interface DeliveryEffect {
  readonly drop?: boolean | undefined;
  /** On the company's clock, ms. */
  readonly delayMs?: number | undefined;
  /** How many more of the same are sent. */
  readonly duplicate?: number | undefined;
  /** `first`: of several copies only the first. */
  readonly corruptSignature?: boolean | "first" | undefined;
  /** How many bytes of the body are sent; the signature is the whole body's. */
  readonly truncate?: number | undefined;
  /** In how many attempts, from the first, the signature or the body is wrong; undefined: all. */
  readonly attempts?: number | undefined;
  /** "the API's answer waits until the first attempt has ended". */
  readonly before?: "response" | undefined;
  /** How many acknowledgements of it are lost before one counts. */
  readonly loseAnswers?: number | undefined;
  /** Held until the resource's next event, until so many later webhooks, or until the rule is removed. Of several copies the first is not held. */
  readonly hold?: "next" | "end" | number | undefined;
  /** The resource's events are held until its last, then sent in reverse. */
  readonly reverse?: boolean | undefined;
}
