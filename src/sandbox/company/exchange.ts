import type { OperationId } from "../../contract/operations.js";
import type { Instant } from "../../kernel/time/instant.js";
import type { Company } from "./company.js";
import type { ProblemCode } from "../../domain/model/problem-codes.js";
import { AUDIT_HEADER, type RequestFault } from "../../domain/model/rule.js";

/** One request to the API under test and its answer. */
export interface Exchange {
  /** Its place in the order of `Sandbox.takeTurn`. */
  readonly turn: number;
  /** Undefined for a path or method that the API does not have. */
  readonly operation: OperationId | undefined;
  /** The company of its access token; undefined when the token is unknown. */
  readonly company: Company | undefined;
  /** The company that the request names: by its token, which may have expired, or by X-Company-Id. */
  readonly named?: Company | undefined;
  /** The company's time when it was handled. */
  readonly at: Instant;
  /** Real time of its arrival, ms of the machine's monotonic clock. */
  readonly receivedAt: number;
  readonly method: string;
  /** From the root, with the query. */
  readonly path: string;
  /** The request's headers, with names in lower case. They hold credentials: show them only through a redactor. */
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for a request that was made in process. */
  readonly connection: Connection | undefined;
  /** The parsed JSON; undefined without a body, or when it could not be read. */
  readonly body: unknown;
  /** The text of a body that is not JSON, or is of another content type. */
  readonly rawBody: string | undefined;
  /** The answer's status, even when a fault kept the answer from the client; 0 when a fault replaced the work and nothing was sent. */
  readonly status: number;
  readonly answer: unknown;
  /** The answer's headers, with names in lower case. */
  readonly answerHeaders: Readonly<Record<string, string>>;
  /** Real time from the request's arrival until its answer was ready, a rule's delay included. */
  readonly durationMs: number;
  /** Why the request was refused; undefined when it was not. */
  readonly problem: ProblemCode | undefined;
  readonly rule: { readonly id: string; readonly name: string | null } | undefined;
  /** What the rule did to the answer, other than replacing or delaying it. */
  readonly fault: RequestFault | undefined;
  /** The records that the request created have a `seq` above `from` and up to `to`. */
  readonly made: { readonly from: number; readonly to: number };
  /** The settings that were read to answer the request, such as `transfers.settlement`. */
  readonly settings: readonly string[];
  /**
   * Calls `listener` once if the client never read the answer: immediately when a fault has ended the connection (every `fault` does), or when it
   * turns out that the client had left before.
   */
  readonly onLost: (listener: () => void) => void;
}

/** Whether an audit made the request, rather than the client under test. */
export function isFromAudit({ headers }: Pick<Exchange, "headers">): boolean {
  return headers[AUDIT_HEADER] !== undefined;
}

/** The TCP connection of a request. */
export interface Connection {
  /** How long it has been open, real time, ms. */
  ageMs(): number;
  /** Requests that have come over it, this one included. */
  readonly requests: number;
  readonly isClosed: boolean;
}

/** Whether the client read the answer, as far as the sandbox can know. */
export type AnswerFate = "written" | "lost";
