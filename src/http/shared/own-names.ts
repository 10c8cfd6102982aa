import { parseUrl } from "../../kernel/messages/text.js";

/** A name or an address with an optional port, without a user before it or a path after it. */
const HOST = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;

const OWN_NAMES = ["localhost", "127.0.0.1", "[::1]"];

/** Whether a `Host` is one of the names of a loopback address. Any other may be the own name of a page, made to resolve to this machine. */
export function isKnownHost(host: string, boundTo: string | undefined, publicUrl: string | undefined): boolean {
  const name = HOST.test(host) ? hostnameOf(`http://${host}`)?.replace(/\.$/, "") : undefined;
  if (name === undefined) return false;
  const bound = boundTo === undefined ? [] : [hostnameOf(`http://${boundTo.includes(":") ? `[${boundTo}]` : boundTo}`)];
  return [...OWN_NAMES, ...bound, ...(publicUrl === undefined ? [] : [hostnameOf(publicUrl)])].includes(name);
}

/** The origin `null` (a sandboxed frame, a file, a redirect) may be any page, so it is never the sandbox's own. */
export function isOwnOrigin(origin: string, host: string, publicUrl: string | undefined): boolean {
  const own = parseUrl(origin);
  if (own === undefined) return false;
  if (publicUrl !== undefined && new URL(publicUrl).origin === own.origin) return true;
  return own.host === host.toLowerCase();
}

/** Values of `Sec-Fetch-Site`. With `none` the user typed the address. */
export const OWN_SITES: ReadonlySet<string> = new Set(["same-origin", "none"]);

function hostnameOf(url: string): string | undefined {
  return parseUrl(url)?.hostname;
}
