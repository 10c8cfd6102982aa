import { createReceiverHeaders, type ReceiverHeaders } from "./receiver-headers.js";

/** Where a webhook goes. */
export interface Target {
  readonly origin: string;
  /** With the query. */
  readonly path: string;
  /** Undefined when its URL names no user. */
  readonly authorization: string | undefined;
  /** Of what answers there. */
  readonly receiverHeaders: ReceiverHeaders;
}

/** Throws TypeError when it is no URL. */
export function parseTarget(url: string): Target {
  const parsed = new URL(url);
  return {
    origin: parsed.origin,
    path: parsed.pathname + parsed.search,
    authorization: authorizationOf(parsed),
    receiverHeaders: createReceiverHeaders(),
  };
}

/** `https://user:password@host/` is HTTP basic authentication, as clients everywhere read it. */
function authorizationOf({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  return `Basic ${Buffer.from(`${decode(username)}:${decode(password)}`).toString("base64")}`;
}

/** A percent sign that begins no escape stands for itself. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
