import type { OperationId } from "../contract/operations.js";
import type { Instant } from "../kernel/instant.js";

/** One thing that happened while a session was recorded, in order. */
export type Recorded = RecordedRequest | RecordedWebhook;

export interface RecordedRequest {
  readonly kind: "request";
  readonly at: Instant;
  /** Undefined for a call of the control API. */
  readonly operation: OperationId | undefined;
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  /** `company`: the company's own; `none`: no header; `other`: one that nobody has. */
  readonly token: "company" | "none" | "other";
  /** Undefined: as a client of the contract sends it. */
  readonly companyHeader: string | null | undefined;
  readonly status: number;
  readonly answer: unknown;
}

/** A webhook that had a subscriber. */
export interface RecordedWebhook {
  readonly kind: "webhook";
  readonly at: Instant;
  readonly topic: string;
  /** What tells it from others: the caller's own reference, and the status. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Recording {
  readonly startedAt: Instant;
  readonly balance: number;
  readonly profile: unknown;
  readonly fixtures: readonly string[];
  readonly recorded: readonly Recorded[];
  /** Requests that cannot be told again: bodies that were not JSON, other companies' requests. */
  readonly leftOut: number;
}
