import { STATUS_CODES } from "node:http";
import { VERSION } from "../../kernel/version.js";
import { toIso } from "../../kernel/time/instant.js";
import { type HeaderList, type HttpExchange, headerOf } from "./http-exchange.js";

/** An HTTP archive (HAR 1.2) in pieces: its head, a line for each exchange, its tail. https://w3c.github.io/web-performance/specs/HAR/Overview.html */
export function* harParts(exchanges: Iterable<HttpExchange>): Generator<string> {
  yield HAR_HEAD;
  let separator = "";
  for (const exchange of exchanges) {
    yield separator + renderHarEntry(exchange);
    separator = HAR_BETWEEN;
  }
  yield HAR_TAIL;
}

const creator = JSON.stringify({ name: "business-payments-sandbox", version: VERSION });

/** What comes before the entries. */
export const HAR_HEAD = `{"log":{"version":"1.2","creator":${creator},"entries":[\n`;
export const HAR_BETWEEN = ",\n";
export const HAR_TAIL = "\n]}}\n";

/** One entry, a line of JSON. Without an answer its status is 0, as Chromium writes it. */
export function renderHarEntry({
  startedAt,
  ms,
  method,
  url,
  headers,
  body,
  answer,
  signature,
  comment,
}: HttpExchange): string {
  return JSON.stringify({
    startedDateTime: toIso(startedAt),
    time: ms,
    request: {
      method,
      url,
      httpVersion: "HTTP/1.1",
      cookies: [],
      headers: renderHeaders(headers),
      queryString: [...new URLSearchParams(queryIn(url))].map(([name, value]) => ({ name, value })),
      ...(body === undefined ? {} : { postData: { mimeType: typeOf(headers), ...renderText(body) } }),
      headersSize: -1,
      bodySize: body?.length ?? 0,
    },
    response: {
      status: answer?.status ?? 0,
      statusText: STATUS_CODES[answer?.status ?? 0] ?? "",
      httpVersion: "HTTP/1.1",
      cookies: [],
      headers: renderHeaders(answer?.headers ?? []),
      content: {
        size: answer?.body.length ?? 0,
        mimeType: typeOf(answer?.headers ?? []),
        ...(answer === undefined ? {} : renderText(answer.body)),
      },
      redirectURL: headerOf(answer?.headers ?? [], "location") ?? "",
      headersSize: -1,
      bodySize: answer?.body.length ?? -1,
    },
    cache: {},
    timings: { send: 0, wait: ms, receive: 0 },
    // The names of custom fields begin with an underscore (HAR 1.2).
    ...(signature === undefined ? {} : { _signature: signature }),
    ...(comment === undefined ? {} : { comment }),
  });
}

function renderHeaders(headers: HeaderList) {
  return headers.map(([name, value]) => ({ name, value }));
}

function typeOf(headers: HeaderList): string {
  return headerOf(headers, "content-type") ?? "";
}

/** As text if it is UTF-8, otherwise in base64. The format has an `encoding` for answers only, but our readers accept it for requests too. */
function renderText(bytes: Uint8Array): { text: string; encoding?: "base64" } {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { text: Buffer.from(bytes).toString("base64"), encoding: "base64" };
  }
}

/** The query of a text that may no longer be a URL, because a secret was redacted. */
function queryIn(url: string): string {
  return /\?([^#]*)/.exec(url)?.[1] ?? "";
}
