/** Who is called: the service, or the receiver of its webhooks. */
export type Side = "service" | "receiver";

/** The service sends its webhooks to this path of the proxy. */
export const WEBHOOK_PATH = "/_webhooks";

export function sideOf(path: string): Side {
  return path === WEBHOOK_PATH || /^\/_webhooks[/?]/.test(path) ? "receiver" : "service";
}

/** The address that a request to the proxy goes to. The host is always that of `base`, also for a request line with an address of its own. */
export function forwardedUrl(base: URL, side: Side, path: string): URL {
  const below = side === "receiver" ? path.slice(WEBHOOK_PATH.length) : path;
  const url = new URL(base);
  const [before = "", ...query] = below.split("?");
  const folder = url.pathname.replace(/\/$/, "");
  url.pathname = before === "" ? url.pathname : folder + (before.startsWith("/") ? before : `/${before}`);
  url.search = [url.search.slice(1), query.join("?")].filter((part) => part !== "").join("&");
  url.hash = "";
  return url;
}
