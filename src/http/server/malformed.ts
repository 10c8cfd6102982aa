import type { Refused } from "../shared/env.js";
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Sandbox } from "../../sandbox/sandbox.js";
import { renderError } from "../../contract/problems.js";
import { createIdSource } from "../../kernel/records/ids.js";
import { parseUrl } from "../../kernel/messages/text.js";
import { toIso } from "../../kernel/time/instant.js";
import { systemClock } from "../../kernel/time/system-clock.js";
import { describeError, respond } from "../api/answer.js";
import { codeOf } from "../../kernel/messages/problem.js";

/** The usual error body. The path is unknown, and the received bytes are not repeated. */
export function answerRefused(sandbox: Sandbox, { status, message }: Refused): Response {
  const correlationId = sandbox.ids.hex32();
  const body = describeError(sandbox, undefined, { status, messages: [message], correlationId, path: "/" });
  return respond(sandbox, undefined, { status, body, headers: { connection: "close" } });
}

/** The same answer without the sandbox, for an error that occurs while an error is rendered. */
export function answerPlainly({ status, message }: Refused): Response {
  const timestamp = toIso(systemClock.now());
  const correlationId = createIdSource(undefined, "server").hex32();
  const body = renderError(status, [message], { correlationId, path: "/", timestamp });
  return Response.json(body, { status, headers: { connection: "close" } });
}

/** Why Node's parser refused the bytes; undefined when the connection broke. */
export function explainParserError(error: Error, limits: ConnectionLimits): Refused | undefined {
  const code = codeOf(error);
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return { status: 431, message: `The request line and headers must be at most ${limits.headerBytes} bytes` };
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return { status: 413, message: "The chunk extensions of the body are too large" };
    case "ERR_HTTP_REQUEST_TIMEOUT": {
      const { headersMs, requestMs } = limits;
      const given = `${headersMs} ms for its headers, ${requestMs} ms for all of it`;
      return { status: 408, message: `The request did not arrive in time: ${given}` };
    }
    default:
      return code.startsWith("HPE_") ? unreadable("reason" in error ? String(error.reason) : code) : undefined;
  }
}

/**
 * Finds what is wrong although the parser accepts it. RFC 9112, 3.2: "A server MUST respond with a 400 […] to any HTTP/1.1 request message that lacks
 * a Host header field and to any request message that contains more than one".
 */
export function findMalformed(
  { rawHeaders, headers, httpVersion, url = "" }: IncomingMessage,
  limits: ConnectionLimits,
): Refused | undefined {
  if (rawHeaders.length > 2 * limits.headers)
    return { status: 431, message: `A request must have at most ${limits.headers} headers` };
  // A proxy that permits only /v1/ may let /v1/../_sandbox/ pass.
  if (DOT_SEGMENT.test(url)) return unreadable("its path has the segment . or ..");
  // A proxy that refuses /_sandbox may let /%5fsandbox pass.
  if (ESCAPED_START.test(url)) return unreadable("its path begins with an escape");
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const hosts = names.filter((name) => name === "host").length;
  if (hosts > 1) return unreadable("it has more than one Host");
  // With a host such as 1.2.3.4.5, everything that reads the request's URL would fail.
  if (headers.host && parseUrl(`http://${headers.host}`) === undefined)
    return unreadable("its Host is not a name or an address");
  // RFC 9112, 6.1: "A server […] that receives an HTTP/1.0 message containing a Transfer-Encoding header field MUST treat the message as if the
  // framing is faulty".
  if (httpVersion === "1.0" && names.includes("transfer-encoding"))
    return unreadable("HTTP/1.0 has no Transfer-Encoding");
  return hosts === 0 && httpVersion === "1.1" ? unreadable("it has no Host") : undefined;
}

/** Matches in the path only, before the query. */
const DOT_SEGMENT = /^[^?#]*\/(?:\.|%2e){1,2}(?:[/?#]|$)/i;

/** Matches in the first segment of the path only. */
const ESCAPED_START = /^(?:\w+:\/\/[^/?#]*)?\/+[^/?#]*%/;

/** `reason` comes from the parser and does not quote the request. */
export function unreadable(reason: string): Refused {
  return { status: 400, message: `This is not an HTTP/1.1 request: ${reason}` };
}

/** An answer as text, for a socket without a request. */
export async function renderAnswer(answer: Response): Promise<string> {
  const body = await answer.text();
  const headers = [...answer.headers, ["content-length", String(Buffer.byteLength(body))]];
  const lines = headers.map((header) => `${header.join(": ")}\r\n`).join("");
  return `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ""}\r\n${lines}\r\n${body}`;
}

/** Bounds on the time and memory of a connection before there is a request. */
export interface ConnectionLimits {
  /** The request line and the headers together, bytes. */
  readonly headerBytes: number;
  /** The most headers. */
  readonly headers: number;
  /** From the first byte of a request to the end of its headers, ms. */
  readonly headersMs: number;
  /** From the first byte of a request to the end of its body, ms. */
  readonly requestMs: number;
  /** How often slow connections are searched for, ms. */
  readonly checkMs: number;
  /** How long an idle connection is kept for a next request, ms. */
  readonly keepAliveMs: number;
}

/** A client that is slow on purpose holds a connection for these times. A state of 256 MiB takes two minutes at 20 Mbit/s. */
export const CONNECTION_LIMITS: ConnectionLimits = {
  headerBytes: 16 * 1024,
  headers: 1_000,
  headersMs: 10_000,
  requestMs: 120_000,
  checkMs: 1_000,
  keepAliveMs: 5_000,
};
