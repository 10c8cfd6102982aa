import { type HttpExchange, type SignatureVerdict, headerOf } from "../../adapters/har/http-exchange.js";
import { type OperationId, operationIds, operations } from "../../contract/operations.js";
import { type Topic, findTopic } from "../../domain/values/topic.js";
import { isObject } from "../../kernel/messages/json.js";
import type { Instant } from "../../kernel/time/instant.js";
import { readTimestamp } from "./timestamps.js";

/** The recorded traffic of one company, in order. */
export interface History {
  readonly companyId: string | undefined;
  readonly entries: readonly Entry[];
  /** Entries that are neither requests to the API nor webhooks. */
  readonly ignored: number;
}

export type Entry = RecordedRequest | RecordedWebhook;

interface Recorded {
  /** Its index in the source. */
  readonly exchange: number;
  /** On the service's clock, as far as its answers show it. */
  readonly at: Instant;
  readonly headers: HttpExchange["headers"];
}

export interface RecordedRequest extends Recorded {
  readonly kind: "request";
  /** Undefined for a path or method that the contract does not have. */
  readonly operation: OperationId | undefined;
  readonly method: string;
  /** From `/v1/` on, with the query. */
  readonly path: string;
  readonly body: string | undefined;
  /** Undefined when none came. */
  readonly answer:
    | { readonly status: number; readonly headers: HttpExchange["headers"]; readonly body: unknown }
    | undefined;
}

export interface RecordedWebhook extends Recorded {
  readonly kind: "webhook";
  readonly url: string;
  readonly topic: Topic;
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly signature: SignatureVerdict | undefined;
  /** What the receiver answered; undefined when it did not. */
  readonly status: number | undefined;
}

/** `first`: the index of the first exchange in the source. */
export function readHistory(exchanges: readonly HttpExchange[], first = 0): History {
  const numbered = exchanges.map((exchange, at) => ({ exchange, number: first + at }));
  const sorted = numbered.toSorted((a, b) => a.exchange.startedAt - b.exchange.startedAt || a.number - b.number);
  const clock = new ServiceClock();
  const entries = sorted.flatMap(({ exchange, number }) => readEntry(exchange, number, clock));
  return { companyId: mostFrequentCompany(entries), entries, ignored: exchanges.length - entries.length };
}

function readEntry(exchange: HttpExchange, number: number, clock: ServiceClock): Entry[] {
  const { method, url, headers, body, answer, signature } = exchange;
  const text = body === undefined ? undefined : Buffer.from(body).toString();
  const shared = { exchange: number, headers };
  const webhook = method === "POST" ? readWebhook(text) : undefined;
  if (webhook !== undefined) {
    const at = clock.read(exchange.startedAt, undefined);
    return [{ kind: "webhook", ...shared, at, url, ...webhook, signature, status: answer?.status }];
  }
  const { pathname, search } = new URL(url);
  const place = pathname.indexOf("/v1/");
  if (place === -1) return [];
  const path = pathname.slice(place);
  const operation = operationIds.find((id) => operations[id].method === method && pathPatterns(id).test(path));
  const shown = answer && { status: answer.status, headers: answer.headers, body: parseBody(answer.body) };
  const at = clock.read(exchange.startedAt, shown && timeShown(operation, shown));
  return [{ kind: "request", ...shared, at, operation, method, path: path + search, body: text, answer: shown }];
}

function pathPatterns(id: OperationId): RegExp {
  return new RegExp(`^${operations[id].path.replace(/:\w+/g, RESERVED_SEGMENT)}/?$`);
}

/** An id is no other part of a path: `/v1/transactions/batch`. */
const RESERVED_SEGMENT = "(?!batch$)[^/]+";

function readWebhook(text: string | undefined) {
  const body = text === undefined ? undefined : parseBody(Buffer.from(text));
  if (text === undefined || !isObject(body) || !isObject(body["data"]) || typeof body["topic"] !== "string")
    return undefined;
  const topic = findTopic(body["topic"]);
  return topic === undefined ? undefined : { topic, body, text };
}

/** The JSON of a body, its text when it is none, and undefined when it is empty. */
function parseBody(bytes: Uint8Array): unknown {
  const text = Buffer.from(bytes).toString();
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The time at which the service handled a request, when its answer shows it: the creation of what it created, or the timestamp of an error. */
function timeShown(
  operation: OperationId | undefined,
  { status, body }: { status: number; body: unknown },
): Instant | undefined {
  if (!isObject(body)) return undefined;
  if (status >= 400) return readTimestamp(body["timestamp"])?.at;
  const creates = operation !== undefined && operations[operation].success === "http.createdStatus";
  return creates ? readTimestamp(body["createdAt"])?.at : undefined;
}

/** The service's clock: its distance to the recorder's is that of the last time that it showed. It never goes back. */
class ServiceClock {
  #ahead = 0;
  #last = Number.NEGATIVE_INFINITY;

  read(startedAt: Instant, shown: Instant | undefined): Instant {
    if (shown !== undefined) this.#ahead = shown - startedAt;
    this.#last = Math.max(this.#last, startedAt + this.#ahead);
    return this.#last;
  }
}

function mostFrequentCompany(entries: readonly Entry[]): string | undefined {
  const counts = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind !== "request" || (entry.answer?.status ?? 500) >= 300) continue;
    const id = headerOf(entry.headers, "x-company-id");
    if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0];
}
