import {
  BODY_IS_CUT,
  type HeaderList,
  type HttpAnswer,
  type HttpExchange,
  headerOf,
  isCall,
  parseBody,
} from "../../adapters/har/http-exchange.js";
import { type OperationId, findOperation, operations } from "../../contract/operations.js";
import { findTopic } from "../../domain/values/topic.js";
import { type JsonObject, isObject } from "../../kernel/messages/json.js";
import { oneLine, shorten } from "../../kernel/messages/text.js";
import type { Instant } from "../../kernel/time/instant.js";
import type { AnswerHeaders, Entry, RecordedAnswer } from "./entry.js";
import { readTimestamp } from "./timestamps.js";

/** An entry at its time on the recorder's clock. */
export interface ReadEntry {
  readonly entry: Entry;
  /** How long it took until the whole answer had come. */
  readonly ms: number;
  /** The service's time when it handled the request, if the answer shows it. */
  readonly shown: Instant | undefined;
  /** The service's time of the last change that the answer shows: the request was handled no earlier. */
  readonly changedAt: Instant | undefined;
}

/** Empty for an exchange that is neither a request to the API nor a webhook, or is cut off. `index` is its place in the source, `file` one of several sources. */
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
  const operation = findOperation(method, path);
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

/** Undefined for a value that HTTP cannot carry, which therefore was not sent like this. */
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

/** The header that the contract names. */
const SIGNATURE_HEADER = "x-service-hmac-sha256";

interface ReadWebhook {
  readonly topic: string;
  readonly body: JsonObject;
  readonly text: string;
}

function readWebhook(text: string, method: string): ReadWebhook | undefined {
  const body = method === "POST" ? parseBody(text) : undefined;
  if (!isObject(body) || !isObject(body["data"]) || typeof body["topic"] !== "string") return undefined;
  const topic = findTopic(body["topic"]);
  return topic === undefined ? undefined : { topic, body, text };
}

/** Reads a webhook of a service that sends other topics, or another form. */
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
