import { beyondBounds, type JsonBounds, parseJsonOrText } from "../../kernel/messages/json.js";
import type { Instant } from "../../kernel/time/instant.js";

/** Headers in the order in which they were sent, with names as they were sent. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** One HTTP request and its answer, as an HTTP archive records it. */
export interface HttpExchange {
  readonly startedAt: Instant;
  /** From the first byte of the request to the last of the answer, ms. */
  readonly ms: number;
  readonly method: string;
  /** An absolute URL. */
  readonly url: string;
  readonly headers: HeaderList;
  /** Undefined when there is no body. */
  readonly body: Uint8Array | undefined;
  /** Undefined when no answer came. */
  readonly answer: HttpAnswer | undefined;
  /** For a webhook whose signature was checked before it was redacted. */
  readonly signature?: SignatureVerdict | undefined;
  /** A remark for people. */
  readonly comment?: string | undefined;
  /** The position in the archive that it was read from, counted from 0. */
  readonly place?: number | undefined;
}

/** False for what `fetch` refuses to send: tunnels and tests of connections, which are not calls of the API. */
export function isCall(method: string): boolean {
  return !/^(?:CONNECT|TRACE|TRACK)$/i.test(method);
}

/** The comment of an exchange of which not everything is recorded. */
export const BODY_IS_CUT = "a body is cut: it is too long to be recorded";

export const signatureVerdicts = ["valid", "invalid", "missing", "unverified"] as const;

/** `unverified`: the secret key was unknown, or only a part of the body is recorded. */
export type SignatureVerdict = (typeof signatureVerdicts)[number];

export interface HttpAnswer {
  readonly status: number;
  readonly headers: HeaderList;
  /** The decoded body, without a content encoding. */
  readonly body: Uint8Array;
}

/** More levels than any body of the API has. Code that works on a deeper value might exhaust the stack. */
export const DEPTH_BOUNDS: JsonBounds = { depth: 200, members: Infinity };
const BODY_BOUNDS: JsonBounds = { ...DEPTH_BOUNDS, areTexts: true };

/** The JSON of a body; its text when it is not JSON, is nested too deep or has a member `toString`; undefined when it is empty. */
export function parseBody(text: string, bounds = BODY_BOUNDS): unknown {
  if (text === "") return undefined;
  const value = parseJsonOrText(text);
  return beyondBounds(value, bounds) === undefined ? value : text;
}

/** The value of the first header of this name, in any case. */
export function headerOf(headers: HeaderList, name: string): string | undefined {
  return headers.find(([candidate]) => candidate.toLowerCase() === name.toLowerCase())?.[1];
}
