/**
 * Every choice the sandbox makes where the contract is silent, in the form the rules read: what users write (`2s`,
 * `manual`) is already compiled. The settings table (settings.ts) says what each one means, its default and its
 * alternatives.
 *
 * Amounts are XOF, rates are fractions (0.01 is 1 %), times are milliseconds.
 */
export interface Profile {
  readonly http: { readonly createdStatus: 200 | 201; readonly actionStatus: 200 | 201 };
  readonly auth: { readonly companyHeader: "charges" | "everywhere" | "ignored" };
  readonly errors: { readonly shape: "envelope" | "message" };
  readonly transfers: TransferProfile;
  readonly batch: {
    readonly maxItems: number;
    readonly itemType: "optional" | "required";
    readonly finalStatus: string;
  };
  readonly charges: ChargeProfile;
  readonly refunds: { readonly further: "allowed" | "refused"; readonly insufficientBalance: "allow" | "reject" };
  readonly customers: { readonly unlisted: "unknown" | "generated"; readonly subCompanyId: "accepted" | "refused" };
  readonly webhooks: WebhookProfile;
  readonly paging: { readonly limit: number };
  /** At most `requests` in any span of `perMs`; null when there is no limit. */
  readonly rateLimit: { readonly requests: number; readonly perMs: number } | null;
  readonly server: { readonly bodyLimit: number /* bytes */ };
  readonly testNumbers: {
    readonly success: string;
    readonly failure: string;
    readonly pending: string;
    readonly late: string;
    readonly silent: string;
    readonly limit: string;
    readonly refused: string;
    readonly unverified: string;
  };
}

export interface TransferProfile {
  readonly min: number;
  readonly max: number;
  readonly fee: { readonly rate: number; readonly fixed: number; readonly decimals: number };
  readonly settlement: Settlement;
  readonly duplicateReference: "conflict" | "allow";
  readonly insufficientBalance: "reject" | "fail";
  readonly debit: "at-creation" | "on-completion";
  readonly webhookId: "plain" | "prefixed";
}

/** When a transfer becomes final: at once, after a time, when it has been read so often, or only by the control API. */
export type Settlement =
  | { readonly kind: "immediate" }
  | { readonly kind: "after"; readonly afterMs: number }
  | { readonly kind: "polls"; readonly polls: number }
  | { readonly kind: "manual" };

export interface ChargeProfile {
  readonly min: number;
  readonly max: number;
  readonly ttl: number /* ms */;
  readonly createdAtFormat: "compact" | "iso";
  readonly creationStatus: "created" | "due";
  readonly fee: { readonly rate: number; readonly decimals: number; readonly credit: "full" | "net" };
  readonly failedAttempt: "stay" | "drop";
  readonly droppedReason: string;
  readonly payNotDue: 409 | 422;
  readonly payEndpoint: "present" | "absent";
  readonly partialStatusOnRead: "refunded_partially" | "refunded" | "paid";
  readonly paymentUrlOnRead: boolean;
  readonly service: string;
}

export interface WebhookProfile {
  readonly signatureHeader: string;
  readonly topicHeader: string | null;
  readonly topicSpelling: "as-subscribed" | "plural" | "singular";
  readonly chargeEvents: readonly ChargeEvent[];
  readonly chargePayload: "full" | "slim";
  readonly duplicateSubscription: "allowed" | "conflict";
  /** The gaps between attempts, in ms: one more attempt than there are gaps. */
  readonly retry: readonly number[];
  readonly timeout: number /* ms */;
  readonly insecureTls: boolean;
  readonly allow: AllowedHosts;
}

/** The changes of a charge that a webhook can tell about. */
export type ChargeEvent = "paid" | "dropped" | "refunded" | "refunded_partially";

/** Hosts as a URL spells them (lower case, ASCII), IP addresses without brackets, and CIDRs. */
export type AllowedHosts = { readonly kind: "any" } | { readonly kind: "list"; readonly hosts: readonly string[] };
