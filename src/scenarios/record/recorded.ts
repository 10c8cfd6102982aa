import type { Instant } from "../../kernel/time/instant.js";
import type { CompanySetup } from "../../sandbox/state/fixture.js";

interface Placed {
  /** Steps are in the order of the turns in which things happened, whatever the clocks show. */
  readonly turn: number;
  /** The company's time; undefined when it does not matter. */
  readonly at: Instant | undefined;
  /** The name of the company; undefined for the recorded one. */
  readonly as: string | undefined;
}

/** A request to the API or the control API. */
export interface RecordedRequest extends Placed {
  readonly kind: "request";
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly rawBody?: string | undefined;
  /** Undefined for the company's own token; null for none. */
  readonly token?: string | null;
  /** Headers besides those that a replay sends by itself; null leaves one out. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Undefined when the answer was lost. */
  readonly status: number | undefined;
  /** The body of the answer, if it is expected. */
  readonly answer?: unknown;
  /** Identifiers in the answer, which become variables. */
  readonly ids: readonly FoundId[];
  /** Set for a request that only looks up identifiers. It is left out when none of them is used. */
  readonly isLookup?: true;
  /** Whether the request was refused, so that it changed nothing, without a rule that applied to it. */
  readonly isRefused?: boolean;
  /** The subscription that the request made. */
  readonly subscribed?: { readonly id: string; readonly url: string };
  /** The company's time afterwards, which a reset, a state or a snapshot has set. */
  readonly resetTo?: Instant;
  /** Whether the company began again. */
  readonly isReset?: true;
}

export interface FoundId {
  readonly text: string;
  /** The name of the variable, before it is made unique. */
  readonly base: string;
  /** The path in the body of the answer. */
  readonly path: string;
}

/** A webhook that was enqueued. */
export interface RecordedWebhook extends Placed {
  readonly kind: "webhook";
  readonly subscriptionId: string;
  readonly topic: string;
  readonly data: unknown;
  /** Whether a rule may have changed the webhook, so that it is not expected. */
  readonly isRuled: boolean;
}

/** A call that moved the clock. */
interface RecordedTime extends Placed {
  readonly kind: "time";
}

export type Recorded = RecordedRequest | RecordedWebhook | RecordedTime;

export interface OtherCompany {
  readonly setup: CompanySetup | undefined;
  /** In its own time. Undefined when it was gone already. */
  readonly openedAt: Instant | undefined;
}

export interface Recording {
  readonly startedAt: Instant;
  readonly companyId: string;
  readonly given: {
    /** XOF. */
    readonly balance: number;
    readonly profile: Readonly<Record<string, unknown>>;
    /** In the form that POST /_sandbox/rules takes. */
    readonly rules: readonly unknown[];
    readonly fixtures: readonly string[];
  };
  /** What the other companies began with, and when, keyed by their names in the recording. */
  readonly others: ReadonlyMap<string, OtherCompany>;
  readonly items: readonly Recorded[];
  /** Sentences about what was left out. */
  readonly notes: readonly string[];
}
