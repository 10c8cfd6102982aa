import type { ChargeEvent } from "./profile.js";

/**
 * Settings as a user writes them, nested: in a profile file, in PATCH /_sandbox/profile, in `createSandbox({ profile })`. What is not given, and what is
 * null, keeps its default. `sandbox profile` prints each one with its alternatives and the sentence of the contract that leaves it open.
 *
 * Written out, not inferred from the schemas, so that an editor explains each one and the published types need no package; a test holds it against
 * the schemas.
 */
export interface ProfileInput {
  /** Statuses of success. */
  readonly http?: {
    /** Of creations: a charge, a transaction, a batch, a subscription. Default 201. */
    readonly createdStatus?: 200 | 201 | null;
    /** Of pay and refund. Default 200. */
    readonly actionStatus?: 200 | 201 | null;
  } | null;
  readonly auth?: {
    /** Where `X-Company-Id` is wanted. Default `charges`: on charge creation, and checked wherever it is present. */
    readonly companyHeader?: "charges" | "everywhere" | "ignored" | null;
  } | null;
  readonly errors?: {
    /** Default `envelope`; `message` is `{"message": "…"}`. */
    readonly shape?: "envelope" | "message" | null;
  } | null;
  /** Money out. */
  readonly transfers?: TransfersInput | null;
  readonly batch?: {
    /** Default 500. */
    readonly maxItems?: number | null;
    /** Whether an item must carry `type`. Default `optional`. */
    readonly itemType?: "optional" | "required" | null;
    /** The status of a batch whose transactions are all final, seen in the control API only. Default `completed`. */
    readonly finalStatus?: string | null;
  } | null;
  /** Money in. */
  readonly charges?: ChargesInput | null;
  readonly refunds?: {
    /** A refund after a partial one. Default `allowed`, until the paid amount is used up. */
    readonly further?: "allowed" | "refused" | null;
    /** A refund that the balance does not cover. Default `allow`; `reject` is 422. */
    readonly insufficientBalance?: "allow" | "reject" | null;
  } | null;
  readonly customers?: {
    /** What the check says of a number that nobody has registered. Default `unknown`; `generated` is a made-up person. */
    readonly unlisted?: "unknown" | "generated" | null;
    /** Default `accepted`, without effect; `refused` is 400. */
    readonly subCompanyId?: "accepted" | "refused" | null;
  } | null;
  readonly webhooks?: WebhooksInput | null;
  readonly paging?: {
    /** Items of a page when the query does not say, 1 to 100. Default 15. */
    readonly limit?: number | null;
  } | null;
  /** At most `requests` in any span of `per`, then 429 with `Retry-After`. Default `off`. */
  readonly rateLimit?: "off" | false | { readonly requests: number; readonly per: DurationInput } | null;
  readonly server?: {
    /** The largest request body, bytes; a larger one is 413. Default 1 048 576. */
    readonly bodyLimit?: number | null;
  } | null;
  /** Phone numbers that decide what becomes of a transfer, a payment or a check. */
  readonly testNumbers?:
    | {
        readonly [Role in "success" | "failure" | "pending" | "late" | "silent" | "limit" | "refused" | "unverified"]?:
          | string
          | null;
      }
    | null;
}

/** `10s`, `1h30m`, `PT1H`, or a number of milliseconds. */
export type DurationInput = string | number;

export interface TransfersInput {
  /** The smallest amount, XOF, inclusive; batch items obey the same. Default 5000. */
  readonly min?: number | null;
  /** The largest amount, XOF, inclusive. Default 500 000. */
  readonly max?: number | null;
  /** amount × `rate` + `fixed` (XOF), rounded to `decimals`. Default `{ rate: 0.01, fixed: 0, decimals: 2 }`; what is not given of it is the default's. */
  readonly fee?: {
    readonly rate?: number | undefined;
    readonly fixed?: number | undefined;
    readonly decimals?: number | undefined;
  } | null;
  /** When a transfer becomes final. Default `{ after: "2s" }` on the company's clock; `{ polls: n }` on the n-th GET of it; `manual` by the control API. */
  readonly settlement?: "immediate" | "manual" | { readonly after: DurationInput } | { readonly polls: number } | null;
  /** A transfer under a reference that is taken. Default `conflict`: 409. */
  readonly duplicateReference?: "conflict" | "allow" | null;
  /** A transfer that the balance does not cover. Default `reject`: 422, nothing stored. `fail`: accepted, then failed. */
  readonly insufficientBalance?: "reject" | "fail" | null;
  /** When the balance pays. Default `at-creation`, given back on failure. */
  readonly debit?: "at-creation" | "on-completion" | null;
  /** Ids in webhooks. Default `plain`: without `txn_` and `bat_`. */
  readonly webhookId?: "plain" | "prefixed" | null;
}

export interface ChargesInput {
  /** The smallest amount, XOF, inclusive. Default 1. */
  readonly min?: number | null;
  /** The largest amount, XOF, inclusive. Default 200 000 000. */
  readonly max?: number | null;
  /** After which an unpaid charge is dropped, on the company's clock. Default `1h`. */
  readonly ttl?: DurationInput | null;
  /** `createdAt` in the creation answer. Default `compact`: `20250128T083908.249Z`. */
  readonly createdAtFormat?: "compact" | "iso" | null;
  /** The status in the creation answer. Default `created`, though a GET right after shows `due`. */
  readonly creationStatus?: "created" | "due" | null;
  /** amount × `rate`, rounded to `decimals`. Default `{ rate: 0.01, decimals: 0, credit: "full" }`: shown in `fees`, and the account is credited in full. */
  readonly fee?: {
    readonly rate?: number | undefined;
    readonly decimals?: number | undefined;
    readonly credit?: "full" | "net" | undefined;
  } | null;
  /** What a failed payment does. Default `stay`: still `due`, one attempt more. */
  readonly failedAttempt?: "stay" | "drop" | null;
  /** Of a charge that nobody paid in time. Default `expired`. */
  readonly droppedReason?: string | null;
  /** The status of paying a charge that is not due. Default 422. */
  readonly payNotDue?: 409 | 422 | null;
  /** The staging-only `POST /v1/charges/:id/pay`. `absent`: 404, as in production. */
  readonly payEndpoint?: "present" | "absent" | null;
  /** What a GET shows of a charge refunded in part. Default `refunded_partially`. */
  readonly partialStatusOnRead?: "refunded_partially" | "refunded" | "paid" | null;
  /** Whether a GET shows `paymentUrl`. Default false. */
  readonly paymentUrlOnRead?: boolean | null;
  /** The label of entries in `transactions`. Default `wallet`. */
  readonly service?: string | null;
}

export interface WebhooksInput {
  /** Default `x-service-hmac-sha256`. */
  readonly signatureHeader?: string | null;
  /** A header that carries the topic too. Default `none`. */
  readonly topicHeader?: string | null;
  /** Default `as-subscribed`: each subscriber is sent the spelling it subscribed with. */
  readonly topicSpelling?: "as-subscribed" | "plural" | "singular" | null;
  /** The changes of a charge that are told: a list, such text with commas between, or `none`. Default all four. */
  readonly chargeEvents?: string | readonly ChargeEvent[] | null;
  /** Default `full`: the charge as GET shows it. `slim`: without `transactions`. */
  readonly chargePayload?: "full" | "slim" | null;
  /** A second subscription of one URL to one topic. Default `allowed`; `conflict` is 409. */
  readonly duplicateSubscription?: "allowed" | "conflict" | null;
  /** The gaps between attempts, on the company's clock. Default `["10s", "1m", "5m", "30m", "2h"]`: six attempts in all. */
  readonly retry?: "none" | "fast" | "realistic" | readonly DurationInput[] | null;
  /** How long a receiver may take, real time, 1ms to 1h. Default `10s`. */
  readonly timeout?: DurationInput | null;
  /** Calls receivers whose certificate nobody signed. Default false. */
  readonly insecureTls?: boolean | null;
  /** Who may receive: host names, addresses and CIDRs. Default `any` but link-local and cloud metadata addresses. */
  readonly allow?: "any" | readonly string[] | null;
}
