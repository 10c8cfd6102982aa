import { UsageError } from "../kernel/problem.js";

/** The one address that an audit talks to. Throws UsageError("input"). */
export function parseReceiverUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  // What stands before an @ may be a password.
  const shown = JSON.stringify(text.replace(/^.*@/, "").slice(0, SHOWN_MAX));
  throw new UsageError(
    "input",
    `The receiver must be an absolute http or https URL, such as http://127.0.0.1:4020/webhooks, not ${shown}.`,
  );
}

const SHOWN_MAX = 80;

/** As it may be shown: without credentials. */
export function renderReceiverUrl(url: URL): string {
  return `${url.origin}${url.pathname}${url.search}`;
}
