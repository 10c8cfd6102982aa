import type { Instant } from "../../kernel/time/instant.js";
import type { Row } from "../../kernel/records/table.js";

/** A rule that makes the sandbox differ from its ordinary behaviour. A user writes it as `{name?, on, match?, then, times?}`. */
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
  /** Partial and deep, with the matchers of scenarios; `{}` matches everything. `nth` picks from what the other members match. */
  readonly match: RuleMatch;
  /** How many subjects matched everything but `nth`; 0 for a rule without `nth`. */
  readonly matched: number;
  /** How often the rule still applies; null means without end. 0 only while the rule holds events that it has begun to hold (`reverse`, `hold`). */
  readonly timesLeft: number | null;
  /** How often the rule has applied. */
  readonly fired: number;
}

/** The name of the rules by which an audit holds back the sandbox's own deliveries. They are not the user's, so coverage leaves them out. */
export const AUDIT_RULE = "held back by the audit";

/** Marks the requests of an audit to the sandbox, so that they do not count as the client's. */
export const AUDIT_HEADER = "x-sandbox-audit";

export type RuleMatch = Readonly<Record<string, unknown>>;

export const requestFaults = ["reset", "hang", "empty", "malformed"] as const;
export type RequestFault = (typeof requestFaults)[number];

/** `on: request` changes the answer of the API under test. */
export interface RequestEffect {
  /** Real time before the answer is sent or, for a `hang`, before the sandbox gives up; ms. */
  readonly delayMs?: number | undefined;
  readonly status?: number | undefined;
  /** JSON; a text is sent unchanged. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fault?: RequestFault | undefined;
  /** Whether the work is done first, so that only the answer is lost. */
  readonly commit?: boolean | undefined;
  /** Whether a transfer that has ended is shown as pending. */
  readonly stale?: boolean | undefined;
}

/** `on: transfer` decides how a transfer ends. Undefined members leave the decision to the number and the profile. */
interface TransferEffect {
  readonly outcome?: "completed" | "failed" | "pending" | undefined;
  /** The reason of a failure. */
  readonly reason?: string | undefined;
  /** Overrides `transfers.settlement`; ms of the company's clock. */
  readonly afterMs?: number | undefined;
}

/** `on: payment` decides how a payment of a charge ends. */
export interface PaymentEffect {
  readonly outcome?: "paid" | "failed" | undefined;
  /** The error of a failed attempt. */
  readonly error?: string | undefined;
  /** The result comes after this time, and the charge may be dropped before that; ms of the company's clock. */
  readonly afterMs?: number | undefined;
}

/** `on: delivery` decides how an event reaches its receiver. */
export interface DeliveryEffect {
  readonly drop?: boolean | undefined;
  /** On the company's clock, ms. */
  readonly delayMs?: number | undefined;
  /** How many additional copies are sent. */
  readonly duplicate?: number | undefined;
  /** `first` corrupts only the first of several copies. */
  readonly corruptSignature?: boolean | "first" | undefined;
  /** How many bytes of the body are sent. The signature is still that of the whole body. */
  readonly truncate?: number | undefined;
  /** In how many attempts, counted from the first, the signature or the body is wrong; undefined means in all. */
  readonly attempts?: number | undefined;
  /** The API's answer waits until the first attempt has ended. */
  readonly before?: "response" | undefined;
  /** How many acknowledgements are lost before one counts. */
  readonly loseAnswers?: number | undefined;
  /** Held until the resource's next event, until this many later webhooks, or until the rule is removed. The first of several copies is not held. */
  readonly hold?: "next" | "end" | number | undefined;
  /** The resource's events are held until its last one, then sent in reverse order. */
  readonly reverse?: boolean | undefined;
}
