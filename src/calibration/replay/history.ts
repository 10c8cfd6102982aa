import {
  BODY_IS_CUT,
  type HeaderList,
  type HttpAnswer,
  type HttpExchange,
  type SignatureVerdict,
  headerOf,
  isCall,
  parseBody,
} from "../../adapters/har/http-exchange.js";
import { type OperationId, operationIds, operations } from "../../contract/operations.js";
import { findTopic } from "../../domain/values/topic.js";
import { isObject } from "../../kernel/messages/json.js";
import { oneLine, shorten } from "../../kernel/messages/text.js";
import type { Instant } from "../../kernel/time/instant.js";
import { plain } from "./bindings.js";
import { groupByCompany, transfersIn } from "./companies.js";
import type { ExchangeName } from "./compare.js";
import { ServiceClock } from "./service-clock.js";
import { endOf, readTimestamp } from "./timestamps.js";

/** The recorded traffic of one company, in order. */
export interface History {
  readonly companyId: string | undefined;
  readonly entries: readonly Entry[];
}

export type Entry = RecordedRequest | RecordedWebhook;

interface Recorded {
  readonly exchange: ExchangeName;
  /** On the service's clock, as far as its answers show it. */
  readonly at: Instant;
}

export interface RecordedRequest extends Recorded {
  readonly kind: "request";
  readonly authorization: string | undefined;
  readonly companyId: string | undefined;
  readonly contentType: string | undefined;
  /** Undefined for a path or method that the contract does not have. */
  readonly operation: OperationId | undefined;
  /** From `/v1/` on, with the query. */
  readonly path: string;
  readonly body: string | undefined;
  /** Undefined when none came. */
  readonly answer: RecordedAnswer | undefined;
  /** A read of the balance that overlaps a request that moves money: which came first is not known. */
  readonly isBesideMoney?: boolean;
}

export interface RecordedAnswer {
  readonly status: number;
  readonly headers: AnswerHeaders;
  readonly body: unknown;
}

/** Those that are compared. Null without the header; undefined when the tool that recorded it exports no headers. */
export interface AnswerHeaders {
  readonly retryAfter: string | null | undefined;
  readonly contentType: string | null | undefined;
  readonly allow: string | null | undefined;
}

export interface RecordedWebhook extends Recorded {
  readonly kind: "webhook";
  readonly headers: HeaderList;
  readonly url: string;
  /** As it was sent when the contract does not have it; `unknown` without one. */
  readonly topic: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string;
  readonly signature: SignatureVerdict | undefined;
  /** What the receiver answered; undefined when it did not. */
  readonly status: number | undefined;
}

/** What one recording holds. */
export interface Recording {
  /** One for each company. */
  readonly histories: readonly History[];
  /** How many entries name no company, where there are several. */
  readonly unnamed: number;
}

/** The histories of what was read of one source. */
export function readRecording(read: readonly ReadEntry[]): Recording {
  const { groups, unnamed } = groupByCompany(
    read.toSorted(({ entry: a }, { entry: b }) => a.at - b.at || a.exchange.index - b.exchange.index),
  );
  const histories = groups.map((group) => {
    const entries = new ServiceClock(Number.NEGATIVE_INFINITY).place(markBesideMoney(group), true);
    return { companyId: mostFrequentCompany(entries), entries };
  });
  return { histories, unnamed: unnamed.length };
}

/** An entry at its time on the recorder's clock. */
export interface ReadEntry {
  readonly entry: Entry;
  /** Until the answer had come. */
  readonly ms: number;
  /** The service's time when it handled the request, if the answer shows it. */
  readonly shown: Instant | undefined;
  /** The service's time of the last change that the answer shows: the request was handled no earlier. */
  readonly changedAt: Instant | undefined;
}

/** None for what is neither a request to the API nor a webhook, or not recorded whole. `index`: its place in the source, one of several when `file` is given. */
export function readEntry(exchange: HttpExchange, index: number, file: string | null = null): ReadEntry[] {
  const { startedAt: at, method, url, headers, body, answer, signature, comment } = exchange;
  if (comment === BODY_IS_CUT || !isCall(method)) return [];
  const text = body === undefined ? undefined : Buffer.from(body).toString();
  const { pathname, search } = new URL(url);
  const shared = { exchange: { file, index, method, path: pathname }, at };
  const ms = Math.ceil(exchange.ms);
  const isSigned = signature !== undefined || headerOf(headers, SIGNATURE_HEADER) !== undefined;
  const webhook = text === undefined ? undefined : (readWebhook(text, method) ?? readOtherWebhook(text, isSigned));
  if (webhook !== undefined) {
    return [
      {
        entry: { kind: "webhook", ...shared, headers, url, ...webhook, signature, status: answer?.status },
        ms,
        shown: undefined,
        changedAt: undefined,
      },
    ];
  }
  const place = pathname.indexOf("/v1/");
  if (place === -1) return [];
  const path = pathname.slice(place);
  const operation = operationIds.find((id) => operations[id].method === method && pathPatterns(id).test(path));
  const given = answer && readAnswer(answer);
  const entry: Entry = {
    kind: "request",
    ...shared,
    authorization: headerOf(headers, "authorization"),
    companyId: sentHeader(headers, "x-company-id"),
    contentType: sentHeader(headers, "content-type"),
    operation,
    path: path + search,
    body: text,
    answer: given,
  };
  const shown = given && timeShown(operation, given);
  return [
    { entry, ms, shown, changedAt: isObject(given?.body) ? readTimestamp(given.body["updatedAt"])?.at : undefined },
  ];
}

/** A value that HTTP cannot carry was not sent so. */
function sentHeader(headers: HeaderList, name: string): string | undefined {
  const value = headerOf(headers, name);
  return value !== undefined && /^[\t\x20-\x7e\x80-\xff]*$/.test(value) ? value : undefined;
}

function readAnswer({ status, headers, body }: HttpAnswer): RecordedAnswer {
  const valueOf = (name: string) => (headers.length === 0 ? undefined : (headerOf(headers, name) ?? null));
  return { status, headers: readHeaders(valueOf), body: parseBody(Buffer.from(body).toString()) };
}

export function readHeaders(valueOf: (name: string) => string | null | undefined): AnswerHeaders {
  return { retryAfter: valueOf("retry-after"), contentType: valueOf("content-type"), allow: valueOf("allow") };
}

function pathPatterns(id: OperationId): RegExp {
  return new RegExp(`^${operations[id].path.replace(/:\w+/g, RESERVED_SEGMENT)}/?$`);
}

/** An id is no other part of a path: `/v1/transactions/batch`. */
const RESERVED_SEGMENT = "(?!batch$)[^/]+";

/** The contract's. */
const SIGNATURE_HEADER = "x-service-hmac-sha256";

interface ReadWebhook {
  readonly topic: string;
  readonly body: Readonly<Record<string, unknown>>;
  readonly text: string;
}

function readWebhook(text: string, method: string): ReadWebhook | undefined {
  const body = method === "POST" ? parseBody(text) : undefined;
  if (!isObject(body) || !isObject(body["data"]) || typeof body["topic"] !== "string") return undefined;
  const topic = findTopic(body["topic"]);
  return topic === undefined ? undefined : { topic, body, text };
}

/** Of a service that sends other topics, or another form. */
function readOtherWebhook(text: string, isSigned: boolean): ReadWebhook | undefined {
  if (!isSigned) return undefined;
  const given = parseBody(text);
  const body = isObject(given) ? given : {};
  const { topic } = body;
  return { topic: typeof topic === "string" ? shorten(oneLine(topic), 80) : "unknown", body, text };
}

/** The time at which the service handled a request, when its answer shows it: the creation of what it created, or the timestamp of an error. */
function timeShown(operation: OperationId | undefined, { status, body }: RecordedAnswer): Instant | undefined {
  if (!isObject(body)) return undefined;
  if (status >= 400) return readTimestamp(body["timestamp"])?.at;
  const creates = operation !== undefined && operations[operation].success === "http.createdStatus";
  return creates ? readTimestamp(body["createdAt"])?.at : undefined;
}

const MOVES_MONEY: ReadonlySet<OperationId | undefined> = new Set<OperationId>([
  "createTransaction",
  "createBatch",
  "payCharge",
  "refundCharge",
]);

/** Marks the reads of the balance that overlap a request that moves money, or the end of a transfer. */
export function markBesideMoney(read: readonly ReadEntry[]): ReadEntry[] {
  const requests = read.filter(({ entry }) => entry.kind === "request" && MOVES_MONEY.has(entry.operation));
  const moves = [...requests.map(spanOf), ...endsOfTransfers(read)];
  return read.map((each) => {
    const { entry } = each;
    if (entry.kind !== "request" || entry.operation !== "getBalance") return each;
    const span = spanOf(each);
    return moves.some((move) => overlap(move, span)) ? { ...each, entry: { ...entry, isBesideMoney: true } } : each;
  });
}

/** On the recorder's clock. */
interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

function spanOf({ entry, ms }: ReadEntry): Span {
  return { from: entry.at, to: entry.at + ms };
}

function overlap(a: Span, b: Span): boolean {
  return a.from < b.to && b.from < a.to;
}

/** When transfers ended: as long after the request that made them as the service says. One that has failed gives its money back then. */
function endsOfTransfers(read: readonly ReadEntry[]): Span[] {
  const made = new Map<string, Span>();
  const ends = new Map<string, Span>();
  for (const each of read) {
    const { entry } = each;
    const shown = entry.kind === "webhook" ? entry.body["data"] : entry.answer?.body;
    for (const { id, status, createdAt, updatedAt } of transfersIn(shown)) {
      if (typeof id !== "string") continue;
      const name = plain(id);
      if (entry.kind === "request" && MOVES_MONEY.has(entry.operation)) made.set(name, spanOf(each));
      const [created, updated] = [readTimestamp(createdAt), readTimestamp(updatedAt)];
      const span = made.get(name);
      if (status === "pending" || created === undefined || updated === undefined || span === undefined) continue;
      const [least, most] = [updated.at - endOf(created.at), endOf(updated.at) - created.at];
      ends.set(name, { from: span.from + least, to: span.to + most });
    }
  }
  return [...ends.values()];
}

function mostFrequentCompany(entries: readonly Entry[]): string | undefined {
  const counts = new Map<string, number>();
  for (const entry of entries) {
    if (entry.kind !== "request" || (entry.answer?.status ?? 500) >= 300) continue;
    const { companyId: id } = entry;
    if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return [...counts].toSorted((a, b) => b[1] - a[1])[0]?.[0];
}
