import type { Redactor } from "../../../../sandbox/observation/redact.js";

/** Characters shown of a text in a cell or a line. */
const LINE_MAX = 120;
/** Characters shown of a text on the page of one thing. */
export const FACT_MAX = 2_000;
/** Characters shown of a body: the control API has all of it. */
export const TEXT_MAX = 64 * 1024;

/** No credential is longer, even when it is escaped. */
const CREDENTIAL_MAX = 8 * 1024;

/** A client's text, without credentials and no longer than there is room for: a description may have a megabyte, and a page lists many. */
export function redactAndTruncate({ redactor }: { readonly redactor: Redactor }, text: string, max = LINE_MAX): string {
  // The margin keeps a credential at the cut whole, so that it is found.
  const redacted = redactor.text(text.slice(0, max + CREDENTIAL_MAX));
  return redacted.length > max ? `${redacted.slice(0, max)}…` : redacted;
}

/** A body, with a note on how much was cut off. */
export function truncateBody(text: string): string {
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}\n… and ${text.length - TEXT_MAX} characters more` : text;
}

/** Headers, one a line. */
export function headerLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join("\n");
}
