import type { OperationId } from "../contract/operations.js";
import type { Instant } from "../kernel/instant.js";
import type { Company } from "./company.js";

/** One request and its answer, as they were: to the API under test, or to the control API where it changes something. */
export interface Exchange {
  /** Undefined for a call of the control API. */
  readonly operation: OperationId | undefined;
  /** Undefined when no company was known by the token. */
  readonly company: Company | undefined;
  /** The company's time when it was answered. */
  readonly at: Instant;
  readonly method: string;
  /** From the root, with the query. */
  readonly path: string;
  /** A header of the request, by its name in lower case. Who keeps one keeps no credentials. */
  readonly header: (name: string) => string | undefined;
  /** The parsed JSON; undefined without a body, or when it could not be read. */
  readonly body: unknown;
  readonly status: number;
  readonly answer: unknown;
}

export type ExchangeListener = (exchange: Exchange) => void;
