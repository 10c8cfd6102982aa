import type { IncomingMessage } from "node:http";

/** Why there is no URL that the request asks for; nothing of it is quoted. */
export interface Unreadable {
  readonly unreadable: string;
}

/** What `URL` leaves as it is. A `%` may hide a dot segment, and is for `URL` to read; so is `'`, which it leaves in a path and not in a query. */
const PLAIN_TARGET = /^\/[\w\-.~!$&()*+,;=:@/?]*$/;
const DOT_SEGMENT = /\/\.\.?(?:[/?]|$)/;
/** An IPv4 address, or a name whose last label begins with a letter: what begins with a digit there `URL` reads as a number, what begins with `xn--` as another script. */
const PLAIN_HOST =
  /^(?:(?:(?:\d|[1-9]\d|1\d\d|2[0-4]\d|25[0-5])(?:\.(?!$|:)|(?=$|:))){4}|(?!.*xn--)(?:[a-z0-9_-]+\.)*[a-z][a-z0-9_-]*)(?::(?:[1-5]\d{3,4}|[6-9]\d{3}))?$/;
/** `uri-host [ ":" port ]` (RFC 9110, 7.2): no user, no path, and it is not empty. */
const HOST = /^(?:\[[\da-f:.]+\]|[\w\-.~!$&'()*+,;=%]+)(?::\d*)?$/i;

/**
 * The absolute URL that a request asks for, normalized as `URL` does. `defaultHost` is that of a request that names none (HTTP/1.0). What nearly every request has is
 * recognized without parsing it: `URL` takes longer than the rest of the way to the app.
 */
export function urlOf(
  { url: target = "", headers, socket }: IncomingMessage,
  defaultHost: string,
): string | Unreadable {
  // "a server MUST accept the absolute-form in requests" (RFC 9112, 3.2.2).
  const [, authority] = /^https?:\/\/([^/?#]*)/i.exec(target) ?? [];
  if (authority !== undefined) return readUnusual(target, authority, target, "Invalid absolute URL");
  const host = headers.host === undefined || headers.host === "" ? defaultHost : headers.host;
  const url = `${"encrypted" in socket ? "https" : "http"}://${host}${target}`;
  if (PLAIN_HOST.test(host) && PLAIN_TARGET.test(target) && !DOT_SEGMENT.test(target)) return url;
  return target.startsWith("/") ? readUnusual(url, host, target, "Invalid URL") : { unreadable: "Invalid URL" };
}

function readUnusual(url: string, host: string, target: string, otherwise: string): string | Unreadable {
  const [path = ""] = target.split("?", 1);
  // `URL` would take it for a slash, a proxy in between would not.
  if (path.includes("\\")) return { unreadable: "Backslash in request path" };
  if (!HOST.test(host)) return { unreadable: "Invalid host header" };
  return URL.canParse(url) ? new URL(url).href : { unreadable: otherwise };
}
