import { gunzipSync } from "node:zlib";
import { JSONParser, TokenType } from "@streamparser/json";
import type * as z from "zod";
import { renderPath } from "../../kernel/fields.js";
import { isObject, memberOf } from "../../kernel/messages/json.js";
import { UsageError } from "../../kernel/messages/problem.js";
import { oneLine, shorten } from "../../kernel/messages/text.js";
import { readChunks } from "../files/read-text.js";
import { type HarContent, harEntry } from "./har-entry.js";
import { type HeaderList, type HttpExchange, isCall } from "./http-exchange.js";

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
/** The most bytes of a decompressed body. Bodies of the API are far smaller. */
const BODY_BYTES_MAX = 4 * 1024 * 1024;
/** Deeper than any archive. The parser's time for a token grows with its depth. */
const DEPTH_MAX = 200;

/**
 * The entries of an HTTP archive, in the order of the file, one at a time: a file may be larger than memory. Reads what browsers, Playwright,
 * mitmproxy and exporters of HTTP clients write.
 *
 * Throws UsageError("file") when the file is missing or not an archive. The message names the entry (counted from 0) that cannot be read.
 */
export async function* readHar(file: string): AsyncGenerator<HttpExchange> {
  const parser = new JSONParser({ paths: ["$.log.entries.*"], keepStack: false });
  const found: unknown[] = [];
  let problem: string | undefined;
  let depth = 0;
  parser.onToken = ({ token }) => {
    if (token === TokenType.LEFT_BRACE || token === TokenType.LEFT_BRACKET) depth++;
    if (token === TokenType.RIGHT_BRACE || token === TokenType.RIGHT_BRACKET) depth--;
    if (depth > DEPTH_MAX) throw new Error((problem = `it is nested deeper than ${DEPTH_MAX} levels`));
  };
  parser.onValue = ({ value }) => void found.push(value);
  parser.onError = ({ message }) => (problem ??= `it is not JSON (${oneLine(message)})`);
  let index = 0;
  let isFirst = true;
  for await (const chunk of readChunks(file)) {
    parser.write(isFirst && chunk.subarray(0, 3).equals(BYTE_ORDER_MARK) ? chunk.subarray(3) : chunk);
    isFirst = false;
    if (problem !== undefined) throw refuse(file, problem);
    for (const entry of found.splice(0)) {
      const place = index++;
      if (!isOther(entry)) yield parseEntry(file, place, entry);
    }
  }
  if (!parser.isEnded) throw refuse(file, "its JSON ends too early, so the recording was probably cut off");
  if (index === 0) throw refuse(file, "it has no entries (log.entries). Record some traffic, or name another file");
}

function parseEntry(file: string, index: number, entry: unknown): HttpExchange {
  const parsed = harEntry.safeDecode(entry as z.input<typeof harEntry>);
  const name = `entry ${index}${describe(entry)}`;
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw refuse(file, `${name}: ${renderPath(issue?.path ?? []) || "it"} ${issue?.message ?? "is wrong"}`);
  }
  const { startedDateTime, time, request, response, _signature, comment } = parsed.data;
  const headers = toList(request.headers);
  const bytesOf = (given: HarContent | null | undefined): Uint8Array | undefined => decode(given, `${name} of ${file}`);
  const body = bytesOf(request.postData) ?? renderForm(request.postData?.params ?? []);
  return {
    startedAt: startedDateTime,
    ms: Math.max(0, time ?? 0),
    method: request.method.toUpperCase(),
    url: withParameters(request.url, request.queryString),
    headers,
    body,
    answer:
      response.status === 0
        ? undefined
        : {
            status: response.status,
            headers: toList(response.headers),
            body: bytesOf(response.content) ?? new Uint8Array(),
          },
    signature: _signature ?? undefined,
    comment: comment ?? undefined,
    place: index,
  };
}

/** Insomnia does not put the parameters into the URL. */
function withParameters(url: string, parameters: readonly { readonly name: string; readonly value: string }[]): string {
  if (url.includes("?") || parameters.length === 0) return url;
  return `${url}?${new URLSearchParams(parameters.map(({ name, value }): [string, string] => [name, value])).toString()}`;
}

/** The headers without the pseudo-headers of HTTP/2 (`:method`). */
function toList(headers: readonly { readonly name: string; readonly value: string }[]): HeaderList {
  return headers.filter(({ name }) => !name.startsWith(":")).map(({ name, value }) => [name, value]);
}

/** Some tools store a body as it came over the wire, compressed. */
function decode(given: HarContent | null | undefined, place: string): Uint8Array | undefined {
  if (given?.text === undefined || given.text === null) return undefined;
  if (given.encoding?.toLowerCase() !== "base64") return Buffer.from(given.text);
  const bytes = Buffer.from(given.text, "base64");
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: BODY_BYTES_MAX });
  } catch (error) {
    const limit = `of at most ${BODY_BYTES_MAX / 1024 / 1024} MiB`;
    throw new UsageError("file", `Failed to read ${place}: its body is not valid gzip ${limit}.`, { cause: error });
  }
}

function renderForm(params: readonly { readonly name: string; readonly value: string }[]): Uint8Array | undefined {
  if (params.length === 0) return undefined;
  return Buffer.from(new URLSearchParams(params.map(({ name, value }): [string, string] => [name, value])).toString());
}

/** Whether an entry is not a call over HTTP: proxies also record the tunnels that they open, often without a URL, and browsers record other schemes. */
function isOther(entry: unknown): boolean {
  const { method, url } = requestOf(entry) ?? {};
  return (typeof method === "string" && !isCall(method)) || (typeof url === "string" && OTHER_SCHEME.test(url));
}

const OTHER_SCHEME = /^(?:wss?|data|blob|about|file|chrome-extension|moz-extension):/i;

function requestOf(entry: unknown): Readonly<Record<string, unknown>> | undefined {
  const request = memberOf(entry, "request");
  return isObject(request) ? request : undefined;
}

function describe(entry: unknown): string {
  const request = requestOf(entry);
  if (request === undefined) return "";
  const { method, url } = request;
  // The query is left out, because it may hold a credential.
  return typeof method === "string" && typeof url === "string"
    ? ` (${oneLine(`${method} ${shorten(url.split("?")[0] ?? "", 100)}`)})`
    : "";
}

function refuse(file: string, reason: string): UsageError {
  return new UsageError("file", `Failed to read ${file} as an HTTP archive (HAR): ${reason}.`);
}
