import { beyondBounds, parseJsonOrText } from "../../kernel/messages/json.js";
import type { Instant } from "../../kernel/time/instant.js";

/** Names as they were sent, in the order in which they were sent. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** One HTTP request and its answer, as an HTTP archive records it. */
export interface HttpExchange {
  readonly startedAt: Instant;
  /** From the first byte of the request to the last of the answer, ms. */
  readonly ms: number;
  readonly method: string;
  /** Absolute. */
  readonly url: string;
  readonly headers: HeaderList;
  /** Undefined without a body. */
  readonly body: Uint8Array | undefined;
  /** Undefined when none came. */
  readonly answer: HttpAnswer | undefined;
  /** Of a webhook whose signature was looked at before it was redacted. */
  readonly signature?: SignatureVerdict | undefined;
  /** A remark for people. */
  readonly comment?: string | undefined;
  /** In the archive that it was read from, from 0. */
  readonly place?: number | undefined;
}

/** What `fetch` refuses to send: tunnels and tests of connections, no calls of the API. */
export function isCall(method: string): boolean {
  return !/^(?:CONNECT|TRACE|TRACK)$/i.test(method);
}

/** The comment of an exchange that is not recorded whole. */
export const BODY_IS_CUT = "a body is cut: it is too long to be recorded";

export const signatureVerdicts = ["valid", "invalid", "missing", "unverified"] as const;

/** `unverified`: the secret key was not known, or the body is not recorded whole. */
export type SignatureVerdict = (typeof signatureVerdicts)[number];

export interface HttpAnswer {
  readonly status: number;
  readonly headers: HeaderList;
  /** Without its content encoding. */
  readonly body: Uint8Array;
}

/** More than any body of the API has: code that works on a deeper one may run out of stack. */
const BODY_BOUNDS = { depth: 200, members: Infinity };

/** The JSON of a body; its text when it is none or is nested too deep; undefined when it is empty. */
export function parseBody(text: string): unknown {
  if (text === "") return undefined;
  const value = parseJsonOrText(text);
  return beyondBounds(value, BODY_BOUNDS) === undefined ? value : text;
}

/** The value of the first header of this name, in any case. */
export function headerOf(headers: HeaderList, name: string): string | undefined {
  return headers.find(([candidate]) => candidate.toLowerCase() === name.toLowerCase())?.[1];
}
