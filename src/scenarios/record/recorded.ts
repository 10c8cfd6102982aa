import type { Instant } from "../../kernel/time/instant.js";
import type { CompanySetup } from "../../sandbox/state/fixture.js";

interface Placed {
  /** Steps are in the order of the turns in which things happened, whatever the clocks say. */
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
  /** Undefined: the company's own; null: none. */
  readonly token?: string | null;
  /** Beside those sent by themselves; null leaves one out. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Undefined: the answer was lost. */
  readonly status: number | undefined;
  /** The answer's body when it is expected. */
  readonly answer?: unknown;
  /** Identifiers in the answer, which become variables. */
  readonly ids: readonly FoundId[];
  /** It only looks up identifiers, and is left out when none is used. */
  readonly isLookup?: true;
  /** It changed nothing, and no rule took part in it. */
  readonly isRefused?: boolean;
  /** The subscription that it made. */
  readonly subscribed?: { readonly id: string; readonly url: string };
  /** Where the clock is afterwards: at the beginning again, or at the time of a state. */
  readonly resetTo?: "start" | Instant;
}

export interface FoundId {
  readonly text: string;
  /** Names the variable. */
  readonly base: string;
  /** In the answer's body. */
  readonly path: string;
}

/** A webhook that was enqueued. */
export interface RecordedWebhook extends Placed {
  readonly kind: "webhook";
  readonly subscriptionId: string;
  readonly topic: string;
  readonly data: unknown;
  /** A rule may have changed it, so it is not expected. */
  readonly isRuled: boolean;
}

/** A call moved the clock. */
interface RecordedTime extends Placed {
  readonly kind: "time";
}

export type Recorded = RecordedRequest | RecordedWebhook | RecordedTime;

export interface Recording {
  readonly startedAt: Instant;
  readonly companyId: string;
  readonly given: {
    /** XOF. */
    readonly balance: number;
    readonly profile: Readonly<Record<string, unknown>>;
    /** As POST /_sandbox/rules takes them. */
    readonly rules: readonly unknown[];
    readonly fixtures: readonly string[];
  };
  /** What the other companies began with, by their names in the recording. */
  readonly others: ReadonlyMap<string, CompanySetup | undefined>;
  readonly items: readonly Recorded[];
  /** Sentences about what is left out. */
  readonly notes: readonly string[];
}
