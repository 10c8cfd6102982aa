import type { IncomingMessage } from "node:http";

/** Why there is no URL that the request asks for; nothing of it is quoted. */
export interface Unreadable {
  readonly unreadable: string;
}

/** What `URL` leaves as it is. A `%` may hide a dot segment, and is for `URL` to read; so is `'`, which it leaves in a path and not in a query. */
const PLAIN_TARGET = /^\/[\w\-.~!$&()*+,;=:@/?]*$/;
const DOT_SEGMENT = /\/\.\.?(?:[/?]|$)/;
const PLAIN_HOST = /^[a-z0-9._-]+(?::(?:[1-5]\d{3,4}|[6-9]\d{3}))?$/;

/**
 * The absolute URL that a request asks for, normalized as `URL` does. `defaultHost` is that of a request that names none (HTTP/1.0). What nearly every request has is
 * recognized without parsing it: `URL` takes longer than the rest of the way to the app.
 */
export function urlOf(
  { url: target = "", headers, socket }: IncomingMessage,
  defaultHost: string,
): string | Unreadable {
  // "a server MUST accept the absolute-form in requests" (RFC 9112, 3.2.2).
  if (/^https?:\/\//.test(target))
    return backslashIn(target) ?? parse(target)?.href ?? { unreadable: "Invalid absolute URL" };
  const host = headers.host === undefined || headers.host === "" ? defaultHost : headers.host;
  const url = `${"encrypted" in socket ? "https" : "http"}://${host}${target}`;
  if (PLAIN_HOST.test(host) && PLAIN_TARGET.test(target) && !DOT_SEGMENT.test(target)) return url;
  return backslashIn(target) ?? readUnusual(url, host, target);
}

function readUnusual(url: string, host: string, target: string): string | Unreadable {
  const parsed = target.startsWith("/") ? parse(url) : undefined;
  if (parsed === undefined) return { unreadable: "Invalid URL" };
  // A host with a path, a user or a number in another spelling is none.
  const isHost = parsed.hostname === host.replace(/:\d+$/, "").toLowerCase();
  return isHost ? parsed.href : { unreadable: "Invalid host header" };
}

/** `URL` would take it for a slash, a proxy in between would not. */
function backslashIn(target: string): Unreadable | undefined {
  const [path = ""] = target.split("?", 1);
  return path.includes("\\") ? { unreadable: "Backslash in request path" } : undefined;
}

function parse(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}
