import type { OperationId } from "../../contract/operations.js";
import type { Instant } from "../../kernel/instant.js";
import type { Company } from "./company.js";
import type { ProblemCode } from "../../domain/model/problem-codes.js";
import type { RequestFault } from "../../domain/model/rule.js";

/** One request and its answer, as they were: to the API under test, or to the control API where it changes something. */
export interface Exchange {
  /** Which door it came to. */
  readonly door: "api" | "control";
  /** Undefined for a call of the control API, and for a path or method that the API does not have. */
  readonly operation: OperationId | undefined;
  /** Whose access token it carried; undefined when no company was known by it. */
  readonly company: Company | undefined;
  /** The company's time when it was answered. */
  readonly at: Instant;
  /** Real time when it came, ms of the machine's monotonic clock. */
  readonly receivedAt: number;
  readonly method: string;
  /** From the root, with the query. */
  readonly path: string;
  /** Of the request, by their names in lower case. Who keeps them keeps no credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** The parsed JSON; undefined without a body, or when it could not be read. */
  readonly body: unknown;
  /** `body` as it was sent, where whoever tells of it has it at hand. */
  readonly bodyText?: string | undefined;
  /** Of the answer as it was made, also when a fault kept it from the client; 0 when a fault came in the place of the work, and nothing was sent. */
  readonly status: number;
  readonly answer: unknown;
  /** `answer` as JSON, where whoever tells of it has it at hand. */
  readonly answerText?: string | undefined;
  /** The `Retry-After` of the answer; undefined without one. */
  readonly retryAfter: string | undefined;
  /** Why it was refused; undefined when it was not. */
  readonly problem: ProblemCode | undefined;
  /** The `request` rule that applied. */
  readonly rule: { readonly id: string; readonly name: string | null } | undefined;
  /** What the rule did to the answer, other than giving another or a later one. */
  readonly fault: RequestFault | undefined;
  /** The company's records that it made have a `seq` above `from` and up to `to`. */
  readonly made: { readonly from: number; readonly to: number };
  /** The settings (`transfers.settlement`) that were read to answer it. */
  readonly settings: readonly string[];
  /**
   * Calls `listener` once when the client never read the answer: at once when a fault has broken it off (every `fault` does), or as soon as it is seen
   * that the client had gone before.
   */
  readonly onLost: (listener: () => void) => void;
}

/** Whether the client read the answer, as far as the sandbox can know. */
export type AnswerFate = "written" | "lost";
