import { parseUrl } from "../../../kernel/parse-url.js";

/** A merchant's address as a header can carry it: as it was given, where that is plain ASCII. Undefined when it is none that a browser should be sent to. */
export function redirectionTo(address: string): string | undefined {
  const url = parseUrl(address);
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined;
  return /^[\x21-\x7e]+$/.test(address) ? address : url.href;
}
