import type { HeaderList, SignatureVerdict } from "../../adapters/har/http-exchange.js";
import { type OperationId, operations } from "../../contract/operations.js";
import type { JsonObject } from "../../kernel/messages/json.js";
import type { Instant } from "../../kernel/time/instant.js";

/** The recorded traffic of one company, in order. */
export interface History {
  readonly companyId: string | undefined;
  readonly entries: readonly Entry[];
}

export type Entry = RecordedRequest | RecordedWebhook;

interface Recorded {
  readonly exchange: ExchangeName;
  /** The time on the service's clock, as far as its answers show it. */
  readonly at: Instant;
}

/** A recorded exchange. */
export interface ExchangeName {
  /** The archive, when there are several; else null. */
  readonly file: string | null;
  /** Its place in the archive, or among the exchanges with a target, from 0. */
  readonly index: number;
  readonly method: string;
  readonly path: string;
}

export interface RecordedRequest extends Recorded {
  readonly kind: "request";
  readonly authorization: string | undefined;
  readonly companyId: string | undefined;
  readonly contentType: string | undefined;
  /** Undefined for a path or method that the contract does not have. */
  readonly operation: OperationId | undefined;
  /** The path from `/v1/` on, with the query. */
  readonly path: string;
  readonly body: string | undefined;
  /** Undefined when none came. */
  readonly answer: RecordedAnswer | undefined;
  /** Set for a read of the balance that overlaps a movement of money, because it is not known which came first. */
  readonly isBesideMoney?: boolean;
}

export interface RecordedAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: unknown;
}

/** The headers that are compared. Null means that there was no such header, undefined that the recording tool exports no headers. */
export interface AnswerHeaders {
  readonly retryAfter: string | null | undefined;
  readonly contentType: string | null | undefined;
  readonly allow: string | null | undefined;
}

export interface RecordedWebhook extends Recorded {
  readonly kind: "webhook";
  readonly headers: HeaderList;
  readonly url: string;
  /** As the contract has it, else as it was sent; `unknown` when none was sent. */
  readonly topic: string;
  readonly body: JsonObject;
  readonly text: string;
  readonly signature: SignatureVerdict | undefined;
  /** What the receiver answered; undefined when it did not. */
  readonly status: number | undefined;
}

/** `GET /v1/charges/:id`, or a topic. */
export function subjectOf(entry: Entry): string {
  if (entry.kind === "webhook") return entry.topic;
  const { operation, exchange, path } = entry;
  return `${exchange.method} ${operation === undefined ? path.split("?")[0] : operations[operation].path}`;
}
