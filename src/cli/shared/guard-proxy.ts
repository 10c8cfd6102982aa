import type { IncomingMessage } from "node:http";
import { WEBHOOK_PATH } from "../../calibration/proxy/side.js";
import { OWN_SITES, isKnownHost, isOwnOrigin } from "../../http/shared/own-names.js";
import { quote } from "../../kernel/messages/text.js";

/**
 * Why a request is refused: a web page could have made it, from another origin, or under a host name of its own that resolves to this machine. Undefined when
 * it is not. Webhooks may come through a tunnel under any host name, but without an `Origin`, which browsers send with each POST.
 */
export function forgeryOf({ method, url = "/", headers }: IncomingMessage): string | undefined {
  const { host = "", origin, "sec-fetch-site": site } = headers;
  if (origin !== undefined && !isOwnOrigin(origin, host, undefined))
    return `${refusal} Its Origin is ${quote(origin)}.`;
  if (typeof site === "string" && !OWN_SITES.has(site)) return `${refusal} Its Sec-Fetch-Site is ${quote(site)}.`;
  const isWebhook = method === "POST" && origin === undefined && url.split("?")[0] === WEBHOOK_PATH;
  if (isWebhook || isKnownHost(host, undefined, undefined)) return undefined;
  return `${refusal} Call the proxy by its own name, such as 127.0.0.1: its Host is ${quote(host)}.`;
}

const refusal = "A web page could have made this request, so the proxy does not pass it on.";
