import type { Redactor } from "../../../../sandbox/observation/redact.js";

/** In a cell or a line there is room for as much. */
const LINE_MAX = 120;
/** On the page of one thing. */
export const FACT_MAX = 2_000;
/** Of a whole body: the control API has all of it. */
export const TEXT_MAX = 64 * 1024;

/** No credential is longer than this, also when it is encoded for a URL. */
const CREDENTIAL_MAX = 512;

/** What a client wrote, without credentials and never more than there is room for: a description may have a megabyte, and a page lists many. */
export function said({ redactor }: { readonly redactor: Redactor }, text: string, charactersMax = LINE_MAX): string {
  // What is cut through at its end must not be shown.
  const redacted = redactor.text(text.slice(0, charactersMax + CREDENTIAL_MAX));
  return redacted.length > charactersMax ? `${redacted.slice(0, charactersMax)}…` : redacted;
}

/** A text for reading, with what was cut off told. */
export function shortened(text: string): string {
  return text.length > TEXT_MAX ? `${text.slice(0, TEXT_MAX)}\n… and ${text.length - TEXT_MAX} characters more` : text;
}
